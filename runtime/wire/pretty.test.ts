import { describe, expect, it } from "vitest"
import { indentJson } from "./pretty.ts"

describe("indentJson", () => {
  it("indents as the built-in serializer does, and keeps big numbers", () => {
    for (const value of [{}, [], { a: [], b: {}, c: [1, { d: '"}{,:\\' }], e: null, "f\\": "é" }, "x", 5, [[[]]]]) {
      expect(indentJson(Buffer.from(JSON.stringify(value))).toString()).toBe(JSON.stringify(value, undefined, 2))
    }
    expect(indentJson(Buffer.from('{"a":9007199254740993}\n')).toString()).toBe('{\n  "a": 9007199254740993\n}')
  })

  it("handles documents that are mostly white space, and starts at a depth", () => {
    let deep: unknown = 1
    for (let level = 0; level < 200; level++) deep = [deep]
    expect(indentJson(Buffer.from(JSON.stringify(deep))).toString()).toBe(JSON.stringify(deep, undefined, 2))
    expect(indentJson(Buffer.from('{"a":1}'), 2).toString()).toBe('{\n      "a": 1\n    }')
  })
})
