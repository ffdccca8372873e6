import { pino } from "pino"
import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { whenReady } from "./when-ready.ts"

test("says once that it waits, warns of each reason later, and resolves when every check passes", async () => {
  const clock = createManualClock()
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(told(JSON.parse(line) as { level: number; reason: string })) })
  const faults: (string | undefined)[] = ["filling", "other", ...Array.from({ length: 150 }, () => "filling"), "full", undefined, undefined]
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
  expect(lines).toEqual(["30 caches: filling", "40 caches: filling", "40 caches: full"])
  expect(faults).toHaveLength(1)
})

function told({ level, reason }: { level: number; reason: string }): string {
  return `${level} ${reason}`
}
