import { once } from "node:events"
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2"
import { type AddressInfo, createServer } from "node:net"
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { KeptBytes } from "../http/kept-bytes.ts"
import { type Http2Name, http2Implementations } from "../http/http2-implementation.ts"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import { writableOf } from "../http/exchange-streams.ts"
import { readBody } from "../wire/read-body.ts"

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

type Answering = (incoming: Incoming, outgoing: Outgoing) => unknown

interface Answer {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly trailers: IncomingHttpHeaders
}

async function answerTo(request: ClientHttp2Stream): Promise<Answer> {
  let headers: IncomingHttpHeaders = {}
  let trailers: IncomingHttpHeaders = {}
  request.on("response", (received) => (headers = received))
  request.on("trailers", (received) => (trailers = received))
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return { headers, body, trailers }
}

describe.each<Http2Name>(["own", "node"])("a request over HTTP/2 (%s)", (http2) => {
  /** A connection to a server that answers with `answering`. */
  async function connected(answering: Answering): Promise<ClientHttp2Session> {
    const server = createServer((socket) => {
      http2Implementations[http2].open({
        socket,
        streamsMax: 100,
        kept: new KeptBytes(),
        onRequest: (incoming, outgoing) => void answering(incoming, outgoing),
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // A TCP server has one.
    closers.push(
      () => session.destroy(),
      () => server.close(),
    )
    return session
  }

  async function ask(answering: Answering, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
    const request = (await connected(answering)).request({ ":path": "/", ...headers }, { endStream: body === undefined })
    if (body !== undefined) request.end(body)
    return answerTo(request)
  }

  it("passes a request on, and answers with a head and a body", async () => {
    const { headers, body } = await ask(
      (incoming, outgoing) => {
        outgoing.setHeader("x-method", incoming.method ?? "")
        outgoing.setHeader("x-url", incoming.url ?? "")
        outgoing.setHeader("x-client", incoming.socket.remoteAddress ?? "")
        expect([incoming.complete, outgoing.headersSent, outgoing.writableEnded]).toEqual([true, false, false])
        outgoing.writeHead(201, { "x-more": ["a", "b"] })
        outgoing.write(Buffer.from("first,"))
        outgoing.end(Buffer.from("last"))
        expect([outgoing.headersSent, outgoing.writableEnded, outgoing.statusCode]).toEqual([true, true, 201])
      },
      { ":method": "OPTIONS", ":path": "/a?b" },
    )
    expect(headers).toMatchObject({ ":status": 201, "x-method": "OPTIONS", "x-url": "/a?b", "x-client": "127.0.0.1", "x-more": "a, b" })
    expect(headers.date).toBeDefined()
    expect(body).toBe("first,last")
  })

  it.each(["HEAD", "GET"])("answers %s without a body if the answer has none", async (method) => {
    const { headers, body } = await ask(
      (_incoming, outgoing) => {
        outgoing.statusCode = method === "HEAD" ? 200 : 204
        outgoing.setHeader("x-here", "yes")
        outgoing.write(Buffer.from("dropped"))
        outgoing.end(Buffer.from("dropped"))
        outgoing.end()
      },
      { ":method": method },
    )
    expect([headers["x-here"], body]).toEqual(["yes", ""])
  })

  it("sends trailers", async () => {
    const { body, trailers } = await ask((_incoming, outgoing) => {
      outgoing.writeHead(200)
      outgoing.write(Buffer.from("body"))
      outgoing.addTrailers({ "x-sum": "4" })
      outgoing.end()
    })
    expect([body, trailers["x-sum"]]).toEqual(["body", "4"])
  })

  it("sends nothing to a client that has gone, and emits close", async () => {
    let gone: () => void = () => undefined
    const wasGone = new Promise<void>((resolve) => (gone = resolve))
    const session = await connected((_incoming, outgoing) => {
      outgoing.on("close", () => {
        expect(outgoing.destroyed).toBe(true)
        outgoing.writeHead(200)
        outgoing.end(Buffer.from("late"))
        expect(outgoing.headersSent).toBe(false)
        gone()
      })
      request.close(constants.NGHTTP2_CANCEL)
    })
    const request = session.request({ ":path": "/" })
    await wasGone
  })

  it("breaks an answer off so that the client sees it is incomplete", async () => {
    const broken = ask((_incoming, outgoing) => {
      outgoing.write(Buffer.from("half"))
      outgoing.destroy()
    })
    await expect(broken).rejects.toThrow(/NGHTTP2_INTERNAL_ERROR/)
  })

  it.each([0, 5, 100_000, 1_000_000])("reads a body of %d bytes, in pieces or at once", async (length) => {
    const sent = "x".repeat(length)
    const sizeOf: Answering = async (incoming, outgoing) => {
      const size = (await readBody({ request: incoming })).length
      expect(incoming.complete).toBe(true)
      outgoing.end(Buffer.from(String(size)))
    }
    const announced = { ":method": "POST", "content-length": String(length) }
    expect((await ask(sizeOf, announced, sent)).body).toBe(String(length))
    expect((await ask(sizeOf, { ":method": "POST" }, sent)).body).toBe(String(length))
    const slow = (await connected(sizeOf)).request(announced)
    slow.write(sent.slice(0, length / 2))
    await new Promise((resolve) => setImmediate(resolve))
    slow.end(sent.slice(length / 2))
    expect((await answerTo(slow)).body).toBe(String(length))
  })

  it("refuses a body that breaks off, and one that exceeds its time", async () => {
    let refused: (error: unknown) => void = () => undefined
    const refusal = new Promise<unknown>((resolve) => (refused = resolve))
    const session = await connected((incoming) => {
      readBody({ request: incoming }).catch(refused)
      request.close(constants.NGHTTP2_CANCEL)
    })
    const request = session.request({ ":path": "/", ":method": "POST", "content-length": "5" })
    request.write("ab")
    expect(await refusal).toMatchObject({ code: 400 })
    const controller = new AbortController()
    const late = await connected(async (incoming, outgoing) => {
      const reading = readBody({ request: incoming, signal: controller.signal }).catch((error: unknown) => String(error))
      controller.abort()
      outgoing.end(Buffer.from(String(await reading)))
      incoming.discardBody(outgoing)
    })
    const { body } = await answerTo(late.request({ ":path": "/", ":method": "POST", "content-length": "5" }))
    expect(body).toContain("ended before its body was read")
  })

  it("passes bodies on as streams that do not end the answer", async () => {
    const { body } = await ask(
      (incoming, outgoing) => {
        const passed = incoming.asStream()
        passed.once("data", (chunk: Buffer) => {
          passed.destroy()
          writableOf(outgoing).end(chunk, () => outgoing.end())
        })
      },
      { ":method": "POST" },
      "body",
    )
    expect(body).toBe("body")
  })

  it("carries bodies of any length both ways, on many streams at once, from buffers that are reused", async () => {
    const piece = fc.nat(40_000)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 8 }), { minLength: 1, maxLength: 12 }), async (plans) => {
        const session = await connected(async (incoming, outgoing) => {
          const body = await readBody({ request: incoming })
          const buffer = Buffer.alloc(20_000)
          const send = (from: number): void => {
            const length = body.copy(buffer, 0, from)
            if (length === 0) outgoing.end()
            else outgoing.write(buffer.subarray(0, length), () => send(from + length))
          }
          send(0)
        })
        const answers = plans.map(async (lengths, index) => {
          const pieces = lengths.map((length, at) => Buffer.alloc(length, `${index}.${at} `))
          const request = session.request({ ":path": "/", ":method": "POST" })
          for (const bytes of pieces) request.write(bytes)
          request.end()
          const received: Buffer[] = []
          for await (const chunk of request) received.push(chunk)
          expect(Buffer.concat(received).equals(Buffer.concat(pieces))).toBe(true)
        })
        await Promise.all(answers)
        session.destroy()
      }),
      { numRuns: 40 },
    )
  })
})
