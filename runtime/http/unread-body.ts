/** What is left of a request's body once its answer is sent. */
import { IncomingMessage } from "node:http"
import { type Clock, systemClock } from "../clock.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { Http2Incoming } from "../http2/incoming.ts"
import { lingerMs, unreadBodyBytesMax } from "../limits.ts"

/**
 * Called when a request was answered before all of its body had come. HTTP/2 has a word for "send no more" (RFC 9113 section 8.1); on HTTP/1.1
 * the rest stands before the next request and is read and dropped, up to a limit: beyond it the connection ends.
 */
export function dropRest(incoming: Incoming, outgoing: Outgoing, clock: Clock = systemClock): void {
  const drop = (): void => {
    if (incoming.complete) return
    if (incoming instanceof Http2Incoming) incoming.stopBody()
    else if (incoming instanceof IncomingMessage) drain(incoming, clock)
  }
  if (outgoing.writableFinished) drop()
  else outgoing.once("finish", drop)
}

/** Real time unless a test owns it: the other end has no other. */
function drain(incoming: IncomingMessage, clock: Clock): void {
  const { socket } = incoming
  let left = unreadBodyBytesMax
  const cut = (): void => socket.destroySoon()
  const cancel = clock.after(lingerMs, cut)
  incoming.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) cut()
  })
  incoming.once("end", cancel)
  incoming.once("close", cancel)
  incoming.resume()
}
