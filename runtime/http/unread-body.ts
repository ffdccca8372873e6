/** What is left of a request's body once its answer is sent. */
import { IncomingMessage } from "node:http"
import { type Clock, systemClock } from "../clock.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { Http2Incoming } from "../http2/incoming.ts"
import { lingerMs, unreadBodyBytesMax } from "../limits.ts"

/**
 * Called when nobody will read what is left of a request's body. It is thrown away as it comes, whether the client takes the answer or not. Behind the
 * answer HTTP/2 has a word for "send no more" (RFC 9113 section 8.1); on HTTP/1.1 the rest stands before the next request and is read, up to a limit:
 * beyond it the connection ends.
 */
export function dropRest(incoming: Incoming, outgoing: Outgoing, clock: Clock = systemClock): void {
  if (incoming instanceof Http2Incoming) {
    incoming.drop()
    if (!incoming.complete) whenFinished(outgoing, () => incoming.stopBody())
  } else if (incoming instanceof IncomingMessage && !incoming.complete) drain(incoming, outgoing, clock)
}

function whenFinished(outgoing: Outgoing, then: () => void): void {
  if (outgoing.writableFinished) then()
  else outgoing.once("finish", then)
}

/** Real time unless a test owns it: the other end has no other. */
function drain(incoming: IncomingMessage, outgoing: Outgoing, clock: Clock): void {
  const { socket } = incoming
  let left = unreadBodyBytesMax
  let cancel = (): void => {}
  const cut = (): void => socket.destroySoon()
  whenFinished(outgoing, () => {
    if (!incoming.complete) cancel = clock.after(lingerMs, cut)
  })
  incoming.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) cut()
  })
  incoming.once("end", () => cancel())
  incoming.once("close", () => cancel())
  incoming.resume()
}
