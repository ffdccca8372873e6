import { expect, test } from "vitest"
import { EncodingCache } from "./encoding-cache.ts"
import type { EncodingHolder } from "./encoding-cache.ts"

const bytes = Buffer.alloc(0)

test("evicts the least recently used encoding and never exceeds the budget", () => {
  const budget = new EncodingCache(3 * 1000)
  const holders: EncodingHolder[] = Array.from({ length: 4 }, () => ({ encodings: undefined }))
  const [a, b, c, d] = holders
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("four holders")
  for (const holder of [a, b, c]) budget.keep(holder, "table", bytes, 1000 - 256)
  expect(budget.usedBytes).toBe(3000)
  budget.find(a, "table")
  budget.keep(d, "table", bytes, 1000 - 256)
  expect(holders.map((holder) => budget.find(holder, "table") !== undefined)).toEqual([true, false, true, true])
  expect(budget.usedBytes).toBe(3000)
})

test("distinguishes the encodings of one holder, and drops them together", () => {
  const budget = new EncodingCache(10_000)
  const holder: EncodingHolder = { encodings: undefined }
  const other: EncodingHolder = { encodings: undefined }
  const table = Buffer.alloc(5, "table")
  for (const [name, content] of [
    ["compact", bytes],
    ["table", table],
    ["frame", bytes],
  ] as const)
    budget.keep(holder, name, content, content.length)
  budget.keep(other, "table", bytes, 0)
  expect(budget.find(holder, "table")).toBe(table)
  expect(budget.find(holder, "yaml")).toBeUndefined()
  budget.dropAll(holder)
  expect(budget.find(holder, "table")).toBeUndefined()
  expect(budget.find(other, "table")).toBe(bytes)
  expect(budget.usedBytes).toBe(256)
})

test("does not keep an encoding larger than the budget, and evicts nothing for it", () => {
  const budget = new EncodingCache(1000)
  const holder: EncodingHolder = { encodings: undefined }
  budget.keep(holder, "small", bytes, 10)
  budget.keep(holder, "huge", bytes, 1000)
  expect(budget.find(holder, "small")).toBe(bytes)
  expect(budget.find(holder, "huge")).toBeUndefined()
})

test("keeps small Buffers without the pool that node cut them from", () => {
  const budget = new EncodingCache(10_000)
  const holder: EncodingHolder = { encodings: undefined }
  const pooled = Buffer.from("a frame")
  expect(pooled.buffer.byteLength).toBe(Buffer.poolSize)
  budget.keep(holder, "frame", pooled, pooled.length)
  const kept = budget.find(holder, "frame")
  if (!Buffer.isBuffer(kept)) throw new Error("a Buffer")
  expect([kept.toString(), kept.buffer.byteLength]).toEqual(["a frame", pooled.length])
})
