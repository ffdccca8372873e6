/** What is alive on the heap, for tests of what is kept. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collectGarbage: unknown = runInNewContext("gc")

/** Bytes of everything that can still be reached. */
export function liveBytes(): number {
  if (typeof collectGarbage !== "function") throw new Error("this runtime cannot collect garbage on demand")
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** By how much what `make` made, and what the code under test kept of it, has let the heap grow. */
export function bytesKept(make: () => unknown): { readonly bytes: number; readonly made: unknown } {
  const before = liveBytes()
  const made = make()
  return { bytes: liveBytes() - before, made }
}
