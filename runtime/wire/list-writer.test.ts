import { createServer, get, type IncomingMessage } from "node:http"
import { connect } from "node:http2"
import { type AddressInfo, createServer as createNetServer, type Server } from "node:net"
import { gunzipSync } from "node:zlib"
import { afterEach, describe, expect, it } from "vitest"
import type { Outgoing } from "../http/exchange.ts"
import { http1Classes } from "../http/http1-exchange.ts"
import { KeptBytes } from "../http/kept-bytes.ts"
import { openOwnHttp2 } from "../http/own-http2.ts"
import { TimedTrace } from "../base/trace.ts"
import { Turns } from "../base/turns.ts"
import type { Piece } from "./list-pieces.ts"
import { type PiecesAnswer, writePieces } from "./list-writer.ts"

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

function listen(server: Server): Promise<number> {
  closers.push(() => server.close())
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

type Answering = (outgoing: Outgoing) => Promise<void>

function http1(answering: Answering): Promise<number> {
  return listen(createServer(http1Classes, (_request, response) => void answering(response).catch(() => undefined)))
}

function answer(port: number, headers: Record<string, string> = {}): Promise<{ response: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", headers }, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => resolve({ response, body: Buffer.concat(chunks) }))
      response.on("error", reject)
    }).on("error", reject)
  })
}

function* numbered(count: number, length: number): Generator<Buffer> {
  for (let index = 0; index < count; index++) yield Buffer.from(String(index % 10).repeat(length))
}
const bytesOf = (pieces: Iterable<Uint8Array>) => Buffer.concat([...pieces])

describe("writePieces", () => {
  const write =
    (more: Omit<PiecesAnswer, "outgoing" | "contentType">): Answering =>
    (outgoing) =>
      writePieces({ outgoing, contentType: "application/json", ...more })

  it("sends what fits one buffer with its length", async () => {
    const { response, body } = await answer(await http1(write({ pieces: numbered(3, 5), warnings: ["a"] })))
    expect(body.toString()).toBe("000001111122222")
    expect(response.headers).toMatchObject({ "content-length": "15", "content-type": "application/json", warning: '299 - "a"' })
    expect((await answer(await http1(write({ pieces: [] })))).response.headers["content-length"]).toBe("0")
    const most = await answer(await http1(write({ pieces: numbered(100, 1000) })))
    expect(most.body.equals(bytesOf(numbered(100, 1000)))).toBe(true)
    expect(most.response.headers).toMatchObject({ "content-length": "100000", "content-type": "application/json" })
  })

  it("writes cut pieces with what precedes them, whether they fit the buffer or not", async () => {
    const expected = `,{${"y".repeat(70)}`.repeat(50)
    const piece = { before: Buffer.from(",{"), bytes: Buffer.from(`xx${"y".repeat(70)}xx`), start: 2, end: 72 }
    for (const writeBytes of [40, 73, 100, 100_000]) {
      const { body } = await answer(await http1(write({ pieces: Array(50).fill(piece), writeBytes })))
      expect(body.toString()).toBe(expected)
    }
  })

  it("tells what its writes took, however many they are, from the rest", async () => {
    // The clock moves with each reading: at the begin and the end of the answer and of each write.
    for (const { count, writes, serialize } of [
      { count: 10, writes: 1, serialize: 2 },
      { count: 5000, writes: 50, serialize: 101 },
    ]) {
      let readings = 0
      const trace = new TimedTrace({ elapsedMs: () => readings++ })
      const port = await http1(async (outgoing) => {
        trace.answering()
        await writePieces({ outgoing, contentType: "text/plain", pieces: numbered(count, 10), writeBytes: 1000, trace })
        trace.written()
      })
      expect((await answer(port)).body.length).toBe(count * 10)
      expect(trace.until(readings)).toEqual([
        ["response-write", writes],
        ["serialize-response-object", serialize],
      ])
    }
  })

  it("copies bytes that may change after a yield", async () => {
    const bytes = Buffer.alloc(100)
    function* changing(): Generator<Piece> {
      for (let index = 0; index < 5000; index++)
        yield { before: Buffer.from(","), bytes: bytes.fill(48 + (index % 10)), start: 20, end: 80 }
    }
    const ended = deferred<void>()
    const port = await http1((outgoing) => {
      const overwrite = (): void => {
        bytes.fill(88)
        if (!outgoing.writableFinished) setImmediate(overwrite)
      }
      setImmediate(overwrite)
      return writePieces({ outgoing, contentType: "text/plain", pieces: changing(), writeBytes: 1000 }).then(ended.resolve)
    })
    const { body } = await answer(port)
    await ended.promise
    expect(body.toString()).toBe(Array.from({ length: 5000 }, (_, index) => `,${String(index % 10).repeat(60)}`).join(""))
  })

  it("streams the rest, pieces of any size, in order", async () => {
    for (const [count, length] of [
      [2000, 1000],
      [3, 700_000],
      [500_000, 3],
    ] as const) {
      const { response, body } = await answer(await http1(write({ pieces: numbered(count, length) })))
      expect(response.headers["transfer-encoding"]).toBe("chunked")
      expect(body.equals(bytesOf(numbered(count, length)))).toBe(true)
    }
  })

  it("compresses above the threshold, on request", async () => {
    for (const [count, encoding] of [
      [100, undefined],
      [130 * 1024, "gzip"],
      [1_000_000, "gzip"],
    ] as const) {
      const { response, body } = await answer(await http1(write({ pieces: numbered(count, 1), gzip: true })))
      expect(response.headers["content-encoding"]).toBe(encoding)
      expect((encoding === undefined ? body : gunzipSync(body)).equals(bytesOf(numbered(count, 1)))).toBe(true)
    }
  })

  it("waits for a client that does not read, and stops when the client disconnects", async () => {
    let taken = 0
    let returned = false
    function* endless(): Generator<Buffer> {
      try {
        for (;;) {
          taken++
          yield Buffer.alloc(100_000, 65)
        }
      } finally {
        returned = true
      }
    }
    const ended = deferred<void>()
    const port = await http1((outgoing) => writePieces({ outgoing, contentType: "text/plain", pieces: endless() }).then(ended.resolve))
    const request = get({ port, host: "127.0.0.1" }, (response) => {
      response.pause()
      response.once("readable", () => response.destroy())
    })
    request.on("error", () => undefined)
    await ended.promise
    expect(returned).toBe(true)
    // Socket buffers on both sides hold some megabytes.
    expect(taken).toBeLessThan(1000)
  })

  it("throws what the first pieces throw, and destroys the response later", async () => {
    function* failing(after: number): Generator<Buffer> {
      yield* numbered(after, 100_000)
      throw new Error("lost")
    }
    const early = deferred<unknown>()
    const port = await http1(async (outgoing) => {
      await writePieces({ outgoing, contentType: "text/plain", pieces: failing(1) }).catch(early.resolve)
      outgoing.end(Buffer.from("told"))
    })
    expect((await answer(port)).body.toString()).toBe("told")
    expect(await early.promise).toMatchObject({ message: "lost" })
    await expect(answer(await http1(write({ pieces: failing(50) })))).rejects.toThrow()
  })

  it("ends when its signal aborts", async () => {
    const controller = new AbortController()
    function* pieces(): Generator<Buffer> {
      yield* numbered(5, 100_000)
      controller.abort()
      yield* numbered(50, 100_000)
    }
    await expect(answer(await http1(write({ pieces: pieces(), signal: controller.signal })))).rejects.toThrow()
  })

  it("waits for the next turn wherever pieces ask for it, keeps what it has gathered, and sends the same bytes", async () => {
    const turns = new Turns()
    function* slow(count: number): Generator<Buffer | Turns> {
      for (const piece of numbered(count, 100)) {
        yield piece
        yield turns
      }
    }
    for (const [count, more] of [
      [0, {}],
      [10, {}],
      [3000, { writeBytes: 10_000 }],
      [3000, { writeBytes: 10_000, gzip: true }],
    ] as const) {
      let others = 0
      let counting = true
      setImmediate(function count() {
        others++
        if (counting) setImmediate(count)
      })
      const { body, response } = await answer(await http1(write({ pieces: slow(count), ...more })))
      counting = false
      expect(others).toBeGreaterThanOrEqual(count)
      const plain = response.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body
      expect(plain.equals(bytesOf(numbered(count, 100)))).toBe(true)
      // Before the first write the length is unknown; a response that fits one write still carries it.
      expect(response.headers["content-length"] !== undefined).toBe(count < 100)
    }
  })

  it("produces nothing more when the client disconnects or the deadline passes while it waits for a turn", async () => {
    for (const beforeFirst of [true, false]) {
      let made = 0
      let returned = 0
      const gone = new AbortController()
      function* endless(): Generator<Buffer | Turns> {
        const turns = new Turns()
        try {
          if (!beforeFirst) yield* numbered(3, 5000)
          for (;;) {
            if (++made === 20) gone.abort()
            yield turns
          }
        } finally {
          returned++
        }
      }
      const ended = deferred<void>()
      const port = await http1(async (outgoing) => {
        await writePieces({ outgoing, contentType: "text/plain", pieces: endless(), writeBytes: 10_000, signal: gone.signal })
        outgoing.destroy()
        ended.resolve()
      })
      await expect(answer(port)).rejects.toThrow()
      await ended.promise
      expect([returned, made]).toEqual([1, 20])
    }
  })

  it("serves fifty large lists concurrently on one HTTP/2 connection", async () => {
    const streams = 50
    const pieces = 2000
    const pieceBytes = 1500
    const onRequest = (_incoming: unknown, outgoing: Outgoing): void =>
      void writePieces({ outgoing, contentType: "application/json", pieces: numbered(pieces, pieceBytes) })
    const server = createNetServer((socket) => void openOwnHttp2({ socket, streamsMax: streams, kept: new KeptBytes(), onRequest }))
    const session = connect(`http://127.0.0.1:${await listen(server)}`)
    closers.push(() => session.destroy())
    const sizes = await Promise.all(
      Array.from(
        { length: streams },
        () =>
          new Promise<number>((resolve, reject) => {
            const stream = session.request({ ":path": "/" })
            let size = 0
            stream.on("data", (chunk: Buffer) => {
              size += chunk.length
            })
            stream.on("end", () => resolve(size))
            stream.on("error", reject)
          }),
      ),
    )
    expect(sizes).toEqual(Array(streams).fill(pieces * pieceBytes))
  }, 60_000)
})
