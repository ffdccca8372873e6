import { pino } from "pino"
import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { whenReady } from "./when-ready.ts"

test("logs each reason once, and resolves when every check passes", async () => {
  const clock = createManualClock()
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push((JSON.parse(line) as { reason: string }).reason) })
  const faults: (string | undefined)[] = ["filling", "filling", "full", undefined, undefined]
  const checks = [
    { name: "ping", check: async () => undefined },
    { name: "caches", check: async () => faults.shift() },
  ]
  let isReady = false
  const ready = whenReady(checks, { log, clock }).then((answer) => (isReady = answer))
  while (!isReady) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    clock.advance(100)
  }
  expect(await ready).toBe(true)
  expect(lines).toEqual(["caches: filling", "caches: full"])
  expect(faults).toHaveLength(1)
})
