import { describe, expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { turnWorkMax } from "../base/limits.ts"
import { OpenWatches, type TimedWatch } from "./open-watches.ts"

describe("open watches", () => {
  it("are called in turns when thousands are due: each once, and none that has ended", async () => {
    const clock = createManualClock()
    const watches = new OpenWatches(clock, new AbortController().signal)
    const count = turnWorkMax
    let called = 0
    let calledInTurn = 0
    let most = 0
    const opened: TimedWatch[] = Array.from({ length: count }, () => ({
      waitingBytes: 0,
      due: (elapsedMs) => {
        called++
        calledInTurn++
        return elapsedMs + 60_000
      },
      stop: () => undefined,
    }))
    for (const watch of opened) watches.open(watch, clock.elapsedMs() + 1000)
    clock.advance(2000)
    const ended = opened.at(-1)
    if (ended !== undefined) watches.remove(ended)
    while (called < count - 1) {
      most = Math.max(most, calledInTurn)
      calledInTurn = 0
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(most).toBeLessThan(count / 2)
    await new Promise((resolve) => setImmediate(resolve))
    expect(called).toBe(count - 1)
    clock.advance(61_000)
    while (called < 2 * (count - 1)) await new Promise((resolve) => setImmediate(resolve))
    expect(called).toBe(2 * (count - 1))
  })
})
