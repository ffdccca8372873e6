/** Measures live heap memory, for tests of what is retained. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collectGarbage: unknown = runInNewContext("gc")

/** Bytes of all reachable objects. */
export function liveBytes(): number {
  if (typeof collectGarbage !== "function") throw new Error("this runtime cannot collect garbage on demand")
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** The heap growth caused by `make`: its result plus what the code under test retains. */
export function bytesKept(make: () => unknown): { readonly bytes: number; readonly made: unknown } {
  const before = liveBytes()
  const made = make()
  return { bytes: liveBytes() - before, made }
}
