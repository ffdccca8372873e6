/**
 * Loaded into a server's process before its program: measures turns of the event loop on request. The message "start"
 * begins a measurement. The message "stop" ends it; the reply is the milliseconds of the longest turns, longest first.
 * The message "memory" collects garbage; the reply is the bytes that are in use then, in the heap and outside it.
 */
import { performance } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"

/** Number of turns that are reported. */
const toldTurns = 8
let turns = []
let isMeasuring = false
let last = { wallMs: 0, cpuUs: 0 }

function now() {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), cpuUs: user + system }
}

/**
 * The smaller of elapsed and CPU time: a turn takes longer than its work when other processes use the core, and other
 * threads add to the process's CPU time.
 */
function turn() {
  if (!isMeasuring) return
  const ended = now()
  const turnMs = Math.min(ended.wallMs - last.wallMs, (ended.cpuUs - last.cpuUs) / 1000)
  if (turnMs > 1) turns.push(turnMs)
  last = ended
  setImmediate(turn)
}

function bytesInUse() {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc")
  // The second collection frees objects that finalizers released.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

if (isMainThread && process.channel !== undefined) {
  process.on("message", (word) => {
    if (word === "memory") {
      process.send(bytesInUse())
      return
    }
    isMeasuring = word === "start"
    if (isMeasuring) {
      turns = []
      last = now()
      setImmediate(turn)
    } else process.send(turns.toSorted((left, right) => right - left).slice(0, toldTurns))
  })
  process.channel.unref()
}
