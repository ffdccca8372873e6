import fc from "fast-check"
import { once } from "node:events"
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type SecureClientSessionOptions } from "node:http2"
import { type AddressInfo, createServer } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { KeptBytes } from "../http/kept-bytes.ts"
import { openOwnHttp2, type OwnHttp2Options } from "../http/own-http2.ts"
import { HeaderDecoder } from "./header-decoder.ts"
import { type AnswerHeaders, emptyTable, encodeHead, encodeTrailers, needsEmptyTable } from "./header-encoder.ts"

type Pair = [name: string, value: string]

function read(decoder: HeaderDecoder, block: Buffer): Pair[] {
  const fields: Pair[] = []
  decoder.decode(block, ({ name, value }) => fields.push([name, value]))
  return fields
}

/** Several values are several fields. */
function pairs(headers: AnswerHeaders): Pair[] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one): Pair => [name, one]))
}

function headersOf(list: readonly { name: string; value: string | string[] }[]): AnswerHeaders {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]))
}

/** The characters that RFC 9110 section 5.5 allows in a value. */
const characters = [9, ...Array.from({ length: 95 }, (_, index) => 32 + index), ...Array.from({ length: 128 }, (_, index) => 128 + index)]
const text = fc.string({ unit: fc.constantFrom(...characters.map((code) => String.fromCharCode(code))), maxLength: 50 })
const length = fc.constantFrom(126, 127, 128, 254, 255, 256, 257, 383, 384, 16_383, 16_384, 20_000, 70_000)
const one = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "application/json", "no-cache, private", "1") },
  { weight: 4, arbitrary: text },
  length.map((count) => "v".repeat(count)),
)
const value = fc.oneof({ weight: 4, arbitrary: one }, fc.array(one, { maxLength: 4 }))
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("content-type", "cache-control", "www-authenticate", "date", "x-a", "audit-id") },
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,40}$/) },
  fc.constantFrom("__proto__", "constructor", "n".repeat(126), "n".repeat(127), "n".repeat(128), "n".repeat(300), "n".repeat(20_000)),
)
const headers = fc.uniqueArray(fc.record({ name, value }), { selector: (each) => each.name, maxLength: 8 }).map(headersOf)

describe("a block", () => {
  it("decodes to the given fields, block by block, on any connection", () => {
    const connections = [new HeaderDecoder(), new HeaderDecoder()]
    const answers = fc.array(fc.record({ status: fc.integer({ min: 100, max: 599 }), headers, at: fc.nat(1) }), { maxLength: 10 })
    fc.assert(
      fc.property(answers, (list) => {
        for (const { status, headers, at } of list) {
          const decoder = connections[at] ?? new HeaderDecoder()
          expect(read(decoder, encodeHead(status, headers))).toEqual([[":status", String(status)], ...pairs(headers)])
          expect(read(decoder, encodeTrailers(headers))).toEqual(pairs(headers))
        }
      }),
    )
  })

  it("does not depend on earlier blocks", () => {
    const headers = { "x-lean": "1", "content-type": "application/json" }
    for (let time = 0; time < 3; time++)
      expect(read(new HeaderDecoder(), encodeHead(201, headers))).toEqual([[":status", "201"], ...pairs(headers)])
  })

  it.each([100, 200, 201, 204, 206, 302, 304, 400, 404, 409, 422, 429, 431, 500, 503, 504, 599])("encodes the status %d", (status) => {
    expect(read(new HeaderDecoder(), encodeHead(status, {}))).toEqual([[":status", String(status)]])
  })

  it.each([200, 204, 206, 304, 400, 404, 500])("encodes the status %d in one byte", (status) => {
    expect(encodeHead(status, {})).toHaveLength(1)
  })

  it("is empty without fields", () => {
    expect(encodeTrailers({})).toHaveLength(0)
    expect(encodeTrailers({ "x-none": [] })).toHaveLength(0)
  })

  it("has each value of a name, in order, duplicates included", () => {
    const headers = { "set-cookie": ["a=1", "b=2", "b=2", "a=1"], warning: ["299 - one"] }
    expect(read(new HeaderDecoder(), encodeTrailers(headers))).toEqual(pairs(headers))
    expect(read(new HeaderDecoder(), encodeTrailers(headers))).toEqual(pairs(headers))
  })

  it.each<[string, AnswerHeaders]>([
    ["a long name", { ["n".repeat(40_000)]: "a" }],
    ["a long value", { "x-a": "v".repeat(40_000) }],
    ["a long value behind others", { "x-a": "a", "x-b": "b", "x-c": "v".repeat(40_000), "x-d": "d" }],
    ["a short value 400 times", { "x-a": Array.from({ length: 400 }, () => "v".repeat(200)) }],
    ["many values", { "x-a": Array.from({ length: 5000 }, (_, index) => String(index)) }],
    ["many names", Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`x-${index}`, "a"]))],
  ])("encodes %s on the first call", async (_what, headers) => {
    vi.resetModules()
    const fresh = await import("./header-encoder.ts")
    expect(read(new HeaderDecoder(), fresh.encodeHead(200, headers)).slice(1)).toEqual(pairs(headers))
    expect(read(new HeaderDecoder(), fresh.encodeTrailers(headers))).toEqual(pairs(headers))
  })

  it("uses the numbers of the static table, and adds nothing to the dynamic table", () => {
    expect(encodeTrailers({ "content-type": "a" })).toEqual(Buffer.of(0x0f, 31 - 15, 1, 0x61))
    expect(encodeTrailers({ age: "a" })).toEqual(Buffer.of(0x0f, 21 - 15, 1, 0x61))
    expect(encodeTrailers({ b: "a" })).toEqual(Buffer.of(0, 1, 0x62, 1, 0x61))
  })
})

describe("the cache of names", () => {
  it("is correct for more names than it holds, in several rounds, with values that change and return", () => {
    for (let round = 0; round < 3; round++)
      for (let index = 0; index < 1000; index++) {
        const headers = { [`x-${index % 300}`]: String(index % 7), "x-round": String(round % 2) }
        expect(read(new HeaderDecoder(), encodeTrailers(headers))).toEqual(pairs(headers))
      }
  })

  it("is correct for more names in one block than it holds", () => {
    const headers = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`x-many-${index}`, [`${index}`, `${index}`, "last"]]))
    for (let time = 0; time < 2; time++) expect(read(new HeaderDecoder(), encodeHead(200, headers)).slice(1)).toEqual(pairs(headers))
  })

  it("keeps the last short value, and no long one", () => {
    for (const value of ["a", "b".repeat(257), "a", "c".repeat(20_000), "b".repeat(257), "b".repeat(256), "a", ""])
      expect(read(new HeaderDecoder(), encodeTrailers({ "x-length": value }))).toEqual([["x-length", value]])
  })

  it("does not change with the caller's list of values", () => {
    const values = ["a", "b"]
    encodeTrailers({ "x-list": values })
    values[1] = "c"
    expect(read(new HeaderDecoder(), encodeTrailers({ "x-list": values }))).toEqual([
      ["x-list", "a"],
      ["x-list", "c"],
    ])
  })
})

describe("a smaller table, as the other end asks for", () => {
  it.each([
    [0, true],
    [4095, true],
    [4096, false],
    [65_536, false],
  ])("of %d bytes has to be emptied: %s", (size, isGivenUp) => {
    expect(needsEmptyTable(size)).toBe(isGivenUp)
  })

  it("is emptied by a prefix that contains no field", () => {
    const decoder = new HeaderDecoder()
    const kept = Buffer.of(0x40, 1, 0x61, 1, 0x31)
    expect(read(decoder, kept)).toEqual(read(decoder, Buffer.of(0xbe)))
    expect(read(decoder, Buffer.concat([emptyTable, encodeHead(404, {})]))).toEqual([[":status", "404"]])
    expect(() => read(decoder, Buffer.of(0xbe))).toThrow("no header field 62")
  })
})

describe("node's client", () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  interface Answer {
    readonly status: number
    readonly headers: AnswerHeaders
    readonly trailers: Record<string, string>
  }

  /** Requests answers one after the other on one connection. */
  async function asking(options?: SecureClientSessionOptions): Promise<(answer: Answer) => ReturnType<typeof received>> {
    let due: Answer = { status: 200, headers: {}, trailers: {} }
    const server = createServer((socket) => {
      const onRequest: OwnHttp2Options["onRequest"] = (_incoming, outgoing) => {
        outgoing.addTrailers(due.trailers)
        outgoing.writeHead(due.status, due.headers)
        outgoing.end()
      }
      openOwnHttp2({ socket, streamsMax: 100, kept: new KeptBytes(), onRequest })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, options) // A TCP server has one.
    closers.push(
      () => session.destroy(),
      () => server.close(),
    )
    return (answer) => {
      due = answer
      return received(session)
    }
  }

  async function received(session: ClientHttp2Session): Promise<{ headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders }> {
    const request = session.request({ ":path": "/" })
    let headers: IncomingHttpHeaders = {}
    let trailers: IncomingHttpHeaders = {}
    request.on("response", (received) => (headers = received))
    request.on("trailers", (received) => (trailers = received))
    for await (const _chunk of request);
    return { headers, trailers }
  }

  const trimmed = text.map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ""))
  // Excludes fields that node's client joins in its own ways, and stays within the bytes that it accepts.
  const ownName = fc.oneof(fc.constantFrom("x-a", "x-b", "audit-id", "accept"), fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_`|~-]{1,30}$/))
  const ownValue = fc.oneof(
    trimmed,
    fc.constantFrom(127, 256, 257, 5000).map((count) => "v".repeat(count)),
  )
  const field = fc.record({ name: ownName, values: fc.array(ownValue, { minLength: 1, maxLength: 3 }) })
  const fields = fc.uniqueArray(field, { selector: (each) => each.name, maxLength: 4 })
  const status = fc.oneof(fc.constantFrom(200, 204, 206, 304, 400, 404, 500), fc.integer({ min: 200, max: 599 }))

  it("reads heads and trailers as they were sent", async () => {
    const ask = await asking()
    await fc.assert(
      fc.asyncProperty(status, fields, fields, async (status, list, last) => {
        const headers = headersOf(list.map(({ name, values }) => ({ name, value: values })))
        const trailers = Object.fromEntries(last.map(({ name, values }) => [name, values[0] ?? ""]))
        const got = await ask({ status, headers, trailers })
        const joined = Object.fromEntries(list.map(({ name, values }) => [name, values.join(", ")]))
        // Node adds a symbol.
        expect(Object.entries(got.headers)).toHaveLength(2 + list.length)
        expect(got.headers).toMatchObject({ ":status": status, date: expect.any(String), ...joined })
        // The head of an answer without a body is its last frame.
        expect(Object.entries(got.trailers)).toEqual(status === 204 || status === 304 ? [] : Object.entries(trailers))
      }),
    )
  })

  it("reads a head that is longer than a frame", async () => {
    const ask = await asking()
    const headers = { "x-long": "v".repeat(40_000), "x-last": "here" }
    expect((await ask({ status: 431, headers, trailers: {} })).headers).toMatchObject({ ":status": 431, ...headers })
  })

  it("reads answers if it asks for no table", async () => {
    const ask = await asking({ settings: { headerTableSize: 0 } })
    for (const at of ["first", "second"])
      expect((await ask({ status: 201, headers: { "x-at": at }, trailers: {} })).headers).toMatchObject({ ":status": 201, "x-at": at })
  })
})

it.each(["\n", "a\r\nb", "\0", "\u010a\u0100"])("replaces characters that no field may have: %j", (value) => {
  const block = encodeTrailers({ [`x-forbidden-${value.length}`]: value, "x-next": "next" })
  const [first, next] = read(new HeaderDecoder(), Buffer.from(block))
  expect(first?.[1]).toMatch(/^[\x20-\x7e]+$/)
  expect(next).toEqual(["x-next", "next"])
})
