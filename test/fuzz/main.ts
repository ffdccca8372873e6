/** `npm run fuzz`: sends random cases to a server for the given time, and prints how to reproduce each finding. */
import { parseArgs } from "node:util"
import { describeCase } from "./case.ts"
import { huntAccess } from "./access/hunt.ts"
import { Drawer, type Topic } from "./draw.ts"
import { describeFound, hunt } from "./hunt.ts"
import { FuzzRun } from "./run.ts"

const { values } = parseArgs({
  options: {
    /** Running time in minutes; default 2. */
    minutes: { type: "string", default: "2" },
    /** Default: a new one each time. */
    seed: { type: "string" },
    /**
     * `definitions`: only definitions and the kinds that they add. `access`: inputs that decide who comes in, without
     * the built program. Default: any request.
     */
    topic: { type: "string" },
    /** The number of the first case. */
    from: { type: "string", default: "0" },
    /** Runs only these, in this order: `7,12`. */
    cases: { type: "string" },
    /** Stops after this many findings. */
    findings: { type: "string", default: "10" },
  },
})

const topic = topicOf(values.topic)
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)

function topicOf(text: string | undefined): Topic | "access" | undefined {
  if (text === undefined || text === "definitions" || text === "access") return text
  throw new Error(`--topic ${text}: there are "definitions" and "access"`)
}

async function access(): Promise<number> {
  const untilMs = performance.now() + Number(values.minutes) * 60_000
  const numbers = values.cases?.split(",").map(Number)
  let findings = 0
  console.log(`from seed ${seed}`)
  for (const first of numbers ?? [Number(values.from)]) {
    const goesOn = (number: number): boolean =>
      numbers === undefined ? performance.now() < untilMs && findings < Number(values.findings) : number === first
    const found = (text: string): void => {
      findings++
      console.log(text)
    }
    const taken = await huntAccess({ seed, first, goesOn, found })
    console.log(`${findings} findings in cases of ${[...taken].map(([sort, count]) => `${sort} ${count}`).join(", ")}`)
  }
  return findings === 0 ? 0 : 1
}

async function only(topic: Topic | undefined, numbers: readonly number[]): Promise<number> {
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

async function all(topic: Topic | undefined): Promise<number> {
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

if (topic === "access") process.exitCode = await access()
else process.exitCode = values.cases === undefined ? await all(topic) : await only(topic, values.cases.split(",").map(Number))
