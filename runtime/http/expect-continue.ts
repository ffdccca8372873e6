/** `Expect: 100-continue`, RFC 9110 section 10.1.1: the client waits for permission to send its body. */
import type { Incoming, Outgoing } from "./exchange.ts"

/**
 * Called before the answer to such a request. Asks for the body only when something reads it, so that a refused request
 * costs no transfer. Node closes an HTTP/1.1 connection whose client was not asked, since that client may or may not
 * send the body.
 */
export function askForBodyWhenRead(incoming: Incoming, outgoing: Outgoing): void {
  incoming.once("resume", () => {
    if (!outgoing.headersSent) outgoing.writeContinue()
  })
}
