/** `Expect: 100-continue`, RFC 9110 section 10.1.1: the client waits to be asked for its body. */
import type { Incoming, Outgoing } from "./exchange.ts"

/**
 * Called before such a request is answered. The client is asked once somebody reads the body, so that a request that is refused anyway costs no
 * transfer. Node ends a connection of HTTP/1.1 whose client was not asked: whether a body follows is the client's to decide.
 */
export function askForBodyWhenRead(incoming: Incoming, outgoing: Outgoing): void {
  incoming.once("resume", () => {
    if (!outgoing.headersSent) outgoing.writeContinue()
  })
}
