import { Writable } from "node:stream"
import type { Outgoing } from "./exchange.ts"

/**
 * An answer as a stream of node, for pipelines. Called by what passes an answer's body on, once its head was sent. The end of the body is not that of the
 * answer: trailers may follow.
 */
export function writableOf(outgoing: Outgoing): Writable {
  const body = new Writable({ write: (chunk: Buffer, _encoding, taken) => void outgoing.write(chunk, taken) })
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) body.destroy(new Error("the client has gone"))
  })
  return body
}
