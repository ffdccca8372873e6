import { type Bounds, bounds } from "../cost/bounds.ts"
import type { CelType } from "../types/type.ts"
import type { SizeEstimator } from "../cost/estimate.ts"

/**
 * Sizes of values within a variable of the given type. As in the reference, every path starts at this type, even if it
 * begins with another variable; a type without a size counts as empty.
 */
export function sizeEstimatorOf(root: CelType): SizeEstimator {
  return ({ path }): Bounds | undefined => {
    if (path === undefined || path.length === 0) return undefined
    let type: CelType | undefined = root
    for (const step of path.slice(1)) {
      type = type === undefined ? undefined : stepInto(type, step)
    }
    return type === undefined ? undefined : bounds(0n, type.maxElements ?? 0n)
  }
}

function stepInto(type: CelType, step: string): CelType | undefined {
  switch (step) {
    case "@items":
    case "@values":
      return type.kind === "list" || type.kind === "map" ? type.parameters.at(-1) : undefined
    case "@keys":
      return type.kind === "map" ? type.parameters[0] : undefined
    default:
      return type.fields?.get(step)?.type
  }
}
