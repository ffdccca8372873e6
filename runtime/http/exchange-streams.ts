/** Requests and answers as streams of node, for pipelines. */
import { IncomingMessage } from "node:http"
import { Readable, Writable } from "node:stream"
import { assert } from "../assert.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { Http2Incoming } from "../http2/incoming.ts"

/** Called by who passes a body on, at most once per request. */
export function readableOf(incoming: Incoming): Readable {
  if (incoming instanceof Http2Incoming) return bodyOf(incoming)
  assert(incoming instanceof IncomingMessage, "what is not HTTP/2 is HTTP/1.1")
  return incoming
}

function bodyOf(incoming: Http2Incoming): Readable {
  const body = new Readable({ read: () => incoming.resume() })
  incoming.on("end", () => body.push(null))
  incoming.on("close", () => {
    if (!incoming.readableEnded) body.destroy(new Error("the client has gone"))
  })
  incoming.on("data", (chunk) => {
    if (!body.push(chunk)) incoming.pause()
  })
  return body
}

/** Called by who passes an answer's body on, once its head was sent. The end of the body is not that of the answer: trailers may follow. */
export function writableOf(outgoing: Outgoing): Writable {
  const body = new Writable({ write: (chunk: Buffer, _encoding, taken) => void outgoing.write(chunk, taken) })
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) body.destroy(new Error("the client has gone"))
  })
  return body
}
