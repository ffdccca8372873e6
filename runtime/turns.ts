/**
 * Long work in turns of the event loop, so that no request holds up the others. Work is counted and not timed: the same request takes the same
 * turns every time, in the simulation too.
 */
import { largeObjectBytes, turnWorkMax } from "./limits.ts"

/** Resumes what waits, one turn of the event loop each: ten long requests at a time cost the others no more per turn than one does. */
class TurnQueue {
  private readonly waiting: (() => void)[] = []
  private isScheduled = false

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.waiting.shift()?.()
      this.schedule()
    })
  }
}

const queue = new TurnQueue()

/**
 * Resolves in a later turn of the event loop, after the requests that came meanwhile were looked at. Long requests that wait here are resumed one a
 * turn, in the order in which they came.
 */
export function nextTurn(): Promise<void> {
  return queue.wait()
}

/**
 * The turns of one piece of long work, a list that is filtered or a document that is written. Made once for each.
 *
 *     for (const object of objects) {
 *       visit(object)
 *       if (turns.isOver(decodeWork(object))) await turns.next()
 *     }
 */
export class Turns {
  private work = 0

  /** Counts work that was done, in microseconds that it takes on the project's machine, about. True: the turn is over, wait for the `next`. */
  isOver(work: number): boolean {
    this.work += work
    return this.work >= turnWorkMax
  }

  /** Lets the others have their turn. */
  next(): Promise<void> {
    this.work = 0
    return nextTurn()
  }
}

/**
 * True for an object of so many bytes that the stages of the work on it are turns. A small one, as almost all are, goes
 * on at once and costs no promise:
 *
 *     if (takesTurns(bytes)) await nextTurn()
 */
export function takesTurns(bytes: number): boolean {
  return bytes >= largeObjectBytes
}

/**
 * Work on one object that says where it may be interrupted: between stages that take about as long as the object is large. Made by a generator function
 * of a module or by a method, never by one that is made for each request: for each such function the engine makes a prototype and a hidden class, which
 * cost an apply a quarter of its time.
 */
export type Stages<Result> = Generator<undefined, Result, undefined>

/** All stages without interruption. */
export function atOnce<Result>(stages: Stages<Result>): Result {
  let stage = stages.next()
  while (stage.done !== true) stage = stages.next()
  return stage.value
}

/** The stages one a turn. What they read must not be changed by others meanwhile. */
export async function inTurns<Result>(stages: Stages<Result>): Promise<Result> {
  let stage = stages.next()
  while (stage.done !== true) {
    await nextTurn()
    stage = stages.next()
  }
  return stage.value
}
