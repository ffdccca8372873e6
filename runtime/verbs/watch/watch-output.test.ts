import { expect, it } from "vitest"
import { askHttp1 } from "../../../test/support/http1-server.ts"
import { connected, isOf } from "../../../test/support/raw-http2-client.ts"
import type { Incoming, Outgoing } from "../../http/exchange.ts"
import { KeptBytes } from "../../http/kept-bytes.ts"
import { frameType, settingId } from "../../http2/protocol.ts"
import { openAnswer } from "./watch-output.ts"

const frames = [Buffer.alloc(20_000, "a"), Buffer.alloc(30_000, "b")]

function write(incoming: Incoming, outgoing: Outgoing): void {
  openAnswer({ incoming, outgoing, request: { warnings: [] } }, { contentType: "application/json" }).write(frames)
}

it("queued frames are in memory once for several watches over HTTP/2", async () => {
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

it.each([1, 2])("queued bytes over HTTP/1.1 count once for a watch, twice for another response: %d", async (times) => {
  const { connection, request, response } = await askHttp1("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
  if (times === 1) write(request, response)
  // More than the socket buffers of both ends can hold.
  for (let sent = 0; sent < 400; sent++) response.write(Buffer.alloc(50_000))
  const waiting = response.socket?.writableLength ?? 0
  expect(waiting).toBeGreaterThan(1_000_000)
  expect(connection.account.owner.measure()).toBe(times * waiting)
})
