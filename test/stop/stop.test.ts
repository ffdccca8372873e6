/**
 * The built program under writes gets two signals, as from `npm start`, which forwards the terminal's signal that both
 * get. It ends by itself each time, and loses no acknowledged write. `STOP_ROUNDS` sets the number of stops; a larger
 * number is measured too.
 */
import { expect, test } from "vitest"
import { buildBundle } from "../../scripts/freshness.mjs"
import { newFolder } from "../support/program.ts"
import { testSeed } from "../support/seed.ts"
import { type EndSignal, missingIn, stopWhileWriting, type TwoSignals } from "./stopped-server.ts"

await buildBundle()

const usualRounds = 7
const rounds = Number(process.env.STOP_ROUNDS ?? usualRounds)
const seed = testSeed()
/** Not a limit of the program: one that has not ended by then hangs. */
const hangMs = 90_000
/** Rounds on one store. */
const roundsPerStore = 20

const term: EndSignal = "SIGTERM"
const int: EndSignal = "SIGINT"

/** The kinds of moments. `draw`: a number below 1000. */
const plans: readonly ((draw: number) => TwoSignals)[] = [
  (draw) => ({ signals: [term, term], at: "writing", delayMs: draw % 200, gapMs: 1 }),
  (draw) => ({ signals: [term, int], at: "writing", delayMs: draw % 50, gapMs: draw % 50 }),
  (draw) => ({ signals: [int, int], at: "writing", delayMs: draw % 100, gapMs: 0 }),
  (draw) => ({ signals: [int, term], at: "listening", delayMs: draw % 300, gapMs: draw % 50 }),
  (draw) => ({ signals: [term, term], at: "writing", delayMs: draw % 100, gapMs: "stopping" }),
  (draw) => ({ signals: [int, int], at: "writing", delayMs: draw % 30, gapMs: draw % 7 }),
  (draw) => ({ signals: [term, term], at: "listening", delayMs: draw % 1000, gapMs: 1 }),
]

test(`${rounds} stops with two signals end the program and lose nothing`, { timeout: hangMs + rounds * 20_000 }, async () => {
  const tookMs: number[] = []
  let written = 0
  let dataDir = ""
  for (let round = 0; round < rounds; round++) {
    if (round % roundsPerStore === 0) dataDir = newFolder()
    const plan = plans[round % plans.length]?.((seed * 31 + round * 7919) % 1000)
    if (plan === undefined) expect.fail("there is no such plan")
    const stopped = await stopWhileWriting(dataDir, `r${round}`, plan)
    const told = `${stopped.signal}, ${stopped.code}, ${JSON.stringify(plan)}:\n${stopped.output}`
    expect(stopped.output, told).not.toContain("SIGKILL")
    expect([0, 130, 143], told).toContain(stopped.code)
    expect(await missingIn(dataDir, stopped.acknowledged), told).toEqual([])
    tookMs.push(stopped.tookMs)
    written += stopped.acknowledged.length
    if (rounds > usualRounds) console.log(`round ${round}: ${Math.round(stopped.tookMs)} ms, ${JSON.stringify(plan)}`)
  }
  if (rounds > usualRounds) console.log(`${rounds} stops, ${written} acknowledged writes, ${distribution(tookMs)}`)
})

function distribution(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (share: number): number => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return `from signal to end p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`
}
