import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { loopBeatMs, loopHoldMs } from "./limits.ts"
import { beginsWork, endsWork, type LoopHold, watchLoop } from "./event-loop-monitor.ts"

const [one, other] = [{ name: "one" }, { name: "other" }]
const longMs = 2 * loopHoldMs

let holds: LoopHold[]
let stop: () => void

let now = 0
let used = 0

beforeEach(() => {
  vi.useFakeTimers()
  now = performance.now()
  vi.spyOn(performance, "now").mockImplementation(() => now)
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: used, system: 0 }))
  // The types of node 20 do not know it.
  if ("threadCpuUsage" in process) vi.spyOn(process as { threadCpuUsage: () => unknown }, "threadCpuUsage").mockReturnValue(undefined)
  holds = []
  stop = watchLoop((hold) => holds.push(hold))
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Time passes without a timer firing: the loop is held, or the machine runs other programs. */
function pass(milliseconds: number, usedMs = milliseconds): void {
  vi.setSystemTime(Date.now() + milliseconds)
  now += milliseconds
  used += usedMs * 1000
}

/** The loop turns and its timers fire. */
function turn(): void {
  vi.advanceTimersByTime(loopBeatMs)
}

it.each<[string, () => unknown, readonly object[]]>([
  ["what began before it", () => [beginsWork(one), pass(longMs)], [one]],
  ["what ended behind it", () => [endsWork(other), pass(longMs), endsWork(one)], [one]],
  ["what began and ended around it", () => [beginsWork(one), pass(longMs), endsWork(one), endsWork(other)], [one]],
  ["either of two", () => [beginsWork(one), pass(longMs), endsWork(other)], [one, other]],
  ["not what began behind it", () => [beginsWork(one), pass(longMs), beginsWork(other)], [one]],
  ["not what had ended", () => [beginsWork(one), endsWork(one), pass(longMs)], []],
  ["nobody without marks", () => pass(longMs), []],
])("a hold is attributed to %s", (_what, happens, suspects) => {
  happens()
  turn()
  expect(holds).toEqual([{ milliseconds: longMs, suspects }])
})

it("time of other programs is not a hold, and does not count as part of one", () => {
  beginsWork(one)
  pass(10 * longMs, loopHoldMs / 2)
  endsWork(one)
  turn()
  expect(holds).toEqual([])
  beginsWork(one)
  pass(10 * longMs, longMs)
  turn()
  expect(holds).toEqual([{ milliseconds: longMs, suspects: [one] }])
})

it("many short requests are not a hold", () => {
  for (let index = 0; index < 1000; index++) {
    beginsWork(one)
    pass(1)
    endsWork(one)
  }
  turn()
  expect(holds).toEqual([])
})

it("is reported once, whatever other marks there are", () => {
  for (let index = 0; index < 1000; index++) endsWork(other)
  beginsWork(one)
  pass(longMs)
  for (let index = 0; index < 100; index++) endsWork(one)
  turn()
  turn()
  expect(holds).toEqual([{ milliseconds: longMs, suspects: [one] }])
})

it("time in which the loop turned is not a hold", () => {
  beginsWork(one)
  for (let index = 0; index < 10; index++) {
    pass(loopBeatMs)
    turn()
  }
  endsWork(one)
  expect(holds).toEqual([])
})
