import { describe, expect, it } from "vitest"
import { ApiError } from "../base/errors.ts"
import { documentValuesMax, yamlDepthMax } from "../base/limits.ts"
import { parseYaml, yamlText } from "./yaml.ts"
import { writeYaml } from "./yaml-writer.ts"

const read = (text: string) => parseYaml(text).value
const faultOf = (text: string) => {
  try {
    parseYaml(text)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
  return "no fault"
}

describe("parseYaml", () => {
  it("reads scalars as the ecosystem does", () => {
    expect(read("[yes, NO, y, n, on, Off, true, 'yes', \"no\", yess]")).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
      "yes",
      "no",
      "yess",
    ])
    expect(read("[1, -2, +3, 012, 0x10, 0o14, 0b11, 1_000, 089, 9007199254740993, 0]")).toEqual([
      1,
      -2,
      3,
      10,
      16,
      12,
      3,
      1000,
      89,
      9007199254740993n,
      0,
    ])
    expect(read("[1.5, .5, 1e3, -1.5E-2, 1., 190:20:30, 2020-01-01, 1.2.3, 0.1.0]")).toEqual([
      1.5,
      0.5,
      1000,
      -0.015,
      1,
      "190:20:30",
      "2020-01-01",
      "1.2.3",
      "0.1.0",
    ])
    expect(read("[~, null, NULL, nil]")).toEqual([null, null, null, "nil"])
    expect(read("{a: !!str 5, b: !!binary aGVsbG8=, c: !!int 7}")).toEqual({ a: "5", b: "hello", c: 7 })
    expect(read("a: |\n  yes\nb: >-\n  12\n")).toEqual({ a: "yes\n", b: "12" })
    expect(read("")).toBeNull()
    expect(read('{"a": {"b": [1, "x"]}}')).toEqual({ a: { b: [1, "x"] } })
  })

  it("converts keys to strings and accepts __proto__ as a name", () => {
    expect(read("{yes: a, 012: b, 1.5: c, x: d}")).toEqual({ true: "a", "10": "b", "1.5": "c", x: "d" })
    expect(Object.keys(read("__proto__: {a: 1}") as object)).toEqual(["__proto__"])
    expect(faultOf("? [a]\n: b")).toMatch(/^400 yaml: line 1: invalid map key/)
    expect(faultOf("~: b")).toMatch(/^400 yaml: line 1: unsupported map key/)
  })

  it("reports repeated keys by line; the last one counts", () => {
    const { value, duplicates } = parseYaml("metadata:\n  name: a\n  name: b\ndata: {x: 1, x: 2}\n12: a\n0o14: b\n")
    expect(value).toEqual({ metadata: { name: "b" }, data: { x: 2 }, "12": "b" })
    expect(duplicates).toEqual([
      'line 3: key "name" already set in map',
      'line 4: key "x" already set in map',
      "line 6: key 12 already set in map",
    ])
  })

  it("checks many keys in linear time", () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `key${index}: 1`).join("\n")
    expect(Object.keys(read(text) as object)).toHaveLength(50_000)
  })

  it("follows anchors and merge keys", () => {
    expect(read("a: &x {k: 1, l: 2}\nb: *x\nc:\n  <<: *x\n  l: 3\nd:\n  <<: [*x, {m: 4}]\n")).toEqual({
      a: { k: 1, l: 2 },
      b: { k: 1, l: 2 },
      c: { l: 3, k: 1 },
      d: { k: 1, l: 2, m: 4 },
    })
    const { value } = parseYaml("a: &x {k: 1}\nb: *x\n")
    const { a, b } = value as { a: object; b: object }
    expect(a).not.toBe(b)
  })

  it("merges in the order of the text: of two fields the later wins, of several maps the first", () => {
    expect(read("x: &x {k: 1}\na:\n  k: 2\n  <<: *x\nb:\n  <<: *x\n  k: 2\n")).toMatchObject({ a: { k: 1 }, b: { k: 2 } })
    expect(read("x: &x {k: 1}\ny: &y {k: 2, l: 2}\na: {<<: [*x, *y]}")).toMatchObject({ a: { k: 1, l: 2 } })
    expect(parseYaml("x: &x {k: 1}\na:\n  k: 2\n  <<: *x\n").duplicates).toEqual(['line 1: key "k" already set in map'])
    expect(faultOf("a: {<<: 5}")).toBe("400 yaml: line 1: map merge requires map or sequence of maps as the value")
    expect(faultOf("a: &a {<<: *a}")).toBe("400 yaml: line 1: an anchor may not contain itself")
  })

  it("reads the first of several documents, and application tags as strings", () => {
    expect(read("a: 1\n---\nb: 2\n")).toEqual({ a: 1 })
    expect(read("%YAML 1.1\n---\na: !mine 5\nb: !!timestamp 2001-01-01\n.inf: x\n-.INF: z")).toEqual({
      a: "5",
      b: "2001-01-01",
      ".inf": "x",
      "-.inf": "z",
    })
  })

  it("refuses what YAML 1.1 does not have", () => {
    expect(faultOf("%YAML 1.2\n---\na: 1")).toMatch(/^400 yaml: line 1: found incompatible YAML document/)
    expect(faultOf('a: "\\/"')).toBe('400 yaml: line 1: found unknown escape character "/"')
    expect(faultOf('a: "\\\\/"')).toBe("no fault")
    expect(faultOf('a: "\\ud800"')).toBe("400 yaml: line 1: found invalid Unicode character escape code \\ud800")
    expect(faultOf("a: \u0007")).toBe('400 yaml: control characters are not allowed: "\\u0007" at offset 3')
    expect(faultOf("a: !!binary x")).toBe("400 yaml: line 1: !!binary value contains invalid base64 data")
  })

  it("limits the strings that aliases expand to, of values and of keys, merged or not", () => {
    const long = "x".repeat(300_000)
    const times = (count: number, text: string): string => Array(count).fill(text).join(", ")
    expect(parseYaml(`a: &a ${long}\nb: [${times(10, "*a")}]`).value).toMatchObject({ a: long })
    for (const text of [
      `a: &a ${long}\nb: [${times(11, "*a")}]`,
      `a: &a [${long}]\nb: [${times(11, "*a")}]`,
      `a: &a {k: ${long}}\nb: [${times(11, "{<<: *a}")}]`,
      `a: &a\n  ? "${long}"\n  : 1\nb: [${times(11, "{<<: *a}")}]`,
      `a: &a "${long}"\nb: {${times(11, "*a : 1")}}`,
    ])
      expect(faultOf(text)).toBe(
        "413 Request entity too large: aliases of the YAML document stand for more than 3145728 characters, which is the limit",
      )
  })

  it("limits the values of a document", () => {
    const list = (count: number): string => `[${"1,".repeat(count)}]`
    expect(parseYaml(list(documentValuesMax - 1)).value).toHaveLength(documentValuesMax - 1)
    expect(faultOf(list(documentValuesMax))).toMatch(/^413 .* more than 65536 values/)
  })

  it("reads whole numbers of more than 64 bits as floats, and texts beyond those", () => {
    const hexadecimal = `0x${"f".repeat(65)}`
    expect(parseYaml(`[18446744073709551615, ${"1".repeat(64)}, ${hexadecimal}, ${"9".repeat(400)}]`).value).toEqual([
      18446744073709551615n,
      Number("1".repeat(64)),
      hexadecimal,
      "9".repeat(400),
    ])
  })

  it("limits aliases, merges, depth and size", () => {
    const merges = `a: &a {k: [${"x,".repeat(1000)}]}\nb: {<<: [${"*a,".repeat(1000)}]}`
    expect(faultOf(merges)).toBe("400 yaml: document contains excessive aliasing")
    const bomb = [
      "a0: &a0 [x,x,x,x,x,x,x,x,x]",
      ...Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(",")}]`),
    ].join("\n")
    expect(faultOf(bomb)).toBe("400 yaml: document contains excessive aliasing")
    expect(faultOf("a: &a [*a]")).toBe("400 yaml: line 1: an anchor may not contain itself")
    expect(faultOf("a: *nope")).toMatch(/^400 yaml:/)
    expect(faultOf(`${"[".repeat(1500)}${"]".repeat(1500)}`)).toMatch(/^400 yaml: line 1: exceeded max depth/)
    for (const level of ["[", "{\n", "{a: ", "- ", "? ", "[{", "- ? "])
      expect(faultOf(level.repeat(1_000_000 / level.length)), level).toMatch(/^400 yaml: line \d+: exceeded max depth/)
    const nested = (levels: number): string => `${"[".repeat(levels - 1)}{a: x}${"]".repeat(levels - 1)}`
    expect(faultOf(nested(yamlDepthMax))).toBe("no fault")
    expect(faultOf(nested(yamlDepthMax + 2))).toMatch(/exceeded max depth/)
    expect(faultOf(`a: ${"x".repeat(1024 * 1024)}`)).toMatch(/^413 /)
  })

  it("reports where the text is invalid", () => {
    expect(faultOf("a: [\n")).toMatch(/^400 yaml: line \d+: /)
    expect(faultOf("a: 1\n\tb: 2")).toMatch(/^400 yaml: line 2: /)
    expect(faultOf("a: .inf")).toBe("400 yaml: line 1: .inf has no JSON form")
  })
})

it("decodes the bytes of a body", () => {
  expect(yamlText(Buffer.from("\ufeffa: é"))).toBe("a: é")
  expect(yamlText(Buffer.from("\ufeffa: é", "utf16le"))).toBe("a: é")
  expect(yamlText(Buffer.from("\ufeffa: é", "utf16le").swap16())).toBe("a: é")
  expect(() => yamlText(Buffer.from([0x61, 0xff]))).toThrow("no UTF-8")
})

describe("writeYaml", () => {
  it("sorts fields, does not indent lists and quotes ambiguous strings", () => {
    expect(
      writeYaml({
        kind: "ConfigMap",
        apiVersion: "v1",
        data: { b: "yes", a: "012", c: "2020-01-01T00:00:00Z", d: "plain", e: "1e3", f: "" },
        list: [{ x: 1 }, "0o14"],
        gone: undefined,
      }),
    ).toBe(
      'apiVersion: v1\ndata:\n  a: "012"\n  b: "yes"\n  c: "2020-01-01T00:00:00Z"\n  d: plain\n  e: "1e3"\n  f: ""\nkind: ConfigMap\nlist:\n- x: 1\n- "0o14"\n',
    )
  })

  it("reads back what it wrote", () => {
    const value = {
      big: 9007199254740993n,
      text: "a\nb\n",
      odd: ["~", "null", "<<", "=", ".inf", "1_000", "190:20", "- x", "#c", " lead", "trail ", "é\u0001", "'", '"', "y", "{}"],
      none: null,
      empty: {},
      nothing: [],
      minus: -1.5,
    }
    expect(read(writeYaml(value))).toEqual(value)
  })
})
