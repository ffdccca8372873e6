import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { connected, isOf } from "../../test/support/raw-http2-client.ts"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import { Http1Connection } from "../http/http1-connection.ts"
import { KeptBytes } from "../http/kept-bytes.ts"
import { timeLimits } from "../http/time-limits.ts"
import { frameType, settingId } from "../http2/protocol.ts"
import { openAnswer } from "./watch-output.ts"

const frames = [Buffer.alloc(20_000, "a"), Buffer.alloc(30_000, "b")]

function write(incoming: Incoming, outgoing: Outgoing): void {
  openAnswer({ incoming, outgoing }, { contentType: "application/json" }).write(frames)
}

it("frames that wait for several watches over HTTP/2 are kept once", async () => {
  const kept = new KeptBytes()
  for (let watch = 0; watch < 3; watch++) {
    const client = await connected(write, { begins: false, kept })
    client.begin([[settingId.initialWindowSize, 0]])
    client.ask(1)
    await client.until(isOf(frameType.headers, 1))
  }
  expect(kept.bytes.known).toBe(50_000)
  expect(kept.bytes.strangers).toBeLessThan(30_000)
})

it("what waits for a watch over HTTP/1.1 is kept once, and of another answer twice", async () => {
  const kept = new KeptBytes()
  const answered: [Http1Connection, ServerResponse][] = []
  const server = createServer()
  server.on("connection", (socket) => {
    const connection = new Http1Connection(socket, { kept, times: timeLimits })
    server.once("request", (request: IncomingMessage, response: ServerResponse) => {
      connection.begin(request, response)
      answered.push([connection, response])
      if (answered.length === 1) write(request, response)
      // More than the sockets of both ends hold.
      for (let sent = 0; sent < 400; sent++) response.write(Buffer.alloc(50_000))
    })
  })
  server.listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  for (const times of [1, 2]) {
    const client = connect(port, "127.0.0.1").pause()
    onTestFinished(() => void client.destroy())
    client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    await expect.poll(() => answered.length).toBe(times)
    const [connection, response] = answered[times - 1] ?? []
    const before = connection?.account.bytes ?? 0
    connection?.account.measure()
    const waiting = response?.socket?.writableLength ?? 0
    expect(waiting).toBeGreaterThan(1_000_000)
    expect((connection?.account.bytes ?? 0) - before).toBe(times * waiting)
  }
})
