/** Writes a Response of the web, which a middleware of a program has returned. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Outgoing } from "./exchange.ts"
import { writableOf } from "./exchange-streams.ts"

/**
 * The field by which `@hono/node-server` marks such a Response. Hono copies a Response when fields are added to it, so
 * comparing identities is not enough.
 */
const alreadySent = "x-hono-already-sent"

/** Returned by a middleware that has written its answer to `outgoing`. One object for all requests. */
export const RESPONSE_ALREADY_SENT: Response = new Response(null, { headers: { [alreadySent]: "true" } })

/** Whether a Response stands for an answer that was written to `outgoing`. */
export function isAlreadySent(response: Response): boolean {
  return response === RESPONSE_ALREADY_SENT || response.headers.has(alreadySent)
}

/**
 * Sets status and header fields at once, and resolves when the body was written. Drops a Response that comes after the
 * 504 of the deadline. Rejects when the body fails or the client has gone; the answer is then incomplete.
 */
export async function writeResponse(outgoing: Outgoing, response: Response): Promise<void> {
  if (outgoing.headersSent) return response.body?.cancel()
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) if (name !== "set-cookie") outgoing.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies)
  if (response.body !== null) {
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) // Node declares the type twice.
    await pipeline(body, writableOf(outgoing))
  }
  outgoing.end()
}
