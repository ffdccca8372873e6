import { Writable } from "node:stream"
import type { Outgoing } from "./exchange.ts"

/**
 * Returns the body of an answer as a stream of node, for pipelines. Called after the head was sent, by code that passes
 * a body on. Ending the stream does not end the answer: trailers may follow.
 */
export function writableOf(outgoing: Outgoing): Writable {
  const body = new Writable({ write: (chunk: Buffer, _encoding, taken) => void outgoing.write(chunk, taken) })
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) body.destroy(new Error("the client has gone"))
  })
  return body
}
