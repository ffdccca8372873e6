/** Flags of V8 for a program that serves. */
import { setFlagsFromString } from "node:v8"

/**
 * Percentage of the used memory by which the heap, and the Buffers it holds, grow before the next collection. By
 * default V8 lets a small heap double or quadruple, and the heap is small because objects are stored in slabs: after
 * 78,000 writes and their lists a quarter of all memory was uncollected garbage. Measured there: 428 MB resident with
 * 15 full collections, 377 MB with 24 at 60 percent, 376 MB with 46 at 40 percent. The same on every supported version
 * of Node: a process that replaces 1,000,000 objects seven times takes 514 to 551 MB by default on Node 20, 22 and 24,
 * and 289 to 299 MB at 60 percent, on Node 24 at most 440 MB.
 */
const heapGrowing = { name: "--heap-growing-percent", value: 60 }

/**
 * Bytes of bytecode that a function runs before V8 considers optimizing it: six times its default. In the first seconds
 * V8 optimizes functions after too few calls, and soon does so again. Measured on Node 20 at three times the default,
 * CPU of the first 300 requests of each kind against the default: pods create 0.70, get 0.45, merge patch 0.75, PUT
 * 0.8; ConfigMaps create 0.73, get 0.67. At six times against three: deletions of pods 0.75, gets 0.85. From some
 * thousand requests on there is no difference.
 */
const interruptBudget = { name: "--interrupt-budget", value: 400_000 }

/** Node 22 and later count differently, and have a fast compiler in between. */
const flags = process.versions.node.startsWith("20.") ? [heapGrowing, interruptBudget] : [heapGrowing]

/**
 * Called once by a program that serves, before anything else. `given`: the arguments of node; a flag that is among them
 * is left alone. V8 reads both flags whenever it decides, so they can be set at run time (node warns that some cannot).
 */
export function tuneEngine(given: readonly string[]): void {
  for (const { name, value } of flags)
    if (!given.some((argument) => argument.replaceAll("_", "-").startsWith(name))) setFlagsFromString(`${name}=${value}`)
}
