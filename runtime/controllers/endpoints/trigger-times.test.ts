import { expect, test } from "vitest"
import type { PodRecord } from "./pod-record.ts"
import { TriggerTimes, withTrigger } from "./trigger-times.ts"

const at = (minute: number): string => `2024-01-01T00:${String(minute).padStart(2, "0")}:00Z`
/** Pods that became ready, or not ready, at these minutes; "": unknown. */
const pods = (minutes: Record<string, number | "">): PodRecord[] =>
  Object.entries(minutes).map(([name, minute]) => ({ name, readySince: minute === "" ? "" : at(minute) })) as PodRecord[] // Only these fields are read.

test("at first it is the creation of the service, then the first change since the last write", () => {
  const triggers = new TriggerTimes()
  const since = (created: number, minutes: Record<string, number | "">): string | undefined => {
    const { since: found, written } = triggers.triggerOf("a/web", at(created), pods(minutes))
    written()
    return found
  }
  expect(since(0, { a: 5 })).toBe(at(0))
  expect(since(0, { a: 5 })).toBeUndefined()
  expect(since(0, { a: 5, b: 7, c: 6 })).toBe(at(6))
  expect(since(0, { a: 5, b: 8, c: "" })).toBe(at(8))
  expect(since(0, { a: 5 })).toBeUndefined()
  expect(since(9, { a: 12, b: "" })).toBe(at(9))
  triggers.forget("a/web")
  expect(since(9, { a: 13 })).toBe(at(9))
})

test("a change whose write failed is still the trigger of the next one", () => {
  const triggers = new TriggerTimes()
  triggers.triggerOf("a/web", at(0), pods({ a: 1 })).written()
  triggers.triggerOf("a/web", at(0), pods({ a: 2 }))
  expect(triggers.triggerOf("a/web", at(0), pods({ a: 2, b: 3 })).since).toBe(at(2))
  expect(triggers.triggerOf("a/other", at(4), []).since).toBe(at(4))
})

test("the annotation goes when there is no time, and other annotations stay", () => {
  expect(withTrigger({ mine: "1", time: at(1) }, "time", { since: undefined })).toEqual({ mine: "1" })
  expect(withTrigger(undefined, "time", { since: at(2) })).toEqual({ time: at(2) })
})
