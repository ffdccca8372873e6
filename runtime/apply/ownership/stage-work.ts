/**
 * Divides a walk over a large object or field set into stages. Walks in stages visit large parts value by value and
 * leave small parts to the walk that has no stages.
 */
import type { JsonValue } from "../../base/json.ts"

/** Values that one stage visits. About ten milliseconds of the slowest walk in a process that has just started. */
const stageValues = 6000

/** A part with fewer values is visited at once. */
export const largeValues = 200

/** Created once for each walk. */
export class StageWork {
  private visited = 0

  /** Counts visited values. Returns true when the stage is over: yield. */
  isOver(values: number): boolean {
    this.visited += values
    if (this.visited < stageValues) return false
    this.visited = 0
    return true
  }
}

/** The number of values in a value, itself included, or of nodes in a node of a field set. Stops at `largeValues`. */
export function sizeOf(value: JsonValue | undefined): number {
  return counted(value, largeValues)
}

function counted(value: JsonValue | undefined, most: number): number {
  let count = 1
  if (typeof value !== "object" || value === null) return count
  if (Array.isArray(value)) {
    if (value.length >= most) return most
    for (let index = 0; index < value.length && count < most; index++) count += counted(value[index], most - count)
    return count
  }
  for (const name in value) {
    count += counted(value[name], most - count)
    if (count >= most) break
  }
  return count
}
