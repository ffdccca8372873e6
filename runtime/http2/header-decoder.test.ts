import fc from "fast-check"
import { once } from "node:events"
import { connect, type IncomingHttpHeaders, sensitiveHeaders } from "node:http2"
import { type AddressInfo, createServer } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { KeptBytes } from "../http/kept-bytes.ts"
import { openOwnHttp2, type OwnHttp2Options } from "../http/own-http2.ts"
import { HeaderDecoder } from "./header-decoder.ts"
import { ConnectionFault } from "./protocol.ts"

interface Outcome {
  /** The decoded fields, including fields before a fault. */
  readonly fields: readonly string[]
  readonly isFault: boolean
}

/** Any other error is a fault of the decoder, and fails the test. */
function read(decoder: HeaderDecoder, block: Buffer): Outcome {
  const fields: string[] = []
  try {
    decoder.decode(block, ({ name, value }) => fields.push(`${name}: ${value}`))
  } catch (error) {
    if (!(error instanceof ConnectionFault)) throw error
    // COMPRESSION_ERROR, RFC 9113 section 7.
    expect(error.code).toBe(9)
    return { fields, isFault: true }
  }
  return { fields, isFault: false }
}

function sound(...fields: string[]): Outcome {
  return { fields, isFault: false }
}

function hex(text: string): Buffer {
  return Buffer.from(text.replace(/\s/g, ""), "hex")
}

/** RFC 7541 appendix A, copied independently of the table in the code. */
const staticTable = `
:authority: |:method: GET|:method: POST|:path: /|:path: /index.html|:scheme: http|:scheme: https|:status: 200|:status: 204|:status: 206|:status: 304|
:status: 400|:status: 404|:status: 500|accept-charset: |accept-encoding: gzip, deflate|accept-language: |accept-ranges: |accept: |
access-control-allow-origin: |age: |allow: |authorization: |cache-control: |content-disposition: |content-encoding: |content-language: |
content-length: |content-location: |content-range: |content-type: |cookie: |date: |etag: |expect: |expires: |from: |host: |if-match: |
if-modified-since: |if-none-match: |if-range: |if-unmodified-since: |last-modified: |link: |location: |max-forwards: |proxy-authenticate: |
proxy-authorization: |range: |referer: |refresh: |retry-after: |server: |set-cookie: |strict-transport-security: |transfer-encoding: |
user-agent: |vary: |via: |www-authenticate: `
  .replaceAll("\n", "")
  .split("|")

describe("the examples of RFC 7541 appendix C", () => {
  it.each([
    ["C.2.1", "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", "custom-key: custom-header"],
    ["C.2.2", "040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path"],
    ["C.2.3", "1008 7061 7373 776f 7264 0673 6563 7265 74", "password: secret"],
    ["C.2.4", "82", ":method: GET"],
  ])("%s is one field, and is kept only if it asks for that", (name, block, field) => {
    const decoder = new HeaderDecoder()
    expect(read(decoder, hex(block))).toEqual(sound(field))
    expect(read(decoder, hex("be"))).toEqual(name === "C.2.1" ? sound(field) : { fields: [], isFault: true })
  })

  const authority = ":authority: www.example.com"
  const requests = [
    [":method: GET", ":scheme: http", ":path: /", authority],
    [":method: GET", ":scheme: http", ":path: /", authority, "cache-control: no-cache"],
    [":method: GET", ":scheme: https", ":path: /index.html", authority, "custom-key: custom-value"],
  ]
  const cacheControl = "cache-control: private"
  const date = "date: Mon, 21 Oct 2013 20:13:21 GMT"
  const laterDate = "date: Mon, 21 Oct 2013 20:13:22 GMT"
  const location = "location: https://www.example.com"
  const cookie = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
  const answers = [
    [":status: 302", cacheControl, date, location],
    [":status: 307", cacheControl, date, location],
    [":status: 200", cacheControl, laterDate, location, "content-encoding: gzip", cookie],
  ]
  const keptAnswers = [cookie, "content-encoding: gzip", laterDate]
  const keptRequests = ["custom-key: custom-value", "cache-control: no-cache", authority]
  const plainRequests = `8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d |8286 84be 5808 6e6f 2d63 6163 6865
    |8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65`
  const shortRequests = `8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff |8286 84be 5886 a8eb 1064 9cbf
    |8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf`
  // They begin with the table size of the examples, 256 bytes.
  const plainAnswers = `3fe1 01 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768
    7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d |4803 3330 37c1 c0bf
    |88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48
    514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31`
  const shortAnswers = `3fe1 01 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b
    97c8 e9ae 82ae 43d3 |4883 640e ffc1 c0bf
    |88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af
    2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`

  it.each([
    ["C.3", requests, keptRequests, plainRequests],
    ["C.4, with the Huffman code", requests, keptRequests, shortRequests],
    ["C.5, where the oldest entries are evicted", answers, keptAnswers, plainAnswers],
    ["C.6, the same with the Huffman code", answers, keptAnswers, shortAnswers],
  ])("%s: each block depends on those before it", (_section, fields, kept, blocks) => {
    const decoder = new HeaderDecoder()
    for (const [index, block] of blocks.split("|").entries()) expect(read(decoder, hex(block))).toEqual(sound(...(fields[index] ?? [])))
    const indexes = kept.map((_entry, index) => 0xbe + index)
    expect(read(decoder, Buffer.from(indexes))).toEqual(sound(...kept))
    expect(read(decoder, Buffer.of(0xbe + kept.length))).toEqual({ fields: [], isFault: true })
  })

  it("C.1.1: numbers that fit one byte", () => {
    expect(read(new HeaderDecoder(), hex("00 0a 6162636465666768696a 00"))).toEqual(sound("abcdefghij: "))
    expect(read(new HeaderDecoder(), hex("2a 82"))).toEqual(sound(":method: GET"))
  })

  it("C.1.2: the table size 1337, to the byte", () => {
    const fits = Buffer.concat([hex("3f9a0a 40 01 61"), Buffer.from(text("v".repeat(1337 - 33), false)), hex("be")])
    expect(read(new HeaderDecoder(), fits).isFault).toBe(false)
    const larger = Buffer.concat([hex("3f9a0a 40 01 61"), Buffer.from(text("v".repeat(1337 - 32), false)), hex("be")])
    expect(read(new HeaderDecoder(), larger).isFault).toBe(true)
  })

  it.each([0, 1, 42, 126, 127, 128, 254, 255, 256, 16_510, 16_511, 100_000])("C.1: a string of %d bytes", (length) => {
    const value = "v".repeat(length)
    expect(read(new HeaderDecoder(), Buffer.from([0, 1, 0x61, ...text(value, false)]))).toEqual(sound(`a: ${value}`))
  })
})

it("the static table is that of appendix A", () => {
  const all = Buffer.from(staticTable.map((_field, index) => 0x81 + index))
  expect(read(new HeaderDecoder(), all)).toEqual(sound(...staticTable))
  expect(staticTable).toHaveLength(61)
})

describe("a malformed block", () => {
  it.each([
    ["field 0", "80"],
    ["a field beyond the table", "be"],
    ["a field far beyond the table", "ff80 8001"],
    ["a name beyond the table, to be kept", "7e 0161"],
    ["a name beyond the table, not to be kept", "0f2f 0161"],
    ["a name beyond the table, never to be kept", "1f2f 0161"],
    ["the end within a number", "ff"],
    ["the end within the second byte of a number", "ff80"],
    ["the end within the size of the table", "3f"],
    ["the end before a name", "40"],
    ["the end within a name", "00 02 61"],
    ["the end before a value", "00 01 61"],
    ["the end within a value", "00 01 61 05 61626364"],
    ["the end within a Huffman-coded value", "00 01 61 82 1f"],
    ["a field number that is too large", "ffff ffff ff7f"],
    ["a field number of too many bytes", "ff80 8080 8000"],
    ["a length that is too large", "00 7fff ffff ffff 7f"],
    ["a length of 2^32 + 1, which is not 1", "00 7f82 ffff ff0f 61"],
    ["a size that is too large", "3fff ffff ff7f"],
    ["a size above 4096", "3fe2 1f"],
    ["a size behind a field", "82 20"],
    ["a size behind a field that is kept", "40 0161 0162 3fe1 1f"],
    ["a size behind a field that is not kept", "00 0161 0162 20"],
  ])("is a fault: %s", (_what, block) => {
    expect(read(new HeaderDecoder(), hex(block)).isFault).toBe(true)
  })

  it.each([
    ["nothing but padding", "81ff"],
    ["11 bits of padding", "821fff"],
    ["8 bits of padding", "82f8ff"],
    ["padding of zeros", "8118"],
    ["padding of ones and a zero", "811e"],
    ["the end of strings", "84ffffffff"],
    ["the end of strings and more behind it", "85fffffffc7f"],
    ["half a code", "82ffe0"],
  ])("is a fault: %s in a Huffman-coded string", (_what, string) => {
    expect(read(new HeaderDecoder(), hex(`00 ${string} 00`))).toEqual({ fields: [], isFault: true })
    expect(read(new HeaderDecoder(), hex(`00 0161 ${string}`))).toEqual({ fields: [], isFault: true })
  })

  it("yields the fields before the fault", () => {
    expect(read(new HeaderDecoder(), hex("82 00 0161 0162 80"))).toEqual({ fields: [":method: GET", "a: b"], isFault: true })
  })
})

describe("the table", () => {
  it("may change its size at the beginning of a block, any number of times, to at most 4096 bytes", () => {
    const decoder = new HeaderDecoder()
    expect(read(decoder, hex("3fe11f 20 3fe11f 82"))).toEqual(sound(":method: GET"))
    expect(read(decoder, hex("20"))).toEqual(sound())
    expect(read(decoder, hex("3fe21f")).isFault).toBe(true)
  })

  it("drops what no longer fits when it becomes smaller, for good", () => {
    const decoder = new HeaderDecoder()
    // 34 bytes each.
    read(decoder, hex("40 0161 0131 40 0162 0132 40 0163 0133"))
    expect(read(decoder, hex("be bf c0"))).toEqual(sound("c: 3", "b: 2", "a: 1"))
    expect(read(decoder, hex("3f25 be bf"))).toEqual(sound("c: 3", "b: 2"))
    expect(read(decoder, hex("3fe11f be bf c0"))).toEqual({ fields: ["c: 3", "b: 2"], isFault: true })
  })

  it("is emptied by a field that is larger than the table, and the field is still decoded", () => {
    const decoder = new HeaderDecoder()
    read(decoder, hex("40 0161 0131"))
    const value = "v".repeat(4096 - 32)
    expect(read(decoder, Buffer.from([0x40, 1, 0x62, ...text(value, false)]))).toEqual(sound(`b: ${value}`))
    expect(read(decoder, hex("be")).isFault).toBe(true)
  })

  it("has room for a field as large as itself", () => {
    const decoder = new HeaderDecoder()
    const value = "v".repeat(4096 - 33)
    expect(read(decoder, Buffer.from([0x40, 1, 0x62, ...text(value, false), 0xbe]))).toEqual(sound(`b: ${value}`, `b: ${value}`))
  })

  it("provides the name of an entry for the field that evicts it", () => {
    const decoder = new HeaderDecoder()
    read(decoder, hex("3f05 40 0161 0131"))
    expect(read(decoder, hex("7e 0132 be"))).toEqual(sound("a: 2", "a: 2"))
    expect(read(decoder, hex("bf")).isFault).toBe(true)
  })

  it.each([
    [128, "40 00 00"],
    [124, "40 01 61 00"],
  ])("keeps as many entries as fit, %d of the smallest, even after it was full", (fit, entry) => {
    const decoder = new HeaderDecoder()
    const indexOf = (age: number): number[] => integer(0x80, 7, 61 + age)
    const field = read(new HeaderDecoder(), hex(entry)).fields[0] ?? ""
    for (let added = 1; added <= 3 * fit; added++) {
      read(decoder, hex(entry))
      const kept = Math.min(added, fit)
      expect(read(decoder, Buffer.from([...indexOf(1), ...indexOf(kept)]))).toEqual(sound(field, field))
      expect(read(decoder, Buffer.from(indexOf(kept + 1)))).toEqual({ fields: [], isFault: true })
    }
  })
})

/** RFC 7541 section 5.1. */
function integer(first: number, prefixBits: number, value: number): number[] {
  const prefixMax = 2 ** prefixBits - 1
  if (value < prefixMax) return [first + value]
  const bytes = [first + prefixMax]
  let rest = value - prefixMax
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

function text(value: string, isHuffman: boolean): number[] {
  const bytes = isHuffman ? huffman(value) : [...Buffer.from(value, "latin1")]
  return [...integer(isHuffman ? 0x80 : 0, 7, bytes.length), ...bytes]
}

/**
 * Codes of one length, counting up from the first: the ASCII part of RFC 7541 appendix B. Node's client covers the rest
 * below.
 */
const huffmanGroups: readonly (readonly [bits: number, first: number, characters: string])[] = [
  [5, 0x0, "012aceiost"],
  [6, 0x14, " %-./3456789=A_bdfghlmnpru"],
  [7, 0x5c, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"],
  [8, 0xf8, "&*,;XZ"],
  [10, 0x3f8, '!"()?'],
  [11, 0x7fa, "'+|"],
  [12, 0xffa, "#>"],
  [13, 0x1ff8, "\0$@[]~"],
  [14, 0x3ffc, "^}"],
  [15, 0x7ffc, "<`{"],
  [19, 0x7fff0, "\\"],
  [23, 0x7fffd8, "\x01"],
  [24, 0xffffea, "\t"],
  [28, 0xfffffe2, "\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"],
  [30, 0x3ffffffc, "\n\r\x16"],
]
const huffmanCodes = new Map(
  huffmanGroups.flatMap(([bits, first, characters]) =>
    [...characters].map((character, index) => [character, (first + index).toString(2).padStart(bits, "0")] as const),
  ),
)

function huffman(value: string): number[] {
  const bits = [...value].map((character) => huffmanCodes.get(character) ?? "?").join("")
  return (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, "1"), 2))
}

it("decodes the Huffman code of each ASCII character at each bit of a byte", () => {
  const characters = [...huffmanCodes.keys()]
  expect(characters).toHaveLength(128)
  for (const character of characters)
    for (let before = 0; before < 8; before++) {
      const value = "0".repeat(before) + character
      expect(read(new HeaderDecoder(), Buffer.from([0, 1, 0x61, ...text(value, true)]))).toEqual(sound(`a: ${value}`))
      expect(read(new HeaderDecoder(), Buffer.from([0, ...text(value, true), 0]))).toEqual(sound(`${value}: `))
    }
})

it("decodes a short Huffman-coded string after a long one", () => {
  const decoder = new HeaderDecoder()
  for (const value of ["0{".repeat(50_000), "a", "1~".repeat(8000), ""])
    expect(read(decoder, Buffer.from([0, 1, 0x61, ...text(value, true)]))).toEqual(sound(`a: ${value}`))
})

interface Step {
  readonly name: string
  readonly value: string
  readonly form: "indexed" | "adding" | "plain" | "never"
  /** The entry of the same name to refer to. `none`: the name is written out. */
  readonly named: "first" | "last" | "none"
  readonly isNameHuffman: boolean
  readonly isValueHuffman: boolean
}

/** Encodes blocks in all ways of RFC 7541 section 6. It is simple rather than fast. */
class ReferenceEncoder {
  /** Newest first. */
  private entries: { name: string; value: string }[] = []
  private bytesMax = 4096

  resize(bytesMax: number): number[] {
    this.bytesMax = bytesMax
    this.evict()
    return integer(0x20, 5, bytesMax)
  }

  put({ name, value, form, named, isNameHuffman, isValueHuffman }: Step): number[] {
    const all = [...staticTable.map((field) => parted(field)), ...this.entries]
    const whole = all.findIndex((entry) => entry.name === name && entry.value === value)
    if (form === "indexed" && whole >= 0) return integer(0x80, 7, whole + 1)
    const isSameName = (entry: { name: string }): boolean => entry.name === name
    const index = named === "none" ? -1 : named === "first" ? all.findIndex(isSameName) : all.findLastIndex(isSameName)
    const nameText = index < 0 ? text(name, isNameHuffman) : []
    const valueText = text(value, isValueHuffman)
    if (form === "plain" || form === "never") return [...integer(form === "never" ? 0x10 : 0, 4, index + 1), ...nameText, ...valueText]
    this.entries.unshift({ name, value })
    this.evict()
    return [...integer(0x40, 6, index + 1), ...nameText, ...valueText]
  }

  private evict(): void {
    const size = (): number => this.entries.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0)
    while (size() > this.bytesMax) this.entries.pop()
  }
}

function parted(field: string): { name: string; value: string } {
  const [name = "", value = ""] = field.split(/(?<=.): (.*)/)
  return { name, value }
}

const characters = fc.constantFrom(...huffmanCodes.keys())
const step = fc.record({
  name: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(":path", "accept-encoding", "www-authenticate", "cookie", "a", "b") },
    fc.stringMatching(/^[a-z-]{1,40}$/),
  ),
  value: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("", "/", "gzip, deflate", "1", "v".repeat(500), "v".repeat(5000)) },
    fc.string({ unit: characters, maxLength: 200 }),
  ),
  form: fc.constantFrom("indexed", "indexed", "adding", "adding", "plain", "never"),
  named: fc.constantFrom("first", "last", "none"),
  isNameHuffman: fc.boolean(),
  isValueHuffman: fc.boolean(),
}) satisfies fc.Arbitrary<Step>
const sizes = fc.oneof({ weight: 4, arbitrary: fc.constant<number[]>([]) }, fc.array(fc.nat(4096), { maxLength: 2 }))
const blocks = fc.array(fc.record({ sizes, steps: fc.array(step, { maxLength: 20 }) }), { minLength: 1, maxLength: 8 })

describe("any blocks", () => {
  it("decode to the encoded fields, with any way to encode them", () => {
    fc.assert(
      fc.property(blocks, (list) => {
        const encoder = new ReferenceEncoder()
        const decoder = new HeaderDecoder()
        for (const { sizes, steps } of list) {
          const bytes = [...sizes.flatMap((size) => encoder.resize(size)), ...steps.flatMap((each) => encoder.put(each))]
          expect(read(decoder, Buffer.from(bytes))).toEqual(sound(...steps.map(({ name, value }) => `${name}: ${value}`)))
        }
      }),
    )
  })

  it("that are cut decode up to the cut, and are faults if it is within a field", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        const encoder = new ReferenceEncoder()
        const pieces = steps.map((each) => encoder.put(each))
        const bytes = Buffer.from(pieces.flat())
        const ends = pieces.map((_piece, index) => pieces.slice(0, index + 1).flat().length)
        // Each byte of a small block, some bytes of a large one.
        const by = Math.ceil(bytes.length / 500)
        for (let cut = 1; cut <= bytes.length; cut += by) {
          const { fields, isFault } = read(new HeaderDecoder(), bytes.subarray(0, cut))
          expect(isFault).toBe(!ends.includes(cut))
          expect(fields.length).toBe(ends.filter((end) => end <= cut).length)
          expect(fields.every((field, index) => field === `${steps[index]?.name}: ${steps[index]?.value}`)).toBe(true)
        }
      }),
    )
  })

  it("with changed or random bytes decode to fields or are faults", () => {
    const changes = fc.array(fc.record({ at: fc.nat(), to: fc.nat(255) }), { maxLength: 5 })
    const junk = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), changes, junk, (steps, changed, others) => {
        const encoder = new ReferenceEncoder()
        const block = Buffer.from(steps.flatMap((each) => encoder.put(each)))
        for (const { at, to } of changed) block[at % block.length] = to
        const decoder = new HeaderDecoder()
        for (const bytes of [block, ...others]) expect(read(decoder, Buffer.from(bytes)).fields.length).toBeLessThanOrEqual(bytes.length)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("a request of node's client", () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  /** Sends requests one after the other on one connection, and returns the headers that arrive. */
  async function arriving(): Promise<(headers: Record<string, string[]>, secret: string[]) => Promise<IncomingHttpHeaders>> {
    let arrived: IncomingHttpHeaders = {}
    const server = createServer((socket) => {
      const onRequest: OwnHttp2Options["onRequest"] = (incoming, outgoing) => {
        arrived = incoming.headers
        outgoing.end()
      }
      openOwnHttp2({ socket, streamsMax: 100, kept: new KeptBytes(), onRequest })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // A TCP server has one.
    closers.push(
      () => session.destroy(),
      () => server.close(),
    )
    return async (headers, secret) => {
      const request = session.request({ ":path": "/", ...headers, [sensitiveHeaders]: secret })
      for await (const _chunk of request);
      return arrived
    }
  }

  /** The characters that node accepts. Values have no blanks at either end: RFC 9113 section 8.2.1. */
  const characters = [9, ...Array.from({ length: 95 }, (_, index) => 32 + index), ...Array.from({ length: 128 }, (_, index) => 128 + index)]
  const latin1 = fc.constantFrom(...characters.map((code) => String.fromCharCode(code)))
  const trimmed = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/g, "")
  const value = fc.oneof(
    fc.constantFrom("", "1", "v".repeat(400), "v".repeat(5000)),
    fc.string({ unit: latin1, maxLength: 100 }).map(trimmed),
    // The client omits the Huffman code where it would make a value longer; so many short codes prevent that.
    fc.string({ unit: latin1, maxLength: 3 }).map((few) => `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa${few}a`),
  )
  const name = fc.oneof(
    fc.constantFrom("x-a", "x-b", "accept", "accept-language", "cookie"),
    fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_`|~-]{1,20}$/),
  )

  it("arrives as it was sent, one after the other", async () => {
    const send = await arriving()
    const field = fc.record({ name, values: fc.array(value, { minLength: 1, maxLength: 2 }), isSecret: fc.boolean() })
    const fields = fc.uniqueArray(field, { selector: (each) => each.name, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fields, async (list) => {
        const headers = Object.fromEntries(list.map((each) => [each.name, each.values]))
        const arrived = await send(
          headers,
          list.filter(({ isSecret }) => isSecret).map((each) => each.name),
        )
        const joined = list.map((each) => [each.name, each.values.join(each.name === "cookie" ? "; " : ", ")])
        expect(arrived).toMatchObject({ ":method": "GET", ":path": "/", ...Object.fromEntries(joined) })
      }),
      { numRuns: 200 },
    )
  })

  it("arrives with each byte that a value may have", async () => {
    const send = await arriving()
    for (const code of characters) {
      const value = `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa${String.fromCharCode(code)}a`
      expect((await send({ "x-a": [value] }, []))["x-a"]).toBe(value)
    }
  })
})
