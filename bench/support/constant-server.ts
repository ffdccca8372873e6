/**
 * A bare node:http2 server: answers each path with a given number of bytes out of a constant buffer. Its cost is the
 * cost of node itself. Forked by `bench/floor.ts`, which sends it a `ConstantPlan`; replies with its port when it
 * listens.
 */
import { createSecureServer } from "node:http2"

export interface ConstantPlan {
  /** PEM texts, the same as on the server under test. */
  readonly key: string
  readonly certificate: string
  /** Lengths of the answers, by path with its query. */
  readonly bytes: Readonly<Record<string, number>>
}

/** Node resets streams of a session that holds more, and a session here holds whole lists. */
const sessionMegabytes = 1024

process.once("message", ({ bytes, certificate, key }: ConstantPlan) => {
  const bodies = new Map(Object.entries(bytes).map(([path, length]) => [path, Buffer.alloc(length, "constant ")]))
  const server = createSecureServer({ key, cert: certificate, maxSessionMemory: sessionMegabytes })
  server.on("stream", (stream, headers) => {
    const body = bodies.get(headers[":path"] ?? "")
    stream.on("error", () => undefined)
    stream.respond({
      ":status": body === undefined ? 404 : 200,
      "content-type": "application/json",
      "content-length": body?.byteLength ?? 0,
    })
    stream.end(body)
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.send?.(typeof address === "object" && address !== null ? address.port : 0)
  })
})
process.once("disconnect", () => process.exit())
