/**
 * Hundreds of runs share a process. Memory that a killed server leaves behind stays until the end of all runs, and the
 * longer the simulation runs, the more of its time goes into garbage collection.
 */
import { expect, it } from "vitest"
import { livesReachable } from "../support/heap.ts"
import { makePlan } from "./plan.ts"
import { run } from "./run.ts"

const runs = 8
const steps = 40

it(`nothing keeps the servers of ${runs} runs`, { timeout: 300_000 }, async () => {
  const lives: WeakRef<object>[][] = []
  const drivers = new Set<string>()
  for (let seed = 1; seed <= runs; seed++) {
    const plan = makePlan(seed, steps)
    drivers.add(plan.driver)
    const parts: object[] = []
    await run(plan, { server: (running) => void parts.push(running.parts), world: ({ truth }) => void parts.push(truth) })
    lives.push(parts.splice(0).map((part) => new WeakRef(part)))
  }
  expect([...drivers].sort()).toEqual(["etcd", "lmdb", "shared"])
  // The library of the ordered map keeps the pair that it returned last, and with it one world.
  const kept = await livesReachable(lives, 1)
  expect(kept.length).toBeLessThan(2)
})
