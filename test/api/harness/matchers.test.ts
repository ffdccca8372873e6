import { describe, expect, it } from "vitest"
import { judgeAnswer } from "./answer.ts"
import { differences } from "./matchers.ts"
import { stepOf } from "./scenario.ts"
import { filled, valueAt } from "./variables.ts"
import { readValues } from "./yaml-values.ts"

function judged(expected: string, got: unknown): string[] {
  return differences(readValues(expected, "test"), got, "$")
}

describe("expectations", () => {
  it.each<[string, unknown]>([
    ["{a: 1}", { a: 1, b: 2 }],
    ["[1, {a: b}]", [1, { a: "b", c: 1 }]],
    ["{a: !any , b: !absent }", { a: 1 }],
    ["!match '^a'", "abc"],
    ["!not {a: 1}", { a: 2 }],
    ["!exact {a: {b: 1}}", { a: { b: 1 } }],
    ["!has [{a: 1}]", [{ a: 2 }, { a: 1 }]],
    ["!length 2", ["a", "b"]],
    ["{__proto__: 1}", JSON.parse('{"__proto__":1}')],
    ["!join [a, !repeat [b, 3]]", "abbb"],
  ])("%s holds", (expected, got) => {
    expect(judged(expected, got)).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ["{a: 1}", { a: "1" }, '$.a: expected 1, got "1"'],
    ["{a: 1}", {}, "$.a: expected 1, got nothing"],
    ["{a: null}", {}, "$.a: expected null, got nothing"],
    ["[1]", [1, 2], "$: expected 1 items, got 2: [1,2]"],
    ["{a: !any }", { a: "" }, '$.a: expected some value, got ""'],
    ["{a: !any }", {}, "$.a: expected some value, got nothing"],
    ["{a: !absent }", { a: null }, "$.a: expected nothing, got null"],
    ["!match '^a'", "b", '$: expected a text like ^a, got "b"'],
    ["!not 1", 1, "$: expected anything but 1"],
    ["!exact {a: {b: 1}}", { a: { b: 1, c: 2 } }, "$: .a.c: expected nothing, got 2"],
    ["!has [3]", [1, 2], "$: expected an item like 3 in [1,2]"],
    ["!length 1", [], "$: expected 1 items, got 0: []"],
  ])("%s fails", (expected, got, fault) => {
    expect(judged(expected, got)).toEqual([fault])
  })

  it("knows no other tag", () => {
    expect(() => readValues("a: !some x", "file.yaml")).toThrow("file.yaml: !some is not a tag of scenarios")
  })
})

describe("answers", () => {
  const answer = {
    status: 409,
    headers: { warning: '299 - "a \\"b\\"", 299 - "c"' },
    text: "",
    body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Conflict", code: 409 },
  }

  it("compares a status alone", () => {
    expect(judgeAnswer(409, answer)).toEqual([])
    expect(judgeAnswer(200, answer)).toEqual(["status: expected 200, got 409"])
  })

  it("reads the texts of warnings", () => {
    expect(judgeAnswer({ status: 409, warnings: ['a "b"', "c"] }, answer)).toEqual([])
  })

  it("wants a Status whose code is the answer's", () => {
    expect(judgeAnswer({ status: 409, reason: "Conflict" }, answer)).toEqual([])
    expect(judgeAnswer({ status: 409, reason: "Conflict" }, { ...answer, body: { ...answer.body, code: 400 } })).toEqual([
      "body.code: expected 409, got 400",
    ])
  })
})

describe("steps", () => {
  it("refuses words that nobody reads", () => {
    expect(() => stepOf({ do: "GET /", expected: 200 }, "x")).toThrow("x: expected is none of")
    expect(() => stepOf({ do: "GET /", expect: { state: 200 } }, "x")).toThrow("x: expect: state is none of")
    expect(() => stepOf({ go: "GET /" }, "x")).toThrow("x: expected one of do,")
  })
})

describe("variables", () => {
  it("fills texts, names of fields and matchers", () => {
    const variables = new Map<string, unknown>([["a", "x/y"]])
    expect(filled({ "${a}": ["${url:a}"] }, variables)).toEqual({ "x/y": ["x%2Fy"] })
    expect(differences(filled(readValues('!match "^${a}$"', "test"), variables), "x/y", "$")).toEqual([])
    expect(() => filled("${b}", variables)).toThrow("nothing has captured b")
  })

  it("reads values by path", () => {
    expect(valueAt({ items: [{ a: 1 }] }, "items.0.a")).toBe(1)
    expect(valueAt({ items: [] }, "items.0.a")).toBeUndefined()
  })
})
