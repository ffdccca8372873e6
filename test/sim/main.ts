/** `npm run sim`: runs plan after plan for the given time, and prints for each failure how to reproduce it. */
import { parseArgs } from "node:util"
import "../support/reuse-slabs.ts"
import { describeFailure } from "./failure.ts"
import { makePlan } from "./plan.ts"
import { run } from "./run.ts"

const { values } = parseArgs({
  options: {
    /** Duration; default 2. */
    minutes: { type: "string", default: "2" },
    /** The first seed; if given without `minutes`, the only one. Default: a random one. */
    seed: { type: "string" },
    steps: { type: "string", default: "250" },
    /** Also print the trace. */
    trace: { type: "boolean", default: false },
  },
})

/** Stops after this many failures. */
const failuresMax = 5

async function main(): Promise<number> {
  const only = values.seed !== undefined && !process.argv.includes("--minutes")
  const untilMs = performance.now() + Number(values.minutes) * 60_000
  const counts: Record<string, number> = {}
  let failures = 0
  let seed = Number(values.seed ?? Date.now() % 1_000_000_000)
  console.log(`from seed ${seed}, ${values.steps} steps each`)
  process.once("uncaughtException", (error) => {
    console.error(`seed ${seed - 1} ended by ${error.stack}`)
    process.exit(1)
  })
  do {
    const plan = makePlan(seed++, Number(values.steps))
    const result = await run(plan)
    if (values.trace) console.log(result.trace.join("\n"))
    counts.runs = (counts.runs ?? 0) + 1
    for (const [name, count] of Object.entries(result.counts)) counts[name] = (counts[name] ?? 0) + count
    if (result.faults.length === 0) continue
    failures++
    console.log(await describeFailure(plan, result.faults))
  } while (!only && failures < failuresMax && performance.now() < untilMs)
  console.log(
    `${failures} failures; ${Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")}`,
  )
  return failures === 0 ? 0 : 1
}

process.exitCode = await main()
