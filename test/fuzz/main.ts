/** `npm run fuzz`: sends random cases to a server for the given time, and prints how to reproduce each finding. */
import { parseArgs } from "node:util"
import { describeCase } from "./case.ts"
import { Drawer } from "./draw.ts"
import { describeFound, hunt } from "./hunt.ts"
import { FuzzRun } from "./run.ts"

const { values } = parseArgs({
  options: {
    /** Running time in minutes; default 2. */
    minutes: { type: "string", default: "2" },
    /** Default: a new one each time. */
    seed: { type: "string" },
    /** `definitions`: nothing but these and the kinds that they add. Default: everything. */
    topic: { type: "string" },
    /** The number of the first case. */
    from: { type: "string", default: "0" },
    /** Runs only these, in this order: `7,12`. */
    cases: { type: "string" },
    /** Stops after this many findings. */
    findings: { type: "string", default: "10" },
  },
})

if (values.topic !== undefined && values.topic !== "definitions") throw new Error(`--topic ${values.topic}: there is only "definitions"`)
const { topic } = values
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)

async function only(numbers: readonly number[]): Promise<number> {
  const [drawer, run] = await Promise.all([Drawer.make(topic), FuzzRun.start()])
  try {
    for (const number of numbers) {
      const one = await drawer.draw(seed, number)
      const finding = await run.take(one)
      console.log(`${number}: ${describeCase(one)}\n  ${finding === undefined ? "is taken well" : `${finding.type}: ${finding.text}`}`)
      if (finding !== undefined) return 1
    }
    return 0
  } finally {
    await run.stop()
  }
}

async function all(): Promise<number> {
  const untilMs = performance.now() + Number(values.minutes) * 60_000
  let findings = 0
  console.log(`from seed ${seed}`)
  const cases = await hunt({
    seed,
    topic,
    first: Number(values.from),
    goesOn: () => performance.now() < untilMs && findings < Number(values.findings),
    async found(found) {
      findings++
      console.log(await describeFound(seed, found, topic))
    },
  })
  console.log(`${findings} findings in ${cases} cases`)
  return findings === 0 ? 0 : 1
}

process.exitCode = values.cases === undefined ? await all() : await only(values.cases.split(",").map(Number))
