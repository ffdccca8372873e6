import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { requestHeaderBytesMax } from "../base/limits.ts"
import { http2WindowBytes } from "./limits.ts"
import { readBody } from "../wire/read-body.ts"
import { frameOf, numbersFrame } from "./frame-output.ts"
import { encodeTrailers } from "./header-encoder.ts"
import { errorCode, frameBytesMax, frameFlag, frameType, settingId } from "./protocol.ts"
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
  /** Codes for the end of a connection. Some releases of node do not report the code of nghttp2. */
  const codesOf = (code: number): readonly number[] => (http2 === "node" ? [code, errorCode.internalError] : [code])

  /** Expects a reset of the stream with this code. Some releases of node end the connection instead. */
  async function expectReset(client: RawClient, streamId: number, code: number): Promise<void> {
    if (http2 === "own") return expect(await resetCode(client, streamId)).toBe(code)
    const { type, payload } = await client.until((frame) => isOf(frameType.reset, streamId)(frame) || isOf(frameType.goAway)(frame))
    expect(codesOf(code)).toContain(payload.readUInt32BE(type === frameType.goAway ? 4 : 0))
  }

  it("a test that waits in vain says what for, and what has come", async () => {
    const client = await connected(silent, { patience: 50 })
    client.ask(1)
    const heard = /; it has heard settings of stream 0 \(flags 0, \d+ bytes\)/
    await expect(client.until(isEnd(1))).rejects.toThrow(
      /^nothing has come for 50 ms, while the client waits for the last frame of stream 1/,
    )
    await expect(client.until(({ type }) => type === 99)).rejects.toThrow("waits for ({ type }) => type === 99;")
    await expect(client.closed()).rejects.toThrow("waits for the end of the connection;")
    await expect(client.until(isOf(frameType.goAway))).rejects.toThrow(heard)
    client.socket.destroy()
    await client.closed()
    await expect(client.until(isPong)).rejects.toThrow(/^the connection ended without the reply to a PING; it has heard/)
  })

  describe("windows", () => {
    it("bound what is sent of a body, and let more through as they grow", async () => {
      const text = Buffer.from("0123456789".repeat(20))
      const client = await connected((_incoming, outgoing) => outgoing.end(text), { begins: false })
      client.begin([[settingId.initialWindowSize, 15]])
      client.ask(1)
      ping(client)
      await client.until(isPong)
      expect(client.body(1).toString()).toBe("012345678901234")
      client.send({ type: frameType.windowUpdate, streamId: 1 }, Buffer.from([0, 0, 0, 5]))
      await client.until(() => client.body(1).length === 20)
      // A larger window for all streams, including waiting ones.
      client.send({ type: frameType.settings }, Buffer.from([0, settingId.initialWindowSize, 0, 0, 1, 0]))
      await client.until(isEnd(1))
      expect(client.body(1).equals(text)).toBe(true)
    })

    it("of the connection hold up all streams, and let them continue in turns", async () => {
      const bytes = Buffer.alloc(100_000, "x")
      const client = await connected((_incoming, outgoing) => outgoing.end(bytes), { begins: false })
      client.begin([[settingId.initialWindowSize, 1_000_000]])
      for (const streamId of [1, 3, 5]) client.ask(streamId)
      await client.until(() => [1, 3, 5].reduce((sum, id) => sum + client.body(id).length, 0) === 65_535)
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [300_000]))
      for (const streamId of [1, 3, 5]) {
        await client.until(isEnd(streamId))
        expect(client.body(streamId).length).toBe(bytes.length)
      }
    })

    it("that become too large end the stream or the connection", async () => {
      const client = await connected(silent)
      client.ask(1)
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 1 }, [2 ** 31 - 1]))
      await expectReset(client, 1, errorCode.flowControlError)
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [2 ** 31 - 1]))
      expect(codesOf(errorCode.flowControlError)).toContain(await goAwayCode(client))
      await client.closed()
    })

    it("bound the unread bytes of a client", async () => {
      const client = await connected(silent)
      // Newer releases of nghttp2 enforce the default window until the client has acknowledged the settings.
      client.send({ type: frameType.settings, flags: frameFlag.ack })
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      for (let sent = 0; sent < http2WindowBytes; sent += frameBytesMax) client.data(1, Buffer.alloc(frameBytesMax))
      ping(client)
      await client.until(isPong)
      expect(client.frames.filter(isOf(frameType.windowUpdate, 1))).toEqual([])
      client.data(1, Buffer.alloc(1))
      await expectReset(client, 1, errorCode.flowControlError)
    })

    it("grow as a body is read, padding included", async () => {
      const length = 3 * http2WindowBytes
      const announced = { ":method": "POST", "content-length": String(length) }
      const client = await connected(async (incoming, outgoing) => {
        outgoing.end(Buffer.from(String((await readBody({ request: incoming })).length)))
      })
      for (const fields of [announced, { ":method": "POST" }]) {
        const streamId = fields === announced ? 1 : 3
        client.ask(streamId, fields, frameFlag.endHeaders)
        const granted = (): number =>
          client.frames
            .filter(isOf(frameType.windowUpdate, streamId))
            .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), http2WindowBytes)
        const padded = Buffer.alloc(1 + 256 + 250)
        padded[0] = 250
        for (let sent = 0, used = 0; sent < length; sent += 256, used += padded.length) {
          await client.until(() => granted() - used >= padded.length)
          const flags = frameFlag.padded | (sent + 256 === length ? frameFlag.endStream : 0)
          client.send({ type: frameType.data, flags, streamId }, padded)
        }
        await client.until(isEnd(streamId))
        expect(client.body(streamId).toString()).toBe(String(length))
      }
    })
  })

  describe("answers", () => {
    it("do not depend on the pieces in which requests arrive", async () => {
      const bytes = Buffer.concat(
        [1, 3, 5].map((streamId) => frameOf({ type: frameType.headers, flags: 5, streamId }, encodeTrailers(plain))),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 5 }), async (cuts) => {
          const client = await connected(ok)
          client.socket.setNoDelay(true)
          for (const [index, from] of [0, ...cuts.sort((left, right) => left - right)].entries()) {
            client.socket.write(bytes.subarray(from, cuts[index] ?? bytes.length))
            await new Promise((resolve) => setImmediate(resolve))
          }
          for (const streamId of [1, 3, 5]) {
            await client.until(isEnd(streamId))
            expect(client.body(streamId).toString()).toBe("ok")
          }
        }),
        { numRuns: 30 },
      )
    })

    it("emit drain after a refused write, even if more was written since", async () => {
      const drained: boolean[] = []
      const client = await connected((_incoming, outgoing) => {
        expect(outgoing.write(Buffer.alloc(100_000))).toBe(false)
        outgoing.once("drain", () => {
          drained.push(outgoing.writableLength === 0)
          outgoing.end()
        })
        // Once the window is used up, few enough bytes are left for another write.
        client
          .until(() => client.body(1).length === 65_535)
          .then(() => {
            expect(outgoing.write(Buffer.from("more"))).toBe(true)
            client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [100_000]))
            client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 1 }, [100_000]))
          })
      })
      client.ask(1)
      await client.until(isEnd(1))
      expect([drained, client.body(1).length]).toEqual([[true], 100_004])
    })

    it("with more fields than a frame holds continue in other frames", async () => {
      const value = "v".repeat(40_000)
      const client = await connected((_incoming, outgoing) => {
        outgoing.setHeader("x-long", value)
        outgoing.end()
      })
      client.ask(1)
      await client.until((frame) => frame.streamId === 1 && (frame.flags & frameFlag.endHeaders) !== 0)
      const blocks = client.frames.filter(({ streamId }) => streamId === 1)
      expect(blocks.map(({ type }) => type)).toEqual([frameType.headers, frameType.continuation, frameType.continuation])
      const [first] = blocks
      expect(first?.flags).toBe(frameFlag.endStream)
      const whole = { type: 0, flags: 0, streamId: 1, payload: Buffer.concat(blocks.map(({ payload }) => payload)) }
      expect(client.fields(whole)["x-long"]).toBe(value)
    })

    it("begin with an empty table if the client wants a smaller one", async () => {
      const client = await connected(ok, { begins: false })
      client.begin([[settingId.headerTableSize, 0]])
      client.ask(1)
      client.ask(3)
      const [first, second] = [await client.until(isOf(frameType.headers, 1)), await client.until(isOf(frameType.headers, 3))]
      expect([first.payload[0], second.payload[0]]).toEqual([0x20, 0x88])
    })

    it("wait in their streams for a client that does not read, and are dropped with its connection", async () => {
      const piece = Buffer.alloc(1024 * 1024, "x")
      let written = 0
      let gone: () => void = () => undefined
      const wasGone = new Promise<void>((resolve) => (gone = resolve))
      const client = await connected(
        (_incoming, outgoing) => {
          const more = (error?: Error | null): void => {
            if (error) return gone()
            written += piece.length
            outgoing.write(piece, more)
          }
          more()
        },
        { begins: false },
      )
      client.begin([[settingId.initialWindowSize, 2 ** 31 - 1]])
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [2 ** 30]))
      client.socket.pause()
      client.ask(1)
      let before = -1
      // Until the sockets of both ends are full.
      while (written === 0 || written !== before) {
        before = written
        for (let turns = 0; turns < 1000; turns++) await new Promise((resolve) => setImmediate(resolve))
      }
      expect(written).toBeLessThan(64 * piece.length)
      client.socket.destroy()
      await wasGone
    })
  })

  describe("requests", () => {
    it("beyond the limit of streams are refused, and may be sent again", async () => {
      const client = await connected(silent, { streamsMax: 2 })
      for (const streamId of [1, 3, 5]) client.ask(streamId)
      expect(await resetCode(client, 5)).toBe(errorCode.refusedStream)
      client.send({ type: frameType.reset, streamId: 1 }, Buffer.from([0, 0, 0, errorCode.cancel]))
      client.ask(7)
      ping(client)
      await client.until(isPong)
      expect(client.frames.some(isOf(frameType.reset, 7))).toBe(false)
    })

    it("may have a limit far above the default", async () => {
      const client = await connected(ok, { streamsMax: 1_000_000 })
      const { payload } = await client.until(isOf(frameType.windowUpdate))
      expect(payload.readUInt32BE(0)).toBe(2 ** 31 - 1 - 65_535)
      client.ask(1)
      await client.until(isEnd(1))
    })

    it("with a head that is too large get 431", async ({ skip }) => {
      if (http2 === "node") skip("nghttp2 resets the stream before node knows of the request")
      const client = await connected((_incoming, outgoing, isTooLarge) => {
        outgoing.statusCode = isTooLarge ? 431 : 200
        outgoing.end()
      })
      const block = encodeTrailers({ ...plain, "x-long": "v".repeat(requestHeaderBytesMax - 220) })
      for (let at = 0; at < block.length; at += frameBytesMax) {
        const isLast = at + frameBytesMax >= block.length
        const flags = (at === 0 ? frameFlag.endStream : 0) | (isLast ? frameFlag.endHeaders : 0)
        client.send(
          { type: at === 0 ? frameType.headers : frameType.continuation, flags, streamId: 1 },
          block.subarray(at, at + frameBytesMax),
        )
      }
      expect(client.fields(await client.until(isEnd(1)))[":status"]).toBe("200")
      client.ask(3, Object.fromEntries(Array.from({ length: 700 }, (_none, index) => [`x-${index}`, ""])))
      expect(client.fields(await client.until(isEnd(3)))[":status"]).toBe("200")
      const many = encodeTrailers({ ...plain, ...Object.fromEntries(Array.from({ length: 2500 }, (_none, index) => [`x${index}`, ""])) })
      client.send({ type: frameType.headers, flags: frameFlag.endStream, streamId: 5 }, many.subarray(0, frameBytesMax))
      client.send({ type: frameType.continuation, flags: frameFlag.endHeaders, streamId: 5 }, many.subarray(frameBytesMax))
      expect(client.fields(await client.until(isEnd(5)))[":status"]).toBe("431")
    })

    it("whose body is discarded are answered, and the rest of the body is stopped", async () => {
      const client = await connected((incoming, outgoing) => {
        incoming.discardBody(outgoing)
        outgoing.end(Buffer.from("no"))
      })
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      client.data(1, Buffer.alloc(1000))
      expect(await resetCode(client, 1)).toBe(errorCode.noError)
      // Bytes that were already on their way are no fault.
      client.data(1, Buffer.alloc(1000), true)
      client.ask(3)
      await client.until(isEnd(3))
      expect(client.body(1).toString()).toBe("no")
    })

    it("may have trailers, which are ignored", async () => {
      const client = await connected(async (incoming, outgoing) => outgoing.end(await readBody({ request: incoming })))
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      client.data(1, Buffer.from("body"))
      client.send(
        { type: frameType.headers, flags: frameFlag.endHeaders | frameFlag.endStream, streamId: 1 },
        encodeTrailers({ "x-sum": "4" }),
      )
      await client.until(isEnd(1))
      expect(client.body(1).toString()).toBe("body")
    })

    it("with pseudo fields among the trailers are reset", async () => {
      const client = await connected(silent)
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      client.send(
        { type: frameType.headers, flags: frameFlag.endHeaders | frameFlag.endStream, streamId: 1 },
        encodeTrailers({ ":path": "/other" }),
      )
      expect(await resetCode(client, 1)).toBe(errorCode.protocolError)
    })

    it.for([
      ["too short", Buffer.alloc(4), errorCode.frameSizeError],
      ["of itself", Buffer.from([0, 0, 0, 5, 0]), errorCode.protocolError],
    ] as const)("do not follow a priority that is %s: the connection ends", async ([what, payload, code], { skip }) => {
      if (http2 === "node" && what === "too short") skip("nghttp2 ends the connection for any stream's")
      if (http2 === "node" && !process.versions.node.startsWith("20.")) skip("nghttp2 reads no priorities from Node 22 on")
      const client = await connected(ok)
      client.ask(1)
      await client.until(isEnd(1))
      // For a closed stream it has no effect.
      client.send({ type: frameType.priority, streamId: 1 }, payload)
      ping(client)
      await client.until(isPong)
      client.send({ type: frameType.priority, streamId: 5 }, payload)
      expect(await goAwayCode(client)).toBe(code)
    })

    it.each([
      ["longer than announced", "3", ["abcd"]],
      ["shorter than announced", "5", ["ab", "cd"]],
      ["announced as no number", "four", ["abcd"]],
    ])("with a body %s are reset", async (_what, length, pieces) => {
      const client = await connected(silent)
      client.ask(1, { ":method": "POST", "content-length": length }, frameFlag.endHeaders)
      for (const [index, piece] of pieces.entries()) client.data(1, Buffer.from(piece), index === pieces.length - 1)
      await expectReset(client, 1, errorCode.protocolError)
      if (client.frames.some(isOf(frameType.goAway))) return
      ping(client)
      await client.until(isPong)
    })

    it("that expect 100-continue get it when their body is read", async () => {
      const client = await connected(async (incoming, outgoing) => {
        incoming.once("resume", () => outgoing.writeContinue())
        outgoing.end(await readBody({ request: incoming }))
      })
      client.ask(1, { ":method": "POST", "content-length": "4", expect: "100-continue" }, frameFlag.endHeaders)
      expect(client.fields(await client.until(isOf(frameType.headers, 1)))[":status"]).toBe("100")
      client.data(1, Buffer.from("body"), true)
      await client.until(isEnd(1))
      expect(client.body(1).toString()).toBe("body")
    })
  })

  describe("closing", () => {
    it("cuts a client that does not close its end", async () => {
      const client = await connected(silent, { times: { lingerMs: 20 } })
      client.socket.pause()
      client.socket.unref()
      const { connection } = client
      const cut = new Promise((resolve) => connection?.socket.once("close", resolve))
      connection?.close()
      await cut
    })

    it("lets streams finish, names the last of them, and answers no others", async () => {
      let answer: () => void = () => undefined
      const client = await connected((_incoming, outgoing) => {
        answer = () => outgoing.end(Buffer.from("late"))
      })
      client.ask(1)
      ping(client)
      await client.until(isPong)
      client.connection?.close()
      const { payload } = await client.until(isOf(frameType.goAway))
      expect([payload.readUInt32BE(0), payload.readUInt32BE(4)]).toEqual([1, errorCode.noError])
      const answerFirst = answer
      client.ask(3)
      client.data(3, Buffer.from("ignored"), true)
      client.send({ type: frameType.ping }, Buffer.from("after it"))
      await client.until((frame) => isPong(frame) && frame.payload.toString() === "after it")
      answerFirst()
      await client.closed()
      expect(client.body(1).toString()).toBe("late")
      expect(client.frames.some(({ streamId }) => streamId === 3)).toBe(false)
    })

    it("sends pings, and reports those that can get no answer", async () => {
      const client = await connected(silent)
      const { connection } = client
      const answered = new Promise<Error | null>((resolve) => connection?.ping(resolve))
      await client.until(isOf(frameType.ping))
      ping(client, frameFlag.ack)
      expect(await answered).toBeNull()
      const unanswered = new Promise<Error | null>((resolve) => connection?.ping(resolve))
      client.socket.destroy()
      expect(await unanswered).toBeInstanceOf(Error)
      expect(connection?.ping(() => undefined)).toBe(false)
    })
  })
})
