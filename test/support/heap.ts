/** Measures live heap memory, for tests of retained memory. */
import { setTimeout } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const gc: unknown = runInNewContext("gc")

/** Collects all garbage. Throws where the runtime cannot. */
export function collectGarbage(): void {
  if (typeof gc !== "function") throw new Error("this runtime cannot collect garbage on demand")
  gc()
}

/** Bytes of all reachable objects. */
export function liveBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** The heap growth caused by `make`: its result and the memory that the code under test retains. */
export function bytesKept(make: () => unknown): { readonly bytes: number; readonly made: unknown } {
  const before = liveBytes()
  const made = make()
  return { bytes: liveBytes() - before, made }
}

/** Rounds, and the milliseconds of each, within which everything unreachable is collected: timers end after seconds. */
const roundsMax = 200
const roundMs = 50

/** Weak references: the parts of one server in each list. */
export type Lives = readonly (readonly WeakRef<object>[])[]

/** Resolves with the lives that still have a reachable part: at most `allowed`, or all after the rounds. */
export async function livesReachable(lives: Lives, allowed: number): Promise<Lives> {
  let left = lives
  for (let round = 0; round < roundsMax && left.length > allowed; round++) {
    // An object read through a weak reference is kept until the end of the turn.
    await setTimeout(roundMs)
    collectGarbage()
    left = left.filter((parts) => parts.some((part) => part.deref() !== undefined))
  }
  return left
}
