/**
 * Splits long work into turns of the event loop, so that no request holds up the others. Work is counted instead of
 * timed: the same request takes the same turns every time, also in the simulation.
 */
import { largeObjectBytes, turnWorkMax } from "./limits.ts"

/**
 * Resumes one waiting task per turn of the event loop: ten long requests at a time cost the others no more per turn
 * than one.
 */
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
 * Resolves in a later turn of the event loop, after the requests that arrived meanwhile were handled. Long requests
 * that wait here are resumed one per turn, in order of arrival.
 */
export function nextTurn(): Promise<void> {
  return queue.wait()
}

/**
 * The turns of one long task, such as filtering a list or writing a document. Created once for each task.
 *
 *     for (const object of objects) {
 *       visit(object)
 *       if (turns.isOver(decodeWork(object))) await turns.next()
 *     }
 */
export class Turns {
  private work = 0

  /**
   * Counts completed work, in approximate microseconds on the project's machine. Returns true when the turn is over:
   * await `next`.
   */
  isOver(work: number): boolean {
    this.work += work
    return this.work >= turnWorkMax
  }

  /** The same for work in stages: returns true when the stage is over, to yield. */
  endsStage(work: number): boolean {
    if (!this.isOver(work)) return false
    this.work = 0
    return true
  }

  /** Yields to other requests. */
  next(): Promise<void> {
    this.work = 0
    return nextTurn()
  }
}

/** The turns of several workers of one task: while one waits for the next turn, so do the others. */
export class SharedTurns {
  private readonly turns = new Turns()
  private waiting: Promise<void> | undefined

  /** Counts completed work. Await the returned promise; undefined while the turn is not over. */
  pause(work: number): Promise<void> | undefined {
    if (this.waiting === undefined && this.turns.isOver(work))
      this.waiting = this.turns.next().then(() => {
        this.waiting = undefined
      })
    return this.waiting
  }
}

/**
 * True for objects so large that the stages of the work on them are separate turns. A small object, like almost all, is
 * processed at once and costs no promise:
 *
 *     if (takesTurns(bytes)) await nextTurn()
 */
export function takesTurns(bytes: number): boolean {
  return bytes >= largeObjectBytes
}

/**
 * Work on one object that can be interrupted between its stages, each of which takes time in proportion to the object.
 * Create it with a generator function of a module or a method, never with a closure per request: V8 makes a prototype
 * and a hidden class for each generator function, which cost an apply a quarter of its time.
 */
export type Stages<Result> = Generator<undefined, Result, undefined>

/** Runs all stages without interruption. */
export function atOnce<Result>(stages: Stages<Result>): Result {
  let stage = stages.next()
  while (stage.done !== true) stage = stages.next()
  return stage.value
}

/** Runs one stage per turn. The data they read must not change meanwhile. */
export async function inTurns<Result>(stages: Stages<Result>): Promise<Result> {
  let stage = stages.next()
  while (stage.done !== true) {
    await nextTurn()
    stage = stages.next()
  }
  return stage.value
}
