/**
 * The opaque token of a paged list; specification section 4.5. It names the snapshot, the last key given and the request it belongs to,
 * and carries a MAC so that a made-up token is refused instead of believed.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { badRequest, expired } from "../base/errors.ts"

export interface ContinueToken {
  /** Revision of the snapshot; 0: the newest state (the token of an expired list). */
  readonly revision: number
  /** Store key of the last item given. */
  readonly startAfter: string
  /** Objects of the snapshot that follow; absent where they are not counted. */
  readonly remaining?: number
}

const version = 2
const macBytes = 12

/** Tokens that are kept as they were made, each of so many characters with what it is bound to; when there are more, all are forgotten. */
const rememberedMax = 256
const rememberedCharactersMax = 1024

/** Made once at start. `secret` lives in the data directory, so that tokens survive a restart and hold on every server of a cluster. */
export class ContinueTokens {
  /** Tokens made lately, by what they say, and what they say. The next page comes with one of them, and other clients read the same pages. */
  private readonly texts = new Map<string, string>()
  private readonly made = new Map<string, { readonly scope: string; readonly token: ContinueToken }>()

  constructor(private readonly secret: Buffer) {}

  /** `scope` is what a token is bound to: resource, namespace and selectors. */
  encode(token: ContinueToken, scope: string): string {
    const body = JSON.stringify([version, token.revision, token.startAfter, token.remaining])
    // A body in JSON has no NUL of its own.
    const name = `${scope}\0${body}`
    const known = this.texts.get(name)
    if (known !== undefined) return known
    const bytes = Buffer.from(body)
    const text = Buffer.concat([this.mac(bytes, scope), bytes]).toString("base64url")
    if (name.length <= rememberedCharactersMax) this.remember(name, text, { scope, token })
    return text
  }

  /** Throws 400 for a token that this server did not make for this request, 410 for one of another release. */
  decode(text: string, scope: string): ContinueToken {
    const known = this.made.get(text)
    if (known?.scope === scope) return known.token
    const bytes = Buffer.from(text, "base64url")
    const body = bytes.subarray(macBytes)
    // The decoder passes over characters that make no whole byte.
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
