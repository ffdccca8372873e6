import { describe, expect, it } from "vitest"
import { nextSum } from "./load-plans.ts"
import { continueOf, indexOf, template } from "./request-load.ts"

describe("a plan's requests", () => {
  it("differ by number, bucket and time", () => {
    const fill = template('{"name":"object-{index}","share":"s{bucket}","other":{"index":1}}')
    expect(fill(42, 7)).toBe('{"name":"object-000042","share":"s7","other":{"index":1}}')
    expect(Number(template("{now}")(0, 0))).toBeGreaterThan(0)
  })

  it("visit every object once before any twice", () => {
    const plan = { method: "GET", path: "", clients: 1, stride: 7919, modulo: 1000 }
    expect(new Set(Array.from({ length: 1000 }, (_, turn) => indexOf(plan, turn))).size).toBe(1000)
    expect(indexOf({ method: "GET", path: "", clients: 1, first: 5 }, 2)).toBe(7)
  })

  it("use the token of the page before", () => {
    expect(continueOf(Buffer.from('{"kind":"ConfigMapList","metadata":{"resourceVersion":"7","continue":"abc=="},"items":[]}'))).toBe(
      "abc==",
    )
    expect(continueOf(Buffer.from('{"kind":"ConfigMapList","metadata":{"resourceVersion":"7"},"items":[]}'))).toBe("")
  })
})

describe("a history's sum", () => {
  const sum = (...versions: number[]): number => versions.reduce(nextSum, 0)

  it("changes for a missing, duplicated or misplaced version", () => {
    const whole = sum(11, 12, 13)
    for (const other of [sum(11, 13), sum(11, 12, 12, 13), sum(12, 11, 13)]) expect(other).not.toBe(whole)
  })
})
