import { Readable } from "node:stream"

/** A body that is read through its events. */
interface EventBody {
  readonly readableEnded: boolean
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end" | "close", listener: () => void): unknown
  pause(): unknown
  resume(): unknown
}

/**
 * Returns the body of a request as a stream. Destroying the stream does not end the answer. Called once per request.
 */
export function bodyStream(incoming: EventBody): Readable {
  const body = new Readable({ read: () => void incoming.resume() })
  incoming.on("end", () => body.push(null))
  incoming.on("close", () => {
    if (!incoming.readableEnded) body.destroy(new Error("the client has gone"))
  })
  incoming.on("data", (chunk) => {
    if (!body.push(chunk)) incoming.pause()
  })
  return body
}
