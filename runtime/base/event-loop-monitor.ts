/**
 * Detects which request held the event loop. Requests leave marks when they begin, when work on their body begins, and
 * when they end. If two marks are far apart and a timer that was due between them did not fire, the loop was held, and
 * the marks identify the request. The timer reports the hold when it fires. A mark costs about 50 nanoseconds.
 *
 * Time in which the machine ran other programs is not a hold: only the processor time that this process used counts.
 */
import { loopBeatMs, loopHoldMs } from "./limits.ts"

/** One period in which the event loop was held. */
export interface LoopHold {
  /** Processor time, at most the time that passed. */
  readonly milliseconds: number
  /**
   * The users of the marks before and after the hold: one or two that may have caused it, or none when no request is
   * known to have.
   */
  readonly suspects: readonly object[]
}

/** Time of the last mark or beat. */
let lastMs = 0
/**
 * The user of the last mark, if its work began with it. Nothing else is retained: references to finished requests cost
 * the garbage collector.
 */
let begun: object | undefined
/** Holds since the last beat. Each took at least `loopHoldMs`, so there are few. */
let holds: LoopHold[] = []

/** Called when work for `user` begins: for its request, and after each wait. */
export function beginsWork(user: object): void {
  mark(user, 1)
}

/** Called when the work for `user` is done. */
export function endsWork(user: object): void {
  mark(user, 0)
}

function mark(user: object, begins: 0 | 1): void {
  const nowMs = performance.now()
  if (nowMs - lastMs > loopHoldMs) noteHold(nowMs, begins === 1 ? undefined : user)
  lastMs = nowMs
  begun = begins === 1 ? user : undefined
}

/**
 * The work that began before the gap or ended after it is the suspect. A gap in which the loop was idle is not a hold:
 * a beat would have fired in it.
 */
function noteHold(nowMs: number, ended: object | undefined): void {
  if (beats === undefined || nowMs - beatMs - loopBeatMs <= loopHoldMs) return
  const usedMs = usedSince()
  if (usedMs <= loopHoldMs) return
  const suspects = new Set([begun, ended].filter((suspect) => suspect !== undefined))
  holds.push({ milliseconds: Math.min(nowMs - lastMs, usedMs), suspects: [...suspects] })
}

/** The processor time in milliseconds since the last beat or hold. Called after a gap only: it costs a microsecond. */
function usedSince(): number {
  const now = usedMs()
  const since = now - beatUsedMs
  beatUsedMs = now
  return since
}

/** Of this thread, where node measures it (from 23.9 on), else of the process. */
function usedMs(): number {
  const { user, system } = ("threadCpuUsage" in process ? threadUsage(process.threadCpuUsage) : undefined) ?? process.cpuUsage()
  return (user + system) / 1000
}

/** The types of node 20 do not know it. */
function threadUsage(usage: unknown): NodeJS.CpuUsage | undefined {
  const used: unknown = typeof usage === "function" ? usage.call(process) : undefined
  return typeof used === "object" && used !== null && "user" in used && "system" in used
    ? { user: Number(used.user), system: Number(used.system) }
    : undefined
}

const listeners = new Set<(hold: LoopHold) => void>()
let beats: NodeJS.Timeout | undefined
let beatMs = 0
let beatUsedMs = 0

/**
 * Called once per server. Calls `onHold` after each hold longer than `loopHoldMs`. Returns a function that stops
 * watching.
 */
export function watchLoop(onHold: (hold: LoopHold) => void): () => void {
  const listener = (hold: LoopHold): void => onHold(hold)
  listeners.add(listener)
  if (beats === undefined) {
    forget(performance.now())
    // Real time, regardless of the server's clock: the event loop has no other.
    beats = setInterval(beat, loopBeatMs)
    beats.unref()
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(beats)
    beats = undefined
  }
}

function beat(): void {
  const nowMs = performance.now()
  if (nowMs - lastMs > loopHoldMs) noteHold(nowMs, undefined)
  const found = holds
  forget(nowMs)
  for (const hold of found) for (const listener of listeners) listener(hold)
}

/** Drops references to finished requests. */
function forget(nowMs: number): void {
  if (holds.length > 0) holds = []
  begun = undefined
  lastMs = nowMs
  beatMs = nowMs
  beatUsedMs = usedMs()
}
