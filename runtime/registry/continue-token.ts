/**
 * The opaque token of a paged list; specification section 4.5. It names the snapshot and the last key of the page, and
 * carries a MAC over both and the request, so that a forged token is refused.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { badRequest, expired } from "../base/errors.ts"

export interface ContinueToken {
  /** Revision of the snapshot; 0: the newest state (the token of an expired list). */
  readonly revision: number
  /** Store key of the last item on the page. */
  readonly startAfter: string
  /** Objects of the snapshot after `startAfter`. Absent if they were not counted. */
  readonly remaining?: number
}

const version = 2
const macBytes = 12

/** At most this many tokens are cached, each at most this long with its scope. A full cache is emptied. */
const rememberedMax = 256
const rememberedCharactersMax = 1024

/**
 * Encodes and decodes continue tokens. The server creates one at start. `secret` is stored in the data directory, so
 * that tokens survive a restart and are valid on every server of a cluster.
 */
export class ContinueTokens {
  /**
   * Recent tokens by their content, and their content by token. The next request sends one of them back, and other
   * clients read the same pages.
   */
  private readonly texts = new Map<string, string>()
  private readonly made = new Map<string, { readonly scope: string; readonly token: ContinueToken }>()

  constructor(private readonly secret: Buffer) {}

  /** Binds the token to `scope`: resource, namespace and selectors. */
  encode(token: ContinueToken, scope: string): string {
    const body = JSON.stringify([version, token.revision, token.startAfter, token.remaining])
    // JSON contains no raw NUL, so the separator is unambiguous.
    const name = `${scope}\0${body}`
    const known = this.texts.get(name)
    if (known !== undefined) return known
    const bytes = Buffer.from(body)
    const text = Buffer.concat([this.mac(bytes, scope), bytes]).toString("base64url")
    if (name.length <= rememberedCharactersMax) this.remember(name, text, { scope, token })
    return text
  }

  /** Throws 400 for a token that this server did not issue for this request, 410 for one of another release. */
  decode(text: string, scope: string): ContinueToken {
    const known = this.made.get(text)
    if (known?.scope === scope) return known.token
    const bytes = Buffer.from(text, "base64url")
    const body = bytes.subarray(macBytes)
    // The base64url decoder ignores trailing characters that form no whole byte.
    const changed = bytes.toString("base64url") !== text
    if (changed || bytes.length <= macBytes || !timingSafeEqual(bytes.subarray(0, macBytes), this.mac(body, scope))) {
      throw badRequest(
        "invalid continue token: continue key is not valid: use the token of the previous page unchanged, with the same path and selectors",
      )
    }
    const [release, revision, startAfter, remaining]: [number, number, string, (number | null)?] = JSON.parse(body.toString("utf8"))
    if (release !== version) throw expired("The provided continue parameter is of another release of this server: start the list again")
    return { revision, startAfter, ...(typeof remaining === "number" && { remaining }) }
  }

  private remember(name: string, text: string, what: { readonly scope: string; readonly token: ContinueToken }): void {
    if (this.texts.size >= rememberedMax) {
      this.texts.clear()
      this.made.clear()
    }
    this.texts.set(name, text)
    this.made.set(text, what)
  }

  private mac(body: Buffer, scope: string): Buffer {
    return createHmac("sha256", this.secret).update(scope).update("\0").update(body).digest().subarray(0, macBytes)
  }
}
