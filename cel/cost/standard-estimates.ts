/** Estimates of calls of the standard library. */
import type { CallEstimate, EstimatedCall } from "../declaration.ts"
import {
  addBounds,
  type Bounds,
  bounds,
  multiplyBounds,
  patternLengthFactor,
  scaleBounds,
  stringTraversalFactor,
  unbounded,
  unionBounds,
} from "./bounds.ts"

const one = bounds(1)
const wrap64 = 2n ** 64n

function traversal(size: Bounds): Bounds {
  return scaleBounds(size, stringTraversalFactor)
}

/** The estimate of a call of the standard library, or of any function without its own estimate, which costs 1. */
export function standardEstimate(call: EstimatedCall, argCosts: readonly Bounds[], argSum: Bounds): CallEstimate {
  const own = logicEstimate(call, argCosts)
  if (own !== undefined) return own
  const { cost, resultSize } = plainEstimate(call) ?? { cost: one }
  return { cost: addBounds(cost, argSum), ...(resultSize !== undefined && { resultSize }) }
}

/** Operators that do not evaluate all of their operands. */
function logicEstimate({ overload, args, standardSizeOf }: EstimatedCall, costs: readonly Bounds[]): CallEstimate | undefined {
  const [first = one, second = one, third = one] = costs
  if (overload === "logical_or" || overload === "logical_and") {
    return { cost: { min: first.min, max: addBounds(first, second).max } }
  }
  const [, yes, no] = args
  if (overload !== "conditional" || yes === undefined || no === undefined) return undefined
  const resultSize = unionBounds(standardSizeOf(yes), standardSizeOf(no))
  return { cost: addBounds(first, unionBounds(second, third)), resultSize }
}

function plainEstimate(call: EstimatedCall): CallEstimate | undefined {
  const { overload, target, args, standardSizeOf: sizeOf } = call
  const [first, second] = args
  switch (overload) {
    case "string_format":
      return target && { cost: traversal(sizeOf(target)) }
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
      return first && resizing(overload, sizeOf(first))
    case "starts_with_string":
    case "ends_with_string":
      return first && { cost: traversal(sizeOf(first)) }
    case "in_list":
      return second && { cost: scaleBounds(sizeOf(second), 1) }
    case "matches_string":
      return target && first && { cost: matching(sizeOf(target), sizeOf(first)) }
    case "contains_string":
      return target && first && { cost: multiplyBounds(traversal(sizeOf(target)), traversal(sizeOf(first))) }
    case "add_list":
      return first && second && { cost: one, resultSize: addBounds(sizeOf(first), sizeOf(second)) }
    case "add_string":
    case "add_bytes": {
      const resultSize = first && second && addBounds(sizeOf(first), sizeOf(second))
      return resultSize && { cost: traversal(resultSize), resultSize }
    }
    default:
      return first && second && comparing.has(overload) ? { cost: shorter(sizeOf(first), sizeOf(second)) } : undefined
  }
}

/** Sizes wrap at 64 bits here, as in the reference. */
function resizing(overload: string, size: Bounds): CallEstimate {
  const cost = traversal(size)
  if (overload === "string_to_bytes") return { cost, resultSize: { min: size.min, max: (size.max * 4n) % wrap64 } }
  if (overload === "bytes_to_string") return { cost, resultSize: { min: size.min / 4n, max: size.max } }
  return { cost, resultSize: { min: (size.min + 2n) % wrap64, max: (size.max * 2n + 2n) % wrap64 } }
}

function matching(text: Bounds, pattern: Bounds): Bounds {
  return multiplyBounds(traversal(addBounds(text, one)), scaleBounds(pattern, patternLengthFactor))
}

const comparing: ReadonlySet<string> = new Set([
  "equals",
  "not_equals",
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((word) => [`${word}_string`, `${word}_bytes`]),
])

/** A traversal up to the end of the shorter one. */
function shorter(first: Bounds, second: Bounds): Bounds {
  const max = first.max < second.max ? first.max : second.max
  return traversal({ min: max > 0n ? 1n : 0n, max: max > unbounded ? unbounded : max })
}
