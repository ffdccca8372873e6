/** Clients whose requests cost more than they are worth, and clients that do not speak HTTP/2. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { http2CheapFramesBurst, http2ContinuationsMax, http2OwedFramesMax, http2ResetsBurst } from "./limits.ts"
import { frameOf, numbersFrame } from "./frame-output.ts"
import { encodeTrailers } from "./header-encoder.ts"
import { errorCode, frameFlag, frameType, settingId } from "./protocol.ts"
import { connectedBy, goAwayCode, http2Names, isPong, ok, ping, plain, silent } from "../../test/support/raw-http2-client.ts"

describe.each(http2Names)("HTTP/2 by %s:", (http2) => {
  const connected = connectedBy(http2)
  /** Codes for the end of a connection. Some releases of node do not report the code of nghttp2. */
  const codesOf = (code: number): readonly number[] => (http2 === "node" ? [code, errorCode.internalError] : [code])

  describe("a client is cut off", () => {
    /** Frames that node neither bounds nor reports. */
    const unseen = new Set<string>([
      ...["priorities", "unknown frames", "bodies of one byte a frame", "bodies of streams that are closed"],
      ...["heads of streams that are closed", "windows of one byte"],
    ])

    it("that resets streams all the time (CVE-2023-44487, CVE-2023-39325)", async () => {
      const client = await connected(silent)
      for (let index = 0; index <= http2ResetsBurst + 100; index++) {
        client.ask(2 * index + 1)
        client.send({ type: frameType.reset, streamId: 2 * index + 1 }, Buffer.from([0, 0, 0, errorCode.cancel]))
      }
      expect(codesOf(errorCode.enhanceYourCalm)).toContain(await goAwayCode(client))
      // Node leaves the connection open, but nghttp2 reads nothing more of it.
      if (http2 === "own") await client.closed()
    })

    it("that makes the server reset streams all the time (CVE-2025-8671)", async () => {
      const client = await connected(silent)
      for (let index = 0; index <= http2ResetsBurst + 100; index++) client.ask(2 * index + 1, { ":path": "" })
      expect(codesOf(errorCode.enhanceYourCalm)).toContain(await goAwayCode(client))
      await client.closed()
    })

    it.for([
      ["pings", { type: frameType.ping }, Buffer.alloc(8)],
      ["settings", { type: frameType.settings }, Buffer.alloc(0)],
      ["priorities", { type: frameType.priority, streamId: 1 }, Buffer.alloc(5)],
      ["bodies without bytes", { type: frameType.data, streamId: 1 }, Buffer.alloc(0)],
      ["unknown frames", { type: 99 }, Buffer.alloc(0)],
      ["bodies of one byte a frame", { type: frameType.data, streamId: 1 }, Buffer.alloc(1)],
      ["bodies of streams that are closed", { type: frameType.data, streamId: 3 }, Buffer.alloc(1)],
      [
        "heads of streams that are closed",
        { type: frameType.headers, streamId: 3, flags: frameFlag.endHeaders },
        Buffer.from(encodeTrailers({ a: "b" })),
      ],
      ["windows of one byte", { type: frameType.windowUpdate }, Buffer.from([0, 0, 0, 1])],
      ["GOAWAY", { type: frameType.goAway }, Buffer.alloc(8)],
    ] as const)("that sends %s all the time", async ([what, head, payload], { skip }) => {
      if (http2 === "node" && unseen.has(what)) skip("node passes over such frames without a word")
      const client = await connected(silent)
      client.ask(1, { ":method": "POST" }, frameFlag.endHeaders)
      // The server resets this stream because of the client's fault.
      client.ask(3, { ":path": "" })
      const frames = Buffer.concat(Array(http2CheapFramesBurst / 10).fill(frameOf({ flags: 0, streamId: 0, ...head }, payload)))
      // Sent in batches, each answered and read: refusing the frames is the expensive part.
      for (let batch = 0; batch < 30 && !client.isClosed; batch++) {
        client.socket.write(frames)
        await new Promise((resolve) => setImmediate(resolve))
      }
      // Node does not wait for the client to read the reason.
      if (http2 === "own") expect(await goAwayCode(client)).toBe(errorCode.enhanceYourCalm)
      await client.closed()
    })

    it("that never ends a head (CVE-2023-45288)", async () => {
      const client = await connected(silent)
      client.send({ type: frameType.headers, flags: 0, streamId: 1 }, encodeTrailers(plain))
      for (let index = 0; index <= http2ContinuationsMax; index++) client.send({ type: frameType.continuation, streamId: 1 })
      expect(codesOf(errorCode.enhanceYourCalm)).toContain(await goAwayCode(client))
      await client.closed()
    })

    it("that does not read its answers", async () => {
      let left = true
      const client = await connected(
        (_incoming, outgoing) => {
          outgoing.once("close", () => {
            left = false
          })
          outgoing.end(Buffer.alloc(64 * 1024 * 1024))
        },
        { begins: false },
      )
      client.begin([[settingId.initialWindowSize, 2 ** 31 - 1]])
      client.socket.write(numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId: 0 }, [2 ** 30]))
      client.socket.pause()
      client.ask(1)
      for (let index = 0; index <= 4 * http2OwedFramesMax && left; index++) {
        ping(client)
        if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      while (left) await new Promise((resolve) => setImmediate(resolve))
    })

    it.each([
      ["bytes that are not HTTP/2", Buffer.from("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"), errorCode.protocolError],
      [
        "a preface without settings",
        Buffer.concat([
          Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
          frameOf({ type: frameType.ping, flags: 0, streamId: 0 }, Buffer.alloc(8)),
        ]),
        errorCode.protocolError,
      ],
    ])("that begins with %s", async (_what, bytes, code) => {
      const client = await connected(silent, { begins: false })
      client.socket.write(bytes)
      expect(codesOf(code)).toContain(await goAwayCode(client))
      await client.closed()
    })

    it("with a reason after random frames, and nothing else happens", async () => {
      const frame = fc.record({ type: fc.nat(10), flags: fc.nat(255), streamId: fc.nat(5), payload: fc.uint8Array({ maxLength: 40 }) })
      await fc.assert(
        fc.asyncProperty(fc.array(frame, { maxLength: 20 }), async (frames) => {
          const client = await connected(ok)
          for (const { payload, ...head } of frames) client.send(head, payload)
          client.send({ type: frameType.ping }, Buffer.from("the last"))
          const last = await client.until(
            (heard) => heard.type === frameType.goAway || (isPong(heard) && heard.payload.toString() === "the last"),
          )
          // Node closes a connection that nghttp2 has given up only at a timeout.
          if (last.type === frameType.goAway && http2 === "own") await client.closed()
          client.close()
        }),
        { numRuns: 200 },
      )
    })
  })
})
