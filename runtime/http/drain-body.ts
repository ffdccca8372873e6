/** Discards the unread rest of a request's body over HTTP/1.1 once its answer is sent. */
import type { IncomingMessage } from "node:http"
import type { Clock } from "../base/clock.ts"
import type { Outgoing } from "./exchange.ts"
import { lingerMs, unreadBodyBytesMax } from "../base/limits.ts"

/**
 * Called when the rest of a body will not be read. Discards the rest as it arrives, whether or not the client takes
 * the answer. The rest precedes the next request, so it is read, but only up to `unreadBodyBytesMax`, and after the
 * answer only for `lingerMs`; then the connection ends.
 */
export function drain(incoming: IncomingMessage, outgoing: Pick<Outgoing, "writableFinished" | "once">, clock: Clock): void {
  const { socket } = incoming
  let left = unreadBodyBytesMax
  let cancel = (): void => {}
  const cut = (): void => socket.destroySoon()
  const waitForRest = (): void => {
    if (!incoming.complete) cancel = clock.after(lingerMs, cut)
  }
  if (outgoing.writableFinished) waitForRest()
  else outgoing.once("finish", waitForRest)
  incoming.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) cut()
  })
  incoming.once("end", () => cancel())
  incoming.once("close", () => cancel())
  incoming.resume()
}
