import { describe, expect, it } from "vitest"
import { brokenHistories, historyOf } from "./churn.ts"
import { lines } from "./watch-load.ts"

function linesOf(chunks: readonly string[]): string[] {
  const watcher = { rest: [], restBytes: 0 }
  return chunks.flatMap((chunk) => [...lines(watcher, Buffer.from(chunk))].map(String))
}

describe("the lines of a watch", () => {
  it("are the same however they are cut into chunks", () => {
    const text = '{"a":1}\n{"b":2}\n{"c":3}\n'
    for (let size = 1; size <= text.length; size++) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
      expect(linesOf(chunks), `chunks of ${size}`).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
    }
  })

  it("keep their beginning when they are long and arrive in pieces", () => {
    const [long = "", short] = linesOf(["x".repeat(20_000), "y".repeat(20_000), "\nshort\n"])
    expect(long.startsWith("x".repeat(8192))).toBe(true)
    expect(long.length).toBeLessThan(40_000)
    expect(short).toBe("short")
  })
})

describe("histories", () => {
  const expected = [historyOf([3, 5, 9], 0), historyOf([4, 6], 1)]

  it("that equal the writes are complete", () => {
    expect(brokenHistories(expected, { histories: [historyOf([3, 5, 9], 0), historyOf([4, 6], 1)], faults: [] })).toEqual([])
  })

  it("with a gap, a duplicate or another order are reported", () => {
    for (const seen of [
      [3, 9],
      [3, 5, 5, 9],
      [5, 3, 9],
      [3, 5, 8],
    ])
      expect(brokenHistories(expected, { histories: [historyOf(seen, 0)], faults: [] }), String(seen)).toHaveLength(1)
  })
})
