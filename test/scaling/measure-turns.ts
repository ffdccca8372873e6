/**
 * Measures the longest turn of the event loop that a case of `turn-cases.ts` takes, bundled with counters as
 * `measure.ts` is. One line of JSON each.
 */
import { setImmediate } from "node:timers/promises"
import { createRandom } from "../sim/world/random.ts"
import { openRegistry } from "../support/open-registry.ts"
import type { Measured } from "./measure.ts"
import { type TurnCase, turnCases } from "./turn-cases.ts"

/** Number of characters that `JSON.parse` reads in the time of one step, roughly. */
const charactersPerStep = 10
/** Factor by which figures of the same work may differ. */
const tolerance = 1.35

let parsed = 0
const parse = JSON.parse.bind(JSON)
JSON.parse = (text: string, ...rest: []) => {
  parsed += text.length
  return parse(text, ...rest)
}
const cost = (): number => stepsCounted() + parsed / charactersPerStep

interface Turned {
  readonly longest: number
  readonly total: number
}

async function turnsOf(work: () => Promise<void>): Promise<Turned> {
  await setImmediate()
  const begun = cost()
  let [last, longest, isDone] = [begun, 0, false]
  const running = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    longest = Math.max(longest, cost() - last)
    last = cost()
    await setImmediate()
  }
  await running
  return { longest: Math.max(longest, cost() - last), total: cost() - begun }
}

async function measured(one: TurnCase, count: number): Promise<{ first: Turned; second: Turned | undefined }> {
  const opened = await openRegistry({ random: createRandom(1) })
  try {
    const work = await one.prepare(opened, count)
    const first = await turnsOf(work)
    return { first, second: one.again === undefined ? undefined : await turnsOf(work) }
  } finally {
    await opened.close()
  }
}

for (const one of turnCases) {
  // The first run opens kinds and compiles code for later runs.
  await measured(one, Math.ceil(one.count / 10))
  const [few, many] = [await measured(one, one.count), await measured(one, 2 * one.count)]
  const faults: string[] = []
  const longer = many.first.longest / few.first.longest
  if (longer > one.growth * tolerance) faults.push(`the longest turn is ${longer.toFixed(1)} times as long for twice as much`)
  const share = many.first.longest / many.first.total
  if (share > (one.share ?? 1)) faults.push(`the longest turn is ${share.toFixed(2)} of all the work`)
  const dearer = many.first.total / few.first.total
  if (dearer > 2 * tolerance) faults.push(`all of it costs ${dearer.toFixed(1)} times as much for twice as much`)
  const repeated = (many.second?.total ?? 0) / many.first.total
  if (repeated > (one.again ?? 1)) faults.push(`the second time costs ${repeated.toFixed(2)} of the first, although nothing has changed`)
  const line: Measured = { kind: "turns", field: one.name, valid: true, faults }
  process.stdout.write(`${JSON.stringify(line)}\n`)
  if (process.env["ORCH_TURNS"] !== undefined) console.error(one.name, JSON.stringify({ few, many }))
}
process.exit(0)
