/** Long bodies over HTTP/1.1. */
import { ServerResponse } from "node:http"
import { accountOf } from "./accounts.ts"
import type { Outgoing } from "./exchange.ts"
import { http1WriteBytes } from "../limits.ts"

/**
 * Called instead of `outgoing.end` with a whole body. Node hands over whatever it is given at once, copies it for TLS, and tells nothing until all of it
 * was taken: a slow client of a long body could not be told from a dead one. HTTP/2 has pieces of its own.
 */
export function endWith(outgoing: Outgoing, body: Uint8Array): void {
  if (body.length <= http1WriteBytes || !(outgoing instanceof ServerResponse)) outgoing.end(body)
  else endInPieces(outgoing, body)
}

function endInPieces(outgoing: ServerResponse, body: Uint8Array): void {
  const account = accountOf(outgoing.req)
  account?.charge(body.length)
  outgoing.once("close", () => account?.charge(-body.length))
  let at = 0
  const next = (error?: Error | null): void => {
    if (error) return
    const piece = body.subarray(at, at + http1WriteBytes)
    at += piece.length
    if (at < body.length) outgoing.write(piece, next)
    else outgoing.end(piece)
  }
  next()
}
