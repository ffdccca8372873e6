/**
 * Loaded into a server's process before its program: measures turns of the event loop while somebody asks it to. Says "turns" with their
 * milliseconds, longest first, for each "stop" that follows a "start".
 */
import { performance } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

/** Turns that are told. */
const toldTurns = 8
let turns = []
let isMeasuring = false
let last = { wallMs: 0, cpuUs: 0 }

function now() {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), cpuUs: user + system }
}

/** Whichever is less: a turn takes longer than its work where other processes have the processor, and threads beside it add to the processor's time. */
function turn() {
  if (!isMeasuring) return
  const ended = now()
  const turnMs = Math.min(ended.wallMs - last.wallMs, (ended.cpuUs - last.cpuUs) / 1000)
  if (turnMs > 1) turns.push(turnMs)
  last = ended
  setImmediate(turn)
}

if (isMainThread && process.channel !== undefined) {
  process.on("message", (word) => {
    isMeasuring = word === "start"
    if (isMeasuring) {
      turns = []
      last = now()
      setImmediate(turn)
    } else process.send(turns.toSorted((left, right) => right - left).slice(0, toldTurns))
  })
  process.channel.unref()
}
