/** What is left of a request's body over HTTP/1.1 once its answer is sent. */
import type { IncomingMessage } from "node:http"
import type { Clock } from "../base/clock.ts"
import type { Outgoing } from "./exchange.ts"
import { lingerMs, unreadBodyBytesMax } from "../base/limits.ts"

/**
 * Called when what is left of a body will not be read. It is thrown away as it comes, whether the client takes the answer or not. It stands before the
 * next request and is read up to a limit: beyond it the connection ends.
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
