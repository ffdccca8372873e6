/** Costs of the standard library's calls at run time. Every other call costs 1. */
import { sizeOf } from "../values/size.ts"
import type { Result } from "../values/value.ts"
import { patternLengthFactor, stringTraversalFactor } from "./bounds.ts"

/** The cost of a call by its first two arguments. */
export type StandardCost = (first: Result, second: Result) => number

/** Cost of traversing this many characters. The product is rounded up as floating point gives it. */
export function traversal(size: number): number {
  return Math.ceil(size * stringTraversalFactor)
}

/** Largest number of characters whose traversal costs 1. */
const cheapMax = 10

const ofFirst: StandardCost = (first) => traversal(sizeOf(first))
const ofShorter: StandardCost = (first, second) => {
  if (typeof first === "number") return 1
  // A string has at least as many UTF-16 units as characters.
  const shorter = typeof first === "string" && typeof second === "string" ? Math.min(first.length, second.length) : -1
  if (shorter >= 0 && shorter <= cheapMax) return shorter === 0 ? 0 : 1
  return traversal(Math.min(sizeOf(first), sizeOf(second)))
}
const ofBoth: StandardCost = (first, second) => traversal(sizeOf(first) + sizeOf(second))
const ofMatch: StandardCost = (first, second) => {
  return Math.ceil((1 + sizeOf(first)) * stringTraversalFactor) * Math.ceil(sizeOf(second) * patternLengthFactor)
}
const ofSearch: StandardCost = (first, second) => traversal(sizeOf(first)) * traversal(sizeOf(second))
const ofMembership: StandardCost = (_, second) => sizeOf(second)

const costs: ReadonlyMap<string, StandardCost> = new Map([
  ...["starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string", "strings_quote", "string_format"].map(
    (id) => [id, ofFirst] as const,
  ),
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((word) => [
    [`${word}_string`, ofShorter] as const,
    [`${word}_bytes`, ofShorter] as const,
  ]),
  ["equals", ofShorter],
  ["not_equals", ofShorter],
  ["add_string", ofBoth],
  ["add_bytes", ofBoth],
  ["in_list", ofMembership],
  ["matches_string", ofMatch],
  ["contains_string", ofSearch],
])

/** The cost of an overload; undefined: 1. */
export function standardCost(overload: string): StandardCost | undefined {
  return costs.get(overload)
}
