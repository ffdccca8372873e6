import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { createExpiry } from "./expiry.ts"
import type { Reader } from "./reader.ts"

/** The reader has more methods; expiry calls only this one. */
const readerOf = (due: Reader["due"]): Reader => ({ due }) as Reader

test("goes on at once while any value was deleted, also beside values that were written again", async () => {
  const clock = createManualClock()
  const stored = new Map(Array.from({ length: 1200 }, (_none, index) => [`foo/${index}`, { key: `foo/${index}`, modRevision: index + 1 }]))
  const expiry = createExpiry({
    clock,
    reader: () =>
      readerOf((_nowMs, limit) => ({ items: [...stored.values()].slice(0, limit), ...(stored.size > 0 && { nextMs: clock.nowMs() }) })),
    // The first value of all was written again: the due version is no longer there, and nothing is deleted.
    remove: async ({ key }) => stored.delete(key) && key !== "foo/0",
  })
  expiry.start()
  clock.advance(1)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  expect(stored.size).toBe(0)
  expiry.cancel()
})

test("retries deletions that failed after a second, not at once", async () => {
  const clock = createManualClock()
  let tries = 0
  const item = { key: "foo/a", modRevision: 2 }
  const expiry = createExpiry({
    clock,
    reader: () => readerOf((_nowMs, limit) => ({ items: limit === 0 ? [] : [item], nextMs: clock.nowMs() })),
    remove: async () => {
      tries++
      // Every turn of the event loop is an opportunity to spin.
      await setImmediate()
      return false
    },
  })
  expiry.start()
  for (const expected of [1, 2, 3]) {
    clock.advance(1000)
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    expect(tries).toBe(expected)
  }
  expiry.cancel()
  clock.advance(10_000)
  expect(tries).toBe(3)
})
