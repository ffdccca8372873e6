import { describe, expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { watchStillMs } from "../limits.ts"
import { type HeldUpWatch, WatchBudget } from "./watch-budget.ts"

function setUp() {
  const clock = createManualClock()
  const told: unknown[] = []
  const budget = new WatchBudget({ clock, log: { warn: (fields: unknown) => told.push(fields) }, limitBytes: 1000 })
  const ended: number[] = []
  const watch = (waitingBytes: number): HeldUpWatch => ({ waitingBytes, giveUp: () => ended.push(waitingBytes) })
  return { budget, clock, ended, told, watch }
}

describe("the budget of what waits for watches", () => {
  it("ends those that do not move, the one that holds most first, until the rest fits", () => {
    const { budget, clock, ended, told, watch } = setUp()
    for (const bytes of [300, 500, 400]) budget.add(watch(bytes))
    expect(budget.usedBytes).toBe(1200)
    expect(ended).toEqual([])
    clock.advance(watchStillMs)
    expect(ended).toEqual([500])
    expect(budget.usedBytes).toBe(700)
    expect(told).toMatchObject([{ bytes: 500, allBytes: 1200, watchOutputBytesMax: 1000 }])
  })

  it("leaves alone who moves, however much it holds, and who waits while there is enough for all", () => {
    const { budget, clock, ended, watch } = setUp()
    const waiting = watch(900)
    budget.add(waiting)
    clock.advance(10 * watchStillMs)
    budget.remove(waiting)
    const moving = watch(5000)
    for (let round = 0; round < 10; round++) {
      budget.add(moving)
      clock.advance(watchStillMs - 1)
      budget.remove(moving)
    }
    expect(ended).toEqual([])
    expect(budget.usedBytes).toBe(0)
  })

  it("looks again while it is over, and not at all when it is not", () => {
    const { budget, clock, ended, watch } = setUp()
    budget.add(watch(800))
    expect(clock.nextDueMs()).toBeUndefined()
    clock.advance(watchStillMs / 2)
    budget.add(watch(600))
    clock.advance(watchStillMs / 2)
    const last = watch(700)
    budget.add(last)
    clock.advance(watchStillMs)
    expect(ended).toEqual([800, 600])
    budget.remove(last)
    clock.advance(watchStillMs)
    expect(budget.usedBytes).toBe(0)
    expect(clock.nextDueMs()).toBeUndefined()
  })
})
