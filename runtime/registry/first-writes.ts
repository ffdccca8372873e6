/** Writes of a kind that run code for the first time. */
import { Pace } from "../base/pace.ts"

/** After so many writes of a kind with generated code, V8 has compiled that code. */
export const firstWritesMax = 8
/** Uncompiled code takes this many times as long. */
const coldFactor = 16

/** Counts the first writes of a kind, which take turns as if they were so much larger. One for each handle. */
export class FirstWrites {
  /** `left`: how many writes count as first. 0 for a kind without code of its own, such as the kind of a definition. */
  constructor(private left: number) {}

  /** Whether the latest write that was weighed is the first of all. */
  get isFirst(): boolean {
    return this.left === firstWritesMax - 1
  }

  /** Called once for each attempt of a write, with the pace for its size. Returns the pace of the attempt. */
  weigh(pace: Pace): Pace {
    if (this.left === 0) return pace
    this.left--
    return new Pace(pace.bytes * coldFactor)
  }
}
