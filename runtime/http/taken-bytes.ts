/** How much of an answer its client has taken. */
import { ServerResponse } from "node:http"
import type { Outgoing } from "./exchange.ts"
import { Http2Outgoing } from "../http2/outgoing.ts"

/** Grows as the client takes bytes of the answer, but for what the system still holds. Only differences mean something. */
export function takenBytes(outgoing: Outgoing): number {
  if (outgoing instanceof Http2Outgoing) return outgoing.takenBytes
  if (!(outgoing instanceof ServerResponse) || outgoing.socket === null) return 0
  return outgoing.socket.bytesWritten - outgoing.socket.writableLength
}
