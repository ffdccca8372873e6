/**
 * Who held the event loop. Requests leave marks: when they begin, when their body has come and work on it begins, and when they end. Where two marks
 * lie far apart, and a timer that was due between them did not fire, the loop stood still, and the marks say whose work that was. The timer tells of it
 * when it fires. A mark costs about 50 nanoseconds.
 */
import { loopBeatMs, loopHoldMs } from "./limits.ts"

/** The loop stood still for so long, about. */
export interface LoopHold {
  readonly milliseconds: number
  /** What was given with the marks before and behind: one, two that it may have been, or none when no request is known to have done it. */
  readonly suspects: readonly object[]
}

/** When the last mark was left, or the last beat was. */
let lastMs = 0
/** Who left the last mark, when its work began with it. Only this one is kept: what is kept of a request that is over costs the collector. */
let begun: object | undefined
/** Holds since the last beat. Each took `loopHoldMs`, so there are few. */
let holds: LoopHold[] = []

/** Called when work for `user` begins: with its request, and with what it waited for. */
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

/** What began before the gap worked in it, or what ended behind it. A gap in which the loop waited for something to do is none: a beat was due in it. */
function noteHold(nowMs: number, ended: object | undefined): void {
  if (beats === undefined || nowMs - beatMs - loopBeatMs <= loopHoldMs) return
  const suspects = new Set([begun, ended].filter((suspect) => suspect !== undefined))
  holds.push({ milliseconds: nowMs - lastMs, suspects: [...suspects] })
}

const listeners = new Set<(hold: LoopHold) => void>()
let beats: NodeJS.Timeout | undefined
let beatMs = 0

/** Called once per server. `onHold` is called after each time that the loop was held for longer than `loopHoldMs`. Answers what ends it. */
export function watchLoop(onHold: (hold: LoopHold) => void): () => void {
  const listener = (hold: LoopHold): void => onHold(hold)
  listeners.add(listener)
  if (beats === undefined) {
    forget(performance.now())
    // Real time, whatever clock the server is given: the loop has no other.
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

/** Requests that are over must not be kept. */
function forget(nowMs: number): void {
  if (holds.length > 0) holds = []
  begun = undefined
  lastMs = nowMs
  beatMs = nowMs
}
