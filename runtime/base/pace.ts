/** How the work on an object takes turns of the event loop. */
import { atOnce, inTurns, nextTurn, type Stages, takesTurns } from "./turns.ts"

/**
 * Splits the work on one object by its size: work on a large object takes turns, so that it does not hold up other
 * requests. Each operation has one, and each attempt of a write may have a slower one.
 */
export class Pace {
  /**
   * The size of the body once it was read, plus defaults added to its object; approximate if the body was never text.
   * The size of the stored object, if that is larger.
   */
  bytes: number

  constructor(bytes = 0) {
    this.bytes = bytes
  }

  /** Whether the steps of the work are separate turns. Almost all objects are small, and are worked on at once. */
  get isSlow(): boolean {
    return takesTurns(this.bytes)
  }

  /** The pace of work on at least so many bytes. */
  atLeast(bytes: number): Pace {
    return bytes <= this.bytes ? this : new Pace(bytes)
  }

  /** Await it between two steps of the work: the rest of slow work goes on in a later turn. */
  turn(): Promise<void> | undefined {
    return this.isSlow ? nextTurn() : undefined
  }

  /** Runs a step that has stages, each in a turn of its own if the work is slow. Returns a promise only then. */
  run<Result>(stages: Stages<Result>): Result | Promise<Result> {
    return this.isSlow ? inTurns(stages) : atOnce(stages)
  }
}
