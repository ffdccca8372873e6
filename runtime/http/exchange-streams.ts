/** Requests and answers as streams of node, for pipelines. */
import { IncomingMessage, ServerResponse } from "node:http"
import { PassThrough, type Readable, type Writable } from "node:stream"
import { assert } from "../assert.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { Http2Incoming, Http2Outgoing } from "./http2-exchange.ts"

/** Called by who passes a body on, at most once per request. */
export function readableOf(incoming: Incoming): Readable {
  if (incoming instanceof Http2Incoming) return detached(incoming)
  assert(incoming instanceof IncomingMessage, "what is not HTTP/2 is HTTP/1.1")
  return incoming
}

/** On HTTP/2 body and answer share a stream: a pipeline that fails would destroy the answer with the body. */
function detached({ stream }: Http2Incoming): Readable {
  const body = new PassThrough()
  stream.once("close", () => {
    if (!stream.readableEnded) body.destroy(new Error("the client has gone"))
  })
  return stream.pipe(body)
}

/** Called by who passes an answer on, once its head was sent. */
export function writableOf(outgoing: Outgoing): Writable {
  if (outgoing instanceof Http2Outgoing) return outgoing.stream
  assert(outgoing instanceof ServerResponse, "what is not HTTP/2 is HTTP/1.1")
  return outgoing
}
