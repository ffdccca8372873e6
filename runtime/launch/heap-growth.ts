/** Limits how far the JavaScript heap grows between two full collections. */
import { setFlagsFromString } from "node:v8"

/**
 * Percentage of the used memory by which the heap, and the Buffers it holds, grow before the next collection. By
 * default V8 lets a small heap double or quadruple, and the heap is small because objects are stored in slabs: after
 * 78,000 writes and their lists a quarter of all memory was uncollected garbage. Measured there: 428 MB resident with
 * 15 full collections, 377 MB with 24 at 60 percent, 376 MB with 46 at 40 percent. The same on every supported version
 * of Node: a process that replaces 1,000,000 objects seven times takes 514 to 551 MB by default on Node 20, 22 and 24,
 * and 289 to 299 MB at 60 percent, on Node 24 at most 440 MB.
 */
const growthPercent = 60

/** The V8 flag. If node was started with it, leave it alone. */
const flag = "--heap-growing-percent"

/**
 * Called once by a program that serves, before anything else. `given`: the arguments of node. Takes effect with the
 * next full collection, so it can be set at run time (node warns that some flags cannot).
 */
export function boundHeapGrowth(given: readonly string[]): void {
  if (given.some((argument) => argument.replaceAll("_", "-").startsWith(flag))) return
  setFlagsFromString(`${flag}=${growthPercent}`)
}
