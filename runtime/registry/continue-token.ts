/**
 * The opaque token of a paged list; specification section 4.5. It names the snapshot, the last key given and the request it belongs to,
 * and carries a MAC so that a made-up token is refused instead of believed.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { badRequest } from "../errors.ts"

export interface ContinueToken {
  /** Revision of the snapshot; 0: the newest state (the token of an expired list). */
  readonly revision: number
  /** Store key of the last item given. */
  readonly startAfter: string
  /** When the list began, milliseconds since the epoch. */
  readonly startedMs: number
  /** Objects of the snapshot that follow; absent where they are not counted. */
  readonly remaining?: number
}

const version = 1
const macBytes = 12

/** Made once at start. `secret` lives in the data directory, so that tokens survive a restart and hold on every server of a cluster. */
export class ContinueTokens {
  constructor(private readonly secret: Buffer) {}

  /** `scope` is what a token is bound to: resource, namespace and selectors. */
  encode(token: ContinueToken, scope: string): string {
    const body = Buffer.from(JSON.stringify([version, token.revision, token.startAfter, token.startedMs, token.remaining]))
    return Buffer.concat([this.mac(body, scope), body]).toString("base64url")
  }

  /** Throws 400 for a token that this server did not make for this request. */
  decode(text: string, scope: string): ContinueToken {
    const bytes = Buffer.from(text, "base64url")
    const body = bytes.subarray(macBytes)
    // The decoder passes over characters that make no whole byte.
    const changed = bytes.toString("base64url") !== text
    if (changed || bytes.length <= macBytes || !timingSafeEqual(bytes.subarray(0, macBytes), this.mac(body, scope))) {
      throw badRequest("continue key is not valid: use the token of the previous page unchanged, with the same path and selectors")
    }
    const [, revision, startAfter, startedMs, remaining]: [number, number, string, number, (number | null)?] = JSON.parse(
      body.toString("utf8"),
    )
    return { revision, startAfter, startedMs, ...(typeof remaining === "number" && { remaining }) }
  }

  private mac(body: Buffer, scope: string): Buffer {
    return createHmac("sha256", this.secret).update(scope).update("\0").update(body).digest().subarray(0, macBytes)
  }
}
