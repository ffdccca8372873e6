/**
 * Who held the event loop. Requests leave marks: when they begin, when their body has come and work on it begins, and when they end. A timer sees
 * that the loop stood still, and then the marks say whose work that was. A mark costs about 50 nanoseconds.
 */
import { loopBeatMs, loopHoldMs } from "./limits.ts"

/** The loop stood still for so long, about. */
export interface LoopHold {
  readonly milliseconds: number
  /** What was given with the marks before and behind: one, two that it may have been, or none when no request is known to have done it. */
  readonly suspects: readonly object[]
}

/** More marks between two beats than these overwrite the oldest: a hold lies between two of the last. */
const marksKept = 256
const users: (object | undefined)[] = new Array<object | undefined>(marksKept).fill(undefined)
const times = new Float64Array(marksKept)
const isBeginning = new Uint8Array(marksKept)
let marks = 0

/** Called when work for `user` begins: with its request, and with what it waited for. */
export function beginsWork(user: object): void {
  mark(user, 1)
}

/** Called when the work for `user` is done. */
export function endsWork(user: object): void {
  mark(user, 0)
}

function mark(user: object, begins: 0 | 1): void {
  const place = marks++ % marksKept
  users[place] = user
  times[place] = performance.now()
  isBeginning[place] = begins
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
  const holds = nowMs - beatMs - loopBeatMs > loopHoldMs ? holdsUntil(nowMs) : []
  forget(nowMs)
  for (const hold of holds) for (const listener of listeners) listener(hold)
}

/** Requests that are over must not be kept. */
function forget(nowMs: number): void {
  if (marks > 0) users.fill(undefined, 0, Math.min(marks, marksKept))
  marks = 0
  beatMs = nowMs
}

/** Between the marks, since the last beat: what began before the gap worked in it, or what ended behind it. */
function holdsUntil(nowMs: number): LoopHold[] {
  const holds: LoopHold[] = []
  const first = Math.max(0, marks - marksKept)
  // What lay before marks that were overwritten is not known.
  let beforeMs = first === 0 ? beatMs : (times[first % marksKept] ?? 0)
  let begun: object | undefined
  for (let index = first; index <= marks; index++) {
    const place = index % marksKept
    const isLast = index === marks
    const atMs = isLast ? nowMs : (times[place] ?? 0)
    const user = isLast ? undefined : users[place]
    const begins = isBeginning[place] === 1
    if (atMs - beforeMs > loopHoldMs) {
      const suspects = new Set([begun, begins ? undefined : user].filter((suspect) => suspect !== undefined))
      holds.push({ milliseconds: atMs - beforeMs, suspects: [...suspects] })
    }
    beforeMs = atMs
    begun = begins ? user : undefined
  }
  return holds
}
