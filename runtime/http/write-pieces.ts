import type { Outgoing } from "./exchange.ts"
import { http1WriteBytes } from "../base/limits.ts"
import type { Account } from "./kept-bytes.ts"

type Answer = Pick<Outgoing, "end" | "write" | "once"> & { readonly req: { readonly account?: Pick<Account, "charge"> | undefined } }

/**
 * Ends an answer with a whole body, a long one in pieces. Node passes a write on at once, copies it for TLS, and
 * reports nothing until all of it was taken: with a single long write, a slow client would look like a dead one.
 */
export function endInPieces(outgoing: Answer, body: Uint8Array, pieceBytes = http1WriteBytes): void {
  if (body.length <= pieceBytes) {
    outgoing.end(body)
    return
  }
  const { account } = outgoing.req
  account?.charge(body.length)
  outgoing.once("close", () => account?.charge(-body.length))
  let at = 0
  const next = (error?: Error | null): void => {
    if (error) return
    const piece = body.subarray(at, at + pieceBytes)
    at += piece.length
    if (at < body.length) outgoing.write(piece, next)
    else outgoing.end(piece)
  }
  next()
}
