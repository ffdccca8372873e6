/** Runs case after case until one fails, and then reduces the cases that are needed to reproduce the failure. */
import { describeCase, type FuzzCase } from "./case.ts"
import { Drawer, type Topic } from "./draw.ts"
import { type Finding, FuzzRun } from "./run.ts"

/** Cases between two checks of retained memory. */
const casesPerRest = 300
/** Cases before the failed one that may have contributed to it. */
const sharedMax = 64

export interface Found {
  readonly finding: Finding
  /** Numbers of the cases that reproduce it. */
  readonly numbers: readonly number[]
  readonly seconds: number
}

export interface Hunt {
  readonly seed: number
  /** Default: everything. */
  readonly topic?: Topic | undefined
  readonly first: number
  /** How long another client may wait, in milliseconds; default: the limit of `npm run fuzz`. */
  readonly heldMs?: number
  /** Called before each case: whether to run another one. */
  readonly goesOn: (number: number) => boolean
  readonly found: (found: Found) => Promise<void>
}

/** Resolves with the number of cases. Replaces a server that has failed. */
export async function hunt({ seed, topic, first, heldMs, goesOn, found }: Hunt): Promise<number> {
  const drawer = await Drawer.make(topic)
  const startedMs = performance.now()
  let run = await FuzzRun.start(heldMs)
  let lately: number[] = []
  let number = first
  try {
    for (; goesOn(number); number++) {
      lately = [...lately.slice(-sharedMax), number]
      const one = await drawer.draw(seed, number)
      const finding = (await run.take(one)) ?? (number % casesPerRest === 0 ? await run.kept() : undefined)
      if (finding === undefined) continue
      const seconds = Math.round((performance.now() - startedMs) / 1000)
      await run.stop()
      await found({ finding, numbers: await smallest({ drawer, seed, numbers: lately, finding, heldMs }), seconds })
      run = await FuzzRun.start(heldMs)
      lately = []
    }
  } finally {
    await run.stop()
  }
  return number - first
}

/** Runs the cases again on a new server and returns whether they have the same effect. */
async function hasEffect(cases: readonly FuzzCase[], type: Finding["type"], heldMs: number | undefined): Promise<boolean> {
  const run = await FuzzRun.start(heldMs)
  try {
    for (const one of cases) if ((await run.take(one))?.type === type) return true
    return type === "kept" && (await run.kept()) !== undefined
  } finally {
    await run.stop()
  }
}

/** Returns the last case alone, if that is enough; else removes unneeded halves repeatedly. */
async function smallest(failed: {
  readonly drawer: Drawer
  readonly seed: number
  readonly numbers: readonly number[]
  readonly finding: Finding
  readonly heldMs: number | undefined
}): Promise<readonly number[]> {
  const { drawer, seed, numbers, finding, heldMs } = failed
  const fails = async (some: readonly number[]): Promise<boolean> =>
    hasEffect(await Promise.all(some.map((number) => drawer.draw(seed, number))), finding.type, heldMs)
  const last = numbers.slice(-1)
  if (await fails(last)) return last
  let left = numbers
  for (let half = Math.ceil(left.length / 2); half >= 1 && left.length > 1; half = Math.floor(half / 2)) {
    const [without, only] = [left.slice(half), left.slice(0, half)]
    if (await fails(without)) left = without
    else if (await fails(only)) left = only
  }
  return left
}

/** The printed report: what happened, and how to reproduce it. */
export async function describeFound(seed: number, { finding, numbers, seconds }: Found, topic?: Topic): Promise<string> {
  const drawer = await Drawer.make(topic)
  const cases = await Promise.all(numbers.map(async (number) => `  ${number}: ${describeCase(await drawer.draw(seed, number))}`))
  const again = `npm run fuzz -- ${topic === undefined ? "" : `--topic ${topic} `}--seed ${seed} --cases ${numbers.join(",")}`
  return [`${finding.type} after ${seconds} s: ${finding.text}`, ...cases, `  again: ${again}`].join("\n")
}
