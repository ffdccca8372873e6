import { describe, expect, it } from "vitest"
import { KeptBytes } from "../http/kept-bytes.ts"
import { http2WindowBytes } from "./limits.ts"
import { readBody } from "../wire/read-body.ts"
import { encodeTrailers } from "./header-encoder.ts"
import { errorCode, frameBytesMax, frameFlag, frameType, settingId } from "./protocol.ts"
import { connectedBy, isEnd, http2Names, isOf, isPong, ok, plain, type RawClient, resetCode } from "../../test/support/raw-http2-client.ts"

describe.each(http2Names)("HTTP/2 by %s:", (http2) => {
  const connected = connectedBy(http2)

  describe("the waiting bytes of an answer that shares them", () => {
    const frames = Buffer.alloc(50_000)

    /** A client that gets an answer of two times `frames` and takes `window` bytes of it. */
    async function waiting(kept: KeptBytes, isShared: boolean, window = 0): Promise<RawClient> {
      const client = await connected(
        (_incoming, outgoing) => {
          outgoing.sharesBytes = isShared
          outgoing.write(frames)
          outgoing.write(frames)
        },
        { begins: false, kept },
      )
      client.begin([[settingId.initialWindowSize, window]])
      client.ask(1)
      await client.until(isOf(frameType.headers, 1))
      return client
    }

    it("count once for all connections, until the last has taken them or is gone", async () => {
      const kept = new KeptBytes()
      const clients = [await waiting(kept, true), await waiting(kept, true, 20_000), await waiting(kept, true)]
      expect(kept.bytes.known).toBe(frames.length)
      // The cost of a request and its chunks.
      expect(kept.bytes.strangers).toBeLessThan(3 * 10_000)
      for (const client of clients.slice(1)) client.close()
      await expect.poll(() => kept.bytes.strangers).toBeLessThan(10_000)
      expect(kept.bytes.known).toBe(frames.length)
      const [last] = clients
      last?.send({ type: frameType.windowUpdate, streamId: 1 }, Buffer.from([0, 1, 0, 0]))
      await last?.until(() => last.body(1).length === 65_535)
      expect(kept.bytes.known).toBe(frames.length)
      last?.send({ type: frameType.reset, streamId: 1 }, Buffer.from([0, 0, 0, errorCode.cancel]))
      await expect.poll(() => kept.bytes).toEqual({ strangers: 0, known: 0 })
    })

    it("count no more once all were taken", async () => {
      const kept = new KeptBytes()
      const client = await waiting(kept, true, 200_000)
      client.send({ type: frameType.windowUpdate }, Buffer.from([0, 1, 0, 0]))
      await client.until(() => client.body(1).length === 2 * frames.length)
      expect(kept.bytes.known).toBe(0)
    })

    it("count for each connection if they are not shared", async () => {
      const kept = new KeptBytes()
      for (const _ of [1, 2]) await waiting(kept, false)
      expect(kept.bytes.strangers).toBeGreaterThan(4 * frames.length)
      expect(kept.bytes.known).toBe(0)
    })
  })

  describe("the memory of a body", () => {
    /** The bytes in the account once the server has read everything that the client has sent. */
    async function keptAfter(client: RawClient, kept: KeptBytes): Promise<number> {
      const sign = Buffer.from(String(client.frames.length).padStart(8))
      client.send({ type: frameType.ping }, sign)
      await client.until((frame) => isPong(frame) && frame.payload.equals(sign))
      // Node's implementation measures kept bytes; the other one counts.
      client.connection?.check(0)
      return kept.bytes.strangers
    }

    it("is little more than its bytes, in frames of any size, and nothing once the request is over", async () => {
      const kept = new KeptBytes()
      let answer: () => void = () => undefined
      const client = await connected((_incoming, outgoing) => (answer = () => outgoing.end()), { kept })
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      const empty = await keptAfter(client, kept)
      for (let index = 0; index < 9000; index++) client.data(1, Buffer.from("a"))
      const full = await keptAfter(client, kept)
      expect(full - empty).toBeGreaterThanOrEqual(9000)
      expect(full - empty).toBeLessThan(30_000)
      client.data(1, Buffer.from("a"), true)
      await keptAfter(client, kept)
      answer()
      await client.until(isEnd(1))
      expect(await keptAfter(client, kept)).toBe(0)
    })

    it("is nothing after the body was discarded, even if the client does not take the answer", async () => {
      const kept = new KeptBytes()
      const client = await connected(
        (incoming, outgoing) => {
          outgoing.end(Buffer.from("no"))
          incoming.discardBody(outgoing)
        },
        { begins: false, kept },
      )
      client.begin([[settingId.initialWindowSize, 0]])
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      const before = await keptAfter(client, kept)
      for (let sent = 0; sent < http2WindowBytes; sent += frameBytesMax) client.data(1, Buffer.alloc(frameBytesMax))
      expect(await keptAfter(client, kept)).toBe(before)
      client.send({ type: frameType.windowUpdate, streamId: 1 }, Buffer.from([0, 0, 1, 0]))
      expect(await resetCode(client, 1)).toBe(errorCode.noError)
      expect(client.body(1).toString()).toBe("no")
      expect(await keptAfter(client, kept)).toBe(0)
    })

    it("is released when the client resets the stream before the end", async () => {
      const kept = new KeptBytes()
      let fault: unknown
      const client = await connected(async (incoming) => (fault = await readBody({ request: incoming }).catch((error: unknown) => error)), {
        kept,
      })
      for (const [streamId, fields] of [
        [1, { "content-length": "1000" }],
        [3, {}],
      ] as const) {
        fault = undefined
        client.ask(streamId, { ":method": "POST", ...fields }, frameFlag.endHeaders)
        client.data(streamId, Buffer.alloc(500))
        expect(await keptAfter(client, kept)).toBeGreaterThan(500)
        client.send({ type: frameType.reset, streamId }, Buffer.from([0, 0, 0, errorCode.cancel]))
        expect(await keptAfter(client, kept)).toBe(0)
        expect(fault).toMatchObject({ code: 400, message: expect.stringContaining("before the whole request body arrived") })
      }
    })

    it("is also charged for a head that arrives in pieces", async ({ skip }) => {
      if (http2 === "node") skip("node does not say what nghttp2 has of a head")
      const kept = new KeptBytes()
      const client = await connected(ok, { kept })
      const block = encodeTrailers({ ...plain, "x-long": "v".repeat(20_000) })
      client.send({ type: frameType.headers, flags: frameFlag.endStream, streamId: 1 }, block.subarray(0, 10_000))
      // Only more of the head may follow, so the test reads the account instead of sending a PING.
      while (kept.bytes.strangers < 10_000) await new Promise((resolve) => setImmediate(resolve))
      client.send({ type: frameType.continuation, flags: frameFlag.endHeaders, streamId: 1 }, block.subarray(10_000))
      await client.until(isEnd(1))
      expect(await keptAfter(client, kept)).toBe(0)
    })
  })
})
