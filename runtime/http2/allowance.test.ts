import fc from "fast-check"
import { expect, it } from "vitest"
import { Allowance } from "./allowance.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"

/** The number of attempts that are allowed at once. */
function taken(allowance: Allowance, attempts: number): number {
  return Array.from({ length: attempts }, () => allowance.take()).filter((isAllowed) => isAllowed).length
}

it("allows the burst at once, and no more while no time passes", () => {
  const allowance = new Allowance({ burst: 5, perSecond: 2 }, createManualClock())
  expect(Array.from({ length: 7 }, () => allowance.take())).toEqual([true, true, true, true, true, false, false])
})

it("allows the rate per second after the burst, in steps of any length", () => {
  const clock = createManualClock()
  const allowance = new Allowance({ burst: 5, perSecond: 2 }, clock)
  taken(allowance, 5)
  const allowed: number[] = []
  for (let tenth = 1; tenth <= 30; tenth++) {
    clock.advance(100)
    if (allowance.take()) allowed.push(tenth)
  }
  expect(allowed).toEqual([5, 10, 15, 20, 25, 30])
})

it("refills with time, and allows whole events only", () => {
  const clock = createManualClock()
  const allowance = new Allowance({ burst: 10, perSecond: 4 }, clock)
  taken(allowance, 10)
  clock.advance(999)
  expect(taken(allowance, 10)).toBe(3)
  clock.advance(1)
  expect(taken(allowance, 10)).toBe(1)
})

it("never refills beyond the burst", () => {
  const clock = createManualClock()
  const allowance = new Allowance({ burst: 10, perSecond: 4 }, clock)
  taken(allowance, 10)
  clock.advance(3_600_000)
  expect(taken(allowance, 100)).toBe(10)
})

it("does not count refusals", () => {
  const clock = createManualClock()
  const allowance = new Allowance({ burst: 1, perSecond: 1 }, clock)
  taken(allowance, 1000)
  clock.advance(1000)
  expect(taken(allowance, 10)).toBe(1)
})

it("never refills at a rate of 0", () => {
  const clock = createManualClock()
  const allowance = new Allowance({ burst: 2, perSecond: 0 }, clock)
  expect(taken(allowance, 10)).toBe(2)
  clock.advance(3_600_000)
  expect(taken(allowance, 10)).toBe(0)
})

it("starts full at its creation, whatever the clock shows", () => {
  const clock = createManualClock()
  clock.advance(3_600_000)
  const allowance = new Allowance({ burst: 3, perSecond: 1 }, clock)
  expect(taken(allowance, 10)).toBe(3)
})

it("allows at most the burst and the refills, and all of them if every attempt is made", () => {
  const steps = fc.array(fc.record({ waitMs: fc.nat(2000), attempts: fc.nat(20) }), { maxLength: 50 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 50 }), steps, (burst, perSecond, list) => {
      const clock = createManualClock()
      const allowance = new Allowance({ burst, perSecond }, clock)
      let allowed = 0
      for (const { waitMs, attempts } of list) {
        clock.advance(waitMs)
        allowed += taken(allowance, attempts)
        expect(allowed).toBeLessThanOrEqual(burst + (clock.elapsedMs() * perSecond) / 1000 + 1e-6)
      }
    }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(1000), { maxLength: 50 }), (perSecond, waits) => {
      const clock = createManualClock()
      // The burst exceeds the refill of any wait, so no refill is lost.
      const allowance = new Allowance({ burst: 100, perSecond }, clock)
      let allowed = taken(allowance, 200)
      for (const waitMs of waits) {
        clock.advance(waitMs)
        allowed += taken(allowance, 200)
      }
      expect(Math.abs(allowed - (100 + (clock.elapsedMs() * perSecond) / 1000))).toBeLessThanOrEqual(1 + 1e-6)
    }),
  )
})

it("does not accumulate refills while it is full", () => {
  const clock = createManualClock()
  const allowance = new Allowance({ burst: 10, perSecond: 4 }, clock)
  clock.advance(3_600_000)
  expect(taken(allowance, 100)).toBe(10)
})
