import { describe, expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import {
  add,
  all,
  atMost,
  characterCount,
  compilePattern,
  divide,
  double,
  equals,
  exists,
  existsOne,
  filter,
  get,
  getOrZero,
  int,
  item,
  join,
  json,
  less,
  map,
  matches,
  max,
  min,
  negate,
  nonZero,
  orElse,
  present,
  quantity,
  remainder,
  size,
  subtract,
  sum,
  text,
  time,
  truth,
  typeName,
  type Value,
  vendorText,
  within,
} from "./expression.ts"
import { imageTag, isFormat } from "./expression-formats.ts"

describe("absence", () => {
  test("selecting from absent, null, strings or lists gives absent", () => {
    expect(get({ a: { b: 1 } }, "a", "b")).toBe(1)
    for (const of of [undefined, null, "text", ["a"], { a: null }]) expect(get(of, "a", "b")).toBeUndefined()
    expect(get({}, "toString")).toBeUndefined()
    expect([{}, { b: 1 }].map((a) => getOrZero(0, { a }, "a", "b"))).toEqual([0, 1])
    for (const of of [undefined, {}, { a: null }]) expect(getOrZero(0, of, "a", "b")).toBeUndefined()
  })

  test("comparing with absent is false; absent equals absent and null", () => {
    expect([equals(undefined, 1), less(undefined, 1), atMost(1, undefined), equals(undefined, "")]).toEqual([false, false, false, false])
    expect([equals(undefined, undefined), equals(undefined, null)]).toEqual([true, true])
  })

  test("?? skips absent, null and the empty string, not zero", () => {
    expect([orElse(undefined, 1), orElse(null, 1), orElse("", 1), orElse(0, 1), orElse(false, 1)]).toEqual([1, 1, 1, 0, false])
  })

  test("has: pointers count when present, other fields when not zero", () => {
    const values: Value[] = [undefined, null, "", 0, 0n, false, [], {}, "a", 1, true, [0], { a: 1 }]
    expect(values.map(present)).toEqual([false, false, ...Array.from({ length: 11 }, () => true)])
    expect(values.map(nonZero)).toEqual([...Array.from({ length: 8 }, () => false), true, true, true, true, true])
  })
})

describe("comparing", () => {
  test("compares numbers across number and bigint, strings by code units, quantities exactly", () => {
    expect(equals(9007199254740993n, 9007199254740992)).toBe(false)
    expect(equals(5n, 5)).toBe(true)
    expect(less("a", "b")).toBe(true)
    expect(less("1", 2)).toBe(false)
    expect(equals(quantity("1Gi"), quantity("1024Mi"))).toBe(true)
    expect(less(quantity("100m"), 1)).toBe(true)
    expect(less(quantity("nonsense"), 1)).toBe(false)
  })

  test("compares lists and maps by content", () => {
    expect(equals([1, { a: [2] }], [1, { a: [2] }])).toBe(true)
    expect(equals({ a: 1 }, { a: 1, b: undefined })).toBe(true)
    expect(equals({ a: 1 }, { b: 1 })).toBe(false)
    expect(equals([], {})).toBe(false)
  })

  test("in: items of lists, keys of maps", () => {
    expect([within("a", ["a"]), within("k", { k: 0 }), within("a", undefined), within(1, { 1: 2 })]).toEqual([true, true, false, false])
  })
})

describe("calculating", () => {
  test("adds numbers, strings, lists and quantities; anything else is absent", () => {
    expect(add("a", "b")).toBe("ab")
    expect(add([1], [2])).toEqual([1, 2])
    expect(add(2n, 3)).toBe(5n)
    expect(json(add(quantity("1Gi"), quantity("512Mi")))).toBe("1536Mi")
    expect(json(subtract(quantity("1"), quantity("250m")))).toBe("750m")
    expect(add("a", undefined)).toBeUndefined()
    expect(add(1, "a")).toBeUndefined()
  })

  test("integers divide to integers; division by zero is absent", () => {
    expect([divide(7, 2), divide(-7, 2), divide(7.5, 2), divide(7, 0), remainder(7, 4), remainder(7n, 0n)]).toEqual([
      3,
      -3,
      3.75,
      undefined,
      3,
      undefined,
    ])
    expect(negate(2n)).toBe(-2n)
  })

  test("min, max and sum skip absent values", () => {
    expect([min(3, 1, undefined), max([1, 4, 2]), max(), sum([1, undefined, 2]), sum(undefined)]).toEqual([1, 4, undefined, 3, 0])
  })

  test("int, double and time", () => {
    expect([int("12"), int(1.9), int("a"), double("1.5"), double(""), double(quantity("500m"))]).toEqual([
      12,
      1,
      undefined,
      1.5,
      undefined,
      0.5,
    ])
    expect([double(time("1970-01-01T00:00:01.5Z")), int(time("1970-01-01T00:00:01.5Z")), time("never"), time(undefined)]).toEqual([
      1.5,
      1,
      undefined,
      undefined,
    ])
  })
})

test.each([
  [
    ["+5", "-5", "05", "-0"],
    [5, -5, 5, 0],
  ],
  [
    ["9007199254740993", "9223372036854775807", "-9223372036854775808", `${"0".repeat(100)}7`],
    [9007199254740993n, 9223372036854775807n, -9223372036854775808n, 7],
  ],
  [["", " 5", "5 ", "\n5", "\ufeff5", "5_0", "٥", "0x5", "0b1", "1e3", "1.5", ".5", "5.", "+", "--5", "5%"], []],
  [["9223372036854775808", "-9223372036854775809", "1".repeat(1000)], []],
] as const)("int reads texts as strconv.ParseInt: %j", (texts, found) => {
  expect(texts.map(int)).toEqual(texts.map((_, index) => found[index]))
})

test("int is absent beyond 64 bits, and never -0", () => {
  expect([1e300, -(2 ** 63), 2 ** 63, quantity("1e30"), -0.5, 2 ** 62].map(int)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    0,
    2n ** 62n,
  ])
})

test("double reads decimal texts only", () => {
  expect(["1.5", "-.5", "1e3", "5."].map(double)).toEqual([1.5, -0.5, 1000, 5])
  expect(new Set([" 5", "5\n", "0x5", "0b1", "Infinity", "NaN", "1e400", "٥"].map(double))).toEqual(new Set([undefined]))
})

describe("collections", () => {
  test("macros visit items of lists and keys of maps", () => {
    expect([all([], () => false), exists(undefined, () => true), existsOne([1, 2], (value) => value === 2)]).toEqual([true, false, true])
    expect(filter({ a: 1, b: 2 }, (key) => key === "b")).toEqual(["b"])
    expect(map([1, 2], (value) => add(value, 1))).toEqual([2, 3])
  })

  test("size counts characters, items and entries", () => {
    expect([size("a😀"), size([1]), size({ a: 1, b: 2 }), size(undefined), characterCount("\ud800")]).toEqual([2, 1, 2, 0, 1])
  })

  test("item: by index in lists, by key in maps", () => {
    expect([item(["a"], 0), item(["a"], 1), item({ a: 1 }, "a"), item(undefined, 0), item(["a"], "0")]).toEqual([
      "a",
      undefined,
      1,
      undefined,
      undefined,
    ])
  })
})

describe("texts", () => {
  test("converts anything to text", () => {
    expect([text(undefined), text(5n), text(true), text([1, 2n]), text(quantity("1.5"))]).toEqual(["", "5", "true", '[1,"2"]', "1500m"])
    expect(join(["a", undefined, 1], ",")).toBe("a,,1")
    expect(join(undefined)).toBe("")
  })

  test("patterns are RE2: linear, and an invalid one matches nothing", () => {
    expect(compilePattern("^(a+)+$")(`${"a".repeat(4000)}b`)).toBe(false)
    expect([matches("abc", "b"), matches("abc", "("), matches(1, "1")]).toEqual([true, false, false])
  })

  test("image tags", () => {
    expect(["nginx", "nginx:1.2", "r.io:5000/a/b", "r.io:5000/a/b:v1@sha256:00", "a@sha256:00"].map(imageTag)).toEqual([
      "latest",
      "1.2",
      "latest",
      "v1",
      "",
    ])
  })

  test("vendor words", () => {
    const vendor = vendorProfile("kubernetes")
    expect(["orch.io/hostname", "events.orch.io", "orch-system"].map((name) => vendorText(vendor, name))).toEqual([
      "kubernetes.io/hostname",
      "events.k8s.io",
      "kube-system",
    ])
  })

  test("type names, formats and truth", () => {
    expect([null, true, 1, 1.5, "a", [], {}].map(typeName)).toEqual(["null", "bool", "int", "double", "string", "list", "map"])
    expect([isFormat("dns-label", "a-b"), isFormat("dns-label", "A"), isFormat("dns-label", undefined)]).toEqual([true, false, false])
    expect([truth(true), truth("true"), truth(undefined)]).toEqual([true, false, false])
  })
})
