import { describe, expect, it } from "vitest"
import { timeLimits } from "../http/time-limits.ts"
import { writeProgressBytes } from "../base/limits.ts"
import { frameOf, numbersFrame, settingsFrame } from "./frame-output.ts"
import { encodeTrailers } from "./header-encoder.ts"
import { errorCode, frameBytesMax, frameType, settingId } from "./protocol.ts"
import {
  connectedBy,
  goAwayCode,
  http2Names,
  isEnd,
  isOf,
  isPong,
  ok,
  ping,
  plain,
  type RawClient,
  resetCode,
  silent,
} from "../../test/support/raw-http2-client.ts"

describe.each(http2Names)("HTTP/2 by %s:", (http2) => {
  const connected = connectedBy(http2)

  const begin = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settingsFrame([])])

  describe("a client that does not go on", () => {
    // Node does not report how much of an unfinished frame was taken.
    const progressBytes = writeProgressBytes + (http2 === "node" ? 3 * frameBytesMax : 0)
    // Node does not report whether a window or the system holds up an answer.
    const waitMs = http2 === "node" ? timeLimits.socketStallTimeoutMs : timeLimits.writeStallTimeoutMs

    /** A client whose answer of this many bytes waits for its window. */
    async function waiting(bytes: number): Promise<RawClient> {
      const client = await connected((_incoming, outgoing) => outgoing.end(Buffer.alloc(bytes)), { begins: false })
      client.begin([[settingId.initialWindowSize, 0]])
      client.ask(1)
      await client.until(isOf(frameType.headers, 1))
      return client
    }

    async function grant(client: RawClient, streamId: number, bytes: number): Promise<void> {
      const before = client.body(1).length
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId }, [bytes]))
      await client.until(() => client.body(1).length === before + bytes)
    }

    it.each([10, 1_000_000])("with an answer of %d bytes: the server resets the answer", async (bytes) => {
      const client = await waiting(bytes)
      client.connection?.check(0)
      client.connection?.check(waitMs - 1)
      ping(client)
      await client.until(isPong)
      expect(client.frames.some(isOf(frameType.reset, 1))).toBe(false)
      client.connection?.check(waitMs)
      expect(await resetCode(client, 1)).toBe(errorCode.cancel)
    })

    it("with an answer that may wait: the answer stays", async () => {
      const client = await connected(
        (_incoming, outgoing) => {
          outgoing.mayWait = true
          outgoing.end(Buffer.alloc(1000))
        },
        { begins: false },
      )
      client.begin([[settingId.initialWindowSize, 0]])
      client.ask(1)
      await client.until(isOf(frameType.headers, 1))
      for (let round = 0; round < 10; round++) client.connection?.check(round * waitMs)
      await grant(client, 1, 1000)
      await client.until(isEnd(1))
    })

    it("fast enough: the server resets the answer too", async () => {
      const client = await waiting(1_000_000)
      for (let nowMs = 0; nowMs < waitMs; nowMs += 1000) {
        client.connection?.check(nowMs)
        await grant(client, 1, 1)
      }
      client.connection?.check(waitMs)
      expect(await resetCode(client, 1)).toBe(errorCode.cancel)
    })

    it("for a while, and then does, gets its answer", async () => {
      const client = await waiting(10 * progressBytes)
      for (let round = 0; round < 10; round++) {
        if (round === 0) client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [10 * progressBytes]))
        client.connection?.check(round * waitMs)
        client.connection?.check((round + 1) * waitMs - 1)
        await grant(client, 1, progressBytes)
      }
      await client.until(isEnd(1))
    })

    it("with one answer keeps the others, which share the window of the connection", async () => {
      const client = await connected((_incoming, outgoing) => outgoing.end(Buffer.alloc(200_000)), { begins: false })
      client.begin([[settingId.initialWindowSize, 1_000_000]])
      for (const streamId of [1, 3, 5]) client.ask(streamId)
      const received = (): number => [1, 3, 5].reduce((sum, id) => sum + client.body(id).length, 0)
      await client.until(() => received() === 65_535)
      // Too few bytes for each answer, and enough for all of them.
      for (let nowMs = 0; nowMs <= 2 * waitMs; nowMs += waitMs / 2) {
        client.connection?.check(nowMs)
        const before = received()
        client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [progressBytes]))
        await client.until(() => received() === before + progressBytes)
      }
      expect(client.frames.some(({ type }) => type === frameType.reset)).toBe(false)
      client.connection?.check(3 * waitMs)
      client.connection?.check(4 * waitMs)
      for (const streamId of [1, 3, 5])
        if (!client.frames.some(isEnd(streamId))) expect(await resetCode(client, streamId)).toBe(errorCode.cancel)
    })

    it("with its socket: the server cuts the connection", async () => {
      const client = await connected((_incoming, outgoing) => outgoing.end(Buffer.alloc(20_000_000)), { begins: false })
      client.begin([[settingId.initialWindowSize, 2 ** 31 - 1]])
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [2 ** 30]))
      client.socket.pause()
      client.ask(1)
      const { connection } = client
      let before = -1
      // Until the sockets of both ends are full.
      while (before < 10_000 || connection?.socket.bytesWritten !== before) {
        before = connection?.socket.bytesWritten ?? 0
        for (let turns = 0; turns < 1000; turns++) await new Promise((resolve) => setImmediate(resolve))
      }
      connection?.check(0)
      connection?.check(timeLimits.socketStallTimeoutMs - 1)
      expect(connection?.destroyed).toBe(false)
      connection?.check(timeLimits.socketStallTimeoutMs)
      // Node's implementation resets the answer first.
      connection?.check(timeLimits.socketStallTimeoutMs + 1)
      expect(connection?.destroyed).toBe(true)
    })

    const half = frameOf({ type: frameType.ping, flags: 0, streamId: 0 }, Buffer.alloc(8)).subarray(0, 12)
    const head = frameOf({ type: frameType.headers, flags: 0, streamId: 1 }, encodeTrailers(plain))
    it.for([
      ["its preface", Buffer.from("PRI * HTTP"), Buffer.from("/2")],
      ["its settings", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.alloc(1)],
      ["a frame", Buffer.concat([begin, half]), Buffer.alloc(1)],
      ["a head", Buffer.concat([begin, head]), frameOf({ type: frameType.continuation, flags: 0, streamId: 1 }, Buffer.alloc(0))],
    ] as const)("with %s is cut off, even if single bytes arrive", async ([what, first, drip], { skip }) => {
      if (http2 === "node" && (what === "a frame" || what === "a head")) skip("node does not say what nghttp2 has of a frame or a head")
      const client = await connected(silent, { begins: false })
      client.socket.write(first)
      const limitMs = timeLimits.requestHeaderTimeoutMs
      const read = async (bytes: number): Promise<void> => {
        while ((client.connection?.socket.bytesRead ?? 0) < bytes) await new Promise((resolve) => setImmediate(resolve))
      }
      await read(first.length)
      client.connection?.check(0)
      client.socket.write(drip)
      await read(first.length + drip.length)
      client.connection?.check(limitMs - 1)
      expect(client.connection?.destroyed).toBe(false)
      client.connection?.check(limitMs)
      expect(await goAwayCode(client)).toBe(errorCode.enhanceYourCalm)
      await client.closed()
    })

    it("sending frame after frame is not cut off, although one is always incomplete", async () => {
      const client = await connected(silent)
      client.ask(1)
      for (let round = 0; round < 5; round++) {
        client.socket.write(frameOf({ type: frameType.ping, flags: 0, streamId: 0 }, Buffer.alloc(8, round)).subarray(round === 0 ? 0 : 12))
        client.socket.write(half)
        await client.until((frame) => isPong(frame) && frame.payload[7] === round)
        client.connection?.check(round * timeLimits.requestHeaderTimeoutMs)
      }
      expect(client.connection?.destroyed).toBe(false)
    })

    it("with requests for long enough gets GOAWAY", async () => {
      const client = await connected(ok)
      const limitMs = timeLimits.idleConnectionTimeoutMs
      client.connection?.check(0)
      client.ask(1)
      await client.until(isEnd(1))
      client.connection?.check(limitMs)
      client.connection?.check(2 * limitMs - 1)
      expect(client.connection?.destroyed).toBe(false)
      client.connection?.check(2 * limitMs)
      expect(await goAwayCode(client)).toBe(errorCode.noError)
      await client.closed()
    })

    it("gets no GOAWAY while a stream is open", async () => {
      const client = await connected(silent)
      client.ask(1)
      ping(client)
      await client.until(isPong)
      for (let round = 0; round < 10; round++) client.connection?.check(round * timeLimits.idleConnectionTimeoutMs)
      expect(client.connection?.destroyed).toBe(false)
    })
  })
})
