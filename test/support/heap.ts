/** Measures live heap memory, for tests of what is retained. */
import { setImmediate } from "node:timers/promises"
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

/** The heap growth caused by `make`: its result plus what the code under test retains. */
export function bytesKept(make: () => unknown): { readonly bytes: number; readonly made: unknown } {
  const before = liveBytes()
  const made = make()
  return { bytes: liveBytes() - before, made }
}

/** Rounds within which everything unreachable is collected. */
const roundsMax = 20

/** Resolves with those of the values that something still refers to. */
export async function whatIsReachable(values: readonly WeakRef<object>[]): Promise<readonly WeakRef<object>[]> {
  let left = values
  for (let round = 0; round < roundsMax && left.length > 0; round++) {
    // What a turn has read through a weak reference stays until its end.
    for (let turn = 0; turn < 2; turn++) await setImmediate()
    collectGarbage()
    left = left.filter((value) => value.deref() !== undefined)
  }
  return left
}
