import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { headerField } from "./header-table.ts"
import { announcedLength, RequestHead } from "./request-head.ts"
import { requestHeaderBytesMax, requestHeaderFieldsMax } from "../base/limits.ts"

type Pair = readonly [name: string, value: string]

function headOf(fields: readonly Pair[]): RequestHead {
  const head = new RequestHead({ headerBytesMax: requestHeaderBytesMax, headerFieldsMax: requestHeaderFieldsMax })
  for (const [name, value] of fields) head.add(headerField(name, value))
  head.finish()
  return head
}

const method: Pair = [":method", "GET"]
const scheme: Pair = [":scheme", "https"]
const authority: Pair = [":authority", "example.com"]
const path: Pair = [":path", "/a?b"]
const pseudo = [method, scheme, authority, path]

/** The value that a plain request has for a field that is sent several times. */
function joined(name: string, values: readonly string[]): unknown {
  const { headers, isMalformed } = headOf([...pseudo, ...values.map((value): Pair => [name, value])])
  expect(isMalformed).toBe(false)
  return headers[name]
}

describe("a request", () => {
  it("has the given fields", () => {
    const { headers, isMalformed, isTooLarge } = headOf([...pseudo, ["accept", "*/*"], ["x-empty", ""]])
    expect({ ...headers }).toEqual({
      ":method": "GET",
      ":scheme": "https",
      ":authority": "example.com",
      ":path": "/a?b",
      accept: "*/*",
      "x-empty": "",
    })
    expect([isMalformed, isTooLarge]).toEqual([false, false])
  })

  it.each<[string, readonly Pair[]]>([
    ["its pseudo-fields in another order", [path, authority, scheme, method]],
    ["no authority", [method, scheme, path]],
    ["a host instead of an authority", [method, scheme, path, ["host", "example.com"]]],
    ["OPTIONS for all of the server", [[":method", "OPTIONS"], scheme, authority, [":path", "*"]]],
    ["CONNECT with an authority alone", [[":method", "CONNECT"], authority]],
    ["an unknown method", [[":method", "BREW"], scheme, authority, path]],
    ["te: trailers", [...pseudo, ["te", "trailers"]]],
    ["an empty value", [...pseudo, ["x-a", ""]]],
    ["blanks within a value", [...pseudo, ["x-a", "a \t b"]]],
    ["latin1 in a value", [...pseudo, ["x-a", "caf\xe9 \x80\xff"]]],
    ["a value of one character", [...pseudo, ["x-a", "a"]]],
    ["all characters that a name may have", [...pseudo, ["!#$%&'*+-.^_`|~09az", "a"]]],
    ["a length of its body", [...pseudo, ["content-length", "10"]]],
    ["the same length of its body twice", [...pseudo, ["content-length", "10"], ["content-length", "10"]]],
    ["upgrade-insecure-requests", [...pseudo, ["upgrade-insecure-requests", "1"]]],
  ])("is well-formed with %s", (_what, fields) => {
    const { isMalformed, isTooLarge } = headOf(fields)
    expect([isMalformed, isTooLarge]).toEqual([false, false])
  })
})

describe("a request of RFC 9113 section 8.3", () => {
  it.each<[string, readonly Pair[]]>([
    ["no field at all", []],
    ["no method", [scheme, authority, path]],
    ["no scheme", [method, authority, path]],
    ["no path", [method, scheme, authority]],
    ["an empty path", [method, scheme, authority, [":path", ""]]],
    ["regular fields alone", [["x-a", "a"]]],
    ["two methods", [...pseudo, method]],
    ["two schemes", [...pseudo, scheme]],
    ["two authorities", [...pseudo, authority]],
    ["two paths", [...pseudo, path]],
    ["two paths, of which the first is empty", [method, scheme, [":path", ""], path]],
    ["a method behind a regular field", [scheme, authority, path, ["x-a", "a"], method]],
    ["an authority behind a regular field", [method, scheme, path, ["x-a", "a"], authority]],
    ["a pseudo-field of answers", [...pseudo, [":status", "200"]]],
    ["the pseudo-field of RFC 8441, which was not offered", [...pseudo, [":protocol", "websocket"]]],
    ["an unknown pseudo-field", [...pseudo, [":unknown", "a"]]],
    ["a pseudo-field of no name", [...pseudo, [":", "a"]]],
    ["a pseudo-field with the name of an object property", [...pseudo, [":constructor", "a"]]],
    ["a pseudo-field in upper case", [[":METHOD", "GET"], ...pseudo]],
    ["an empty method", [[":method", ""], scheme, authority, path]],
    ["a method that is no token", [[":method", "GE T"], scheme, authority, path]],
    ["an empty scheme", [method, [":scheme", ""], authority, path]],
    ["a path that does not begin with a slash", [method, scheme, authority, [":path", "a"]]],
    ["CONNECT without an authority", [[":method", "CONNECT"]]],
    ["CONNECT with a path", [[":method", "CONNECT"], authority, path]],
    ["CONNECT with a scheme", [[":method", "CONNECT"], authority, scheme]],
    ["CONNECT with both, as any other method has them", [[":method", "CONNECT"], scheme, authority, path]],
  ])("is malformed with %s", (_what, fields) => {
    const { isMalformed, isTooLarge } = headOf(fields)
    expect([isMalformed, isTooLarge]).toEqual([true, false])
  })
})

describe("a request of RFC 9113 section 8.2", () => {
  it.each<[string, Pair]>([
    ["a name in upper case", ["X-a", "a"]],
    ["one letter in upper case", ["x-aZ", "a"]],
    ["an empty name", ["", "a"]],
    ["a blank in a name", ["x a", "a"]],
    ["a blank behind a name", ["x-a ", "a"]],
    ["a colon in a name", ["x:a", "a"]],
    ["a colon behind a name", ["x-a:", "a"]],
    ["two colons before a name", ["::path", "a"]],
    ["NUL in a name", ["x\0", "a"]],
    ["a line break in a name", ["x-a\r\nx-b", "a"]],
    ["a line break behind a name", ["x-a\n", "a"]],
    ["DEL in a name", ["x\x7f", "a"]],
    ["latin1 in a name", ["x\xe9", "a"]],
    ["a name that is no token", ["x(a)", "a"]],
    ["NUL in a value", ["x-a", "a\0b"]],
    ["a line feed in a value", ["x-a", "a\nb"]],
    ["a line feed behind a value", ["x-a", "a\n"]],
    ["a line feed for a value", ["x-a", "\n"]],
    ["a carriage return in a value", ["x-a", "a\rb"]],
    ["a header injected into a value", ["x-a", "a\r\nx-b: b"]],
    ["a blank before a value", ["x-a", " a"]],
    ["a tab before a value", ["x-a", "\ta"]],
    ["a blank behind a value", ["x-a", "a "]],
    ["a tab behind a value", ["x-a", "a\t"]],
    ["a blank for a value", ["x-a", " "]],
    ["connection", ["connection", "close"]],
    ["keep-alive", ["keep-alive", "timeout=5"]],
    ["proxy-connection", ["proxy-connection", "keep-alive"]],
    ["transfer-encoding", ["transfer-encoding", "chunked"]],
    ["upgrade", ["upgrade", "websocket"]],
    ["te that takes more than trailers", ["te", "gzip"]],
    ["te that takes trailers and more", ["te", "trailers, gzip"]],
    ["an empty te", ["te", ""]],
  ])("is malformed with %s", (_what, field) => {
    expect(headOf([...pseudo, field]).isMalformed).toBe(true)
    expect(headOf([...pseudo, ["x-before", "a"], field, ["x-behind", "a"]]).isMalformed).toBe(true)
  })

  it.each<[string, readonly Pair[]]>([
    ["a blank in its path", [method, scheme, [":path", " /"]]],
    ["a line break in its authority", [method, scheme, [":authority", "a\r\nb"], path]],
    ["te of trailers, and another one", [...pseudo, ["te", "trailers"], ["te", "gzip"]]],
  ])("is malformed with %s", (_what, fields) => {
    expect(headOf(fields).isMalformed).toBe(true)
  })

  it("is well-formed if and only if all characters of names, values and path are allowed", () => {
    const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
    for (let code = 0; code < 256; code++) {
      const character = String.fromCharCode(code)
      expect([code, headOf([...pseudo, [`x${character}y`, "a"]]).isMalformed]).toEqual([code, !token.includes(character)])
      expect([code, headOf([...pseudo, ["x-a", `a${character}b`]]).isMalformed]).toEqual([
        code,
        code !== 9 && (code < 0x20 || code === 0x7f),
      ])
      const isSoundInPath = code > 0x20 && code !== 0x7f
      expect([code, headOf([method, scheme, authority, [":path", `/a${character}b`]]).isMalformed]).toEqual([code, !isSoundInPath])
    }
  })
})

describe("fields that are sent several times", () => {
  it.each(["accept", "x-forwarded-for", "accept-encoding", "x-remote-group", "via"])("joins the values of %s with commas", (name) => {
    expect(joined(name, ["a"])).toBe("a")
    expect(joined(name, ["a", "b, c", "", "a"])).toBe("a, b, c, , a")
  })

  it("joins cookies, which HTTP/2 splits", () => {
    expect(joined("cookie", ["a=1", "b=2", "c=3"])).toBe("a=1; b=2; c=3")
  })

  it.each([
    ...["authorization", "content-type", "from", "host", "if-modified-since", "if-unmodified-since", "max-forwards"],
    ...["proxy-authorization", "referer", "user-agent"],
  ])("keeps the first value of %s", (name) => {
    expect(joined(name, ["first", "second", "third"])).toBe("first")
    expect(joined(name, ["", "second"])).toBe("")
  })

  it("keeps the values of set-cookie as a list", () => {
    expect(joined("set-cookie", ["a=1", "b=2"])).toEqual(["a=1", "b=2"])
  })

  it.each([
    ["a different one behind it", ["1", "2"]],
    ["the same number written differently", ["1", "01"]],
    ["a different one behind two equal ones", ["1", "1", "2"]],
    ["a list", ["1, 1"]],
    ["nothing", [""]],
    ["a sign", ["+1"]],
    ["a negative number", ["-1"]],
    ["a fraction", ["1.5"]],
    ["letters", ["0x10"]],
    ["an exponent", ["1e3"]],
    ["too many digits", ["1".repeat(16)]],
  ])("content-length is malformed with %s", (_what, values) => {
    expect(headOf([...pseudo, ...values.map((value): Pair => ["content-length", value])]).isMalformed).toBe(true)
  })

  it("keeps the order of values, with any fields between them", () => {
    const sent = fc.array(fc.tuple(fc.constantFrom("x-a", "x-b", "cookie"), fc.stringMatching(/^[a-z0-9]{1,5}$/)), { maxLength: 20 })
    fc.assert(
      fc.property(sent, (fields) => {
        const { headers } = headOf([...pseudo, ...fields])
        for (const name of ["x-a", "x-b", "cookie"]) {
          const values = fields.filter(([each]) => each === name).map(([, value]) => value)
          expect(headers[name]).toBe(values.length === 0 ? undefined : values.join(name === "cookie" ? "; " : ", "))
        }
      }),
    )
  })
})

describe("names of object properties", () => {
  const names = ["__proto__", "constructor", "hasownproperty", "tostring", "valueof", "prototype", "__definegetter__"]

  it.each(names)("treats %s like any other field", (name) => {
    const { headers, isMalformed } = headOf([...pseudo, [name, "first"], [name, "second"]])
    expect(isMalformed).toBe(false)
    expect(Object.keys(headers)).toEqual([":method", ":scheme", ":authority", ":path", name])
    expect(headers[name]).toBe("first, second")
  })

  it("are undefined unless they were sent", () => {
    const { headers } = headOf(pseudo)
    for (const name of names) expect(headers[name]).toBeUndefined()
    const inherited = Object.getPrototypeOf(headers)
    expect(Object.isFrozen(inherited) && Reflect.ownKeys(inherited).length === 0 && Object.getPrototypeOf(inherited) === null).toBe(true)
  })
})

describe("a request that is too large", () => {
  const overhead = 32
  const pseudoBytes = pseudo.reduce((sum, [name, value]) => sum + name.length + value.length + overhead, 0)

  function many(count: number): Pair[] {
    return Array.from({ length: count }, (_, index) => [`x-${index}`, ""])
  }

  it("has as many fields as the limit, or more", () => {
    const most = headOf([...pseudo, ...many(requestHeaderFieldsMax - 1 - pseudo.length)])
    expect([most.isTooLarge, most.isMalformed, Object.keys(most.headers).length]).toEqual([false, false, requestHeaderFieldsMax - 1])
    for (const more of [1, 2, 5000]) {
      const { headers, isMalformed, isTooLarge } = headOf([...pseudo, ...many(requestHeaderFieldsMax - 1 - pseudo.length + more)])
      expect([isTooLarge, isMalformed, Object.keys(headers).length]).toEqual([true, false, requestHeaderFieldsMax - 1])
    }
  })

  it("counts each field of the same name", () => {
    const repeated = Array.from({ length: requestHeaderFieldsMax }, (): Pair => ["x-a", ""])
    expect(headOf([...pseudo, ...repeated]).isTooLarge).toBe(true)
  })

  it("has more bytes than the limit, counting the overhead of each field", () => {
    const room = requestHeaderBytesMax - pseudoBytes - "x-a".length - overhead
    const most = headOf([...pseudo, ["x-a", "v".repeat(room)]])
    expect([most.isTooLarge, most.isMalformed, most.headers["x-a"]?.length]).toEqual([false, false, room])
    const larger = headOf([...pseudo, ["x-a", "v".repeat(room + 1)]])
    expect([larger.isTooLarge, larger.isMalformed, larger.headers["x-a"]]).toEqual([true, false, undefined])
    const andMore = headOf([...pseudo, ["x-a", "v".repeat(room)], ["x-b", ""]])
    expect([andMore.isTooLarge, andMore.headers["x-b"]]).toEqual([true, undefined])
  })

  it("is not malformed: a missing field may be one that was not kept", () => {
    const large: Pair = ["x-a", "v".repeat(requestHeaderBytesMax)]
    for (const fields of [[large, ...pseudo], [large], [["x-b", " "], large, method], [...pseudo, large, path]] as Pair[][]) {
      const { isMalformed, isTooLarge } = headOf(fields)
      expect([isTooLarge, isMalformed]).toEqual([true, false])
    }
  })

  it("keeps no field behind the excess", () => {
    const { headers } = headOf([...pseudo, ["x-a", "v".repeat(requestHeaderBytesMax)], ["x-b", "b"]])
    expect(Object.keys(headers)).toEqual(pseudo.map(([name]) => name))
  })
})

describe("the announced length of a body", () => {
  it.each([
    ["0", 0],
    ["1", 1],
    ["0010", 10],
    ["999999999999999", 999_999_999_999_999],
  ])("%s is a number", (text, length) => expect(announcedLength({ "content-length": text })).toBe(length))

  it.each(["", " 1", "1 ", "+1", "-1", "1.0", "0x1", "1e1", "1, 1", "1\n", "\u0661", "9".repeat(16), "NaN"])("is NaN for %j", (text) => {
    expect(announcedLength({ "content-length": text })).toBeNaN()
  })

  it("is undefined if it is absent", () => expect(announcedLength({})).toBeUndefined())
})
