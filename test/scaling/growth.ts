/** Growth of an operation's cost with its input, in steps that `counting-build.ts` counts. */
import { setImmediate } from "node:timers/promises"

declare global {
  /** Defined by `counting-build.ts`. */
  var stepsCounted: () => number
}

export interface Input {
  readonly count: number
}

export interface Measurable<Of extends Input> {
  readonly name: string
  /** Prepares everything and returns the function to measure; counts only that function. */
  prepare(input: Of): Promise<() => unknown>
}

/** Counts for a first look, and larger ones that confirm it. */
export interface Counts {
  readonly small: readonly number[]
  readonly large: readonly (readonly number[])[]
}

export const usualCounts: Counts = {
  small: [64, 128, 256],
  large: [
    [256, 384, 512],
    [1024, 1536, 2048],
  ],
}

/**
 * Factor by which the cost of an item may grow when the count doubles: first to decide whether to measure larger
 * counts, then as the limit. Sorting adds some hundredths.
 */
const suspicious = 1.12
const superlinear = 1.2

/** Lists the operations whose cost grows faster than the input, each with the factor. `what`: the input. */
export async function faultsOfGrowth<Of extends Input>(
  operations: readonly Measurable<Of>[],
  what: string,
  make: (count: number) => Of,
  { small, large }: Counts = usualCounts,
): Promise<string[]> {
  const faults: string[] = []
  const inputs = small.map(make)
  for (const operation of operations) {
    if ((await growthOf(operation, inputs)) <= suspicious) continue
    const confirmed: number[] = []
    for (const counts of large) {
      if (confirmed.every((one) => one > superlinear)) confirmed.push(await growthOf(operation, counts.map(make), confirmations))
    }
    if (confirmed.every((one) => one > superlinear)) {
      const times = confirmed.map((one) => one.toFixed(2)).join(" and ")
      faults.push(`${operation.name} of ${what}: the later ones cost ${times} times as much as the earlier ones`)
    }
  }
  return faults
}

/** Cost of an additional item between the second and third object, divided by its cost between the first and second. */
async function growthOf<Of extends Input>(operation: Measurable<Of>, inputs: readonly Of[], runs = 1): Promise<number> {
  const points: { readonly count: number; readonly cost: number }[] = []
  for (const input of inputs) {
    let cost = Number.POSITIVE_INFINITY
    for (let run = 0; run < runs; run++) cost = Math.min(cost, await costOf(operation, input))
    points.push({ count: input.count, cost })
  }
  const slope = (at: number): number => {
    const [from, to] = [points[at], points[at + 1]]
    return from === undefined || to === undefined ? 0 : (to.cost - from.cost) / (to.count - from.count)
  }
  const [early, late] = [slope(0), slope(1)]
  return late < 4 ? 1 : late / Math.max(early, 4)
}

/** The count includes other work of the process, such as the cache's; the cheapest of several runs has none of it. */
const confirmations = 3

async function costOf<Of extends Input>(operation: Measurable<Of>, input: Of): Promise<number> {
  const run = await operation.prepare(input)
  // Lets subscribers receive the objects that were stored for the run.
  await setImmediate()
  const before = stepsCounted()
  await run()
  return stepsCounted() - before
}
