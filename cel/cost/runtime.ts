/** What calls of the standard library cost at run time. Everything else costs 1. */
import { sizeOf } from "../values/size.ts"
import type { Result } from "../values/value.ts"
import { patternLengthFactor, stringTraversalFactor } from "./bounds.ts"

export type CallCost = (args: readonly Result[], result: Result) => number

/** A traversal of so many characters. The product is rounded up as floating point gives it. */
export function traversal(size: number): number {
  return Math.ceil(size * stringTraversalFactor)
}

function sizeAt(args: readonly Result[], index: number): number {
  return sizeOf(args[index] ?? null)
}

const ofFirst: CallCost = (args) => traversal(sizeAt(args, 0))
const ofShorter: CallCost = (args) => traversal(Math.min(sizeAt(args, 0), sizeAt(args, 1)))
const ofBoth: CallCost = (args) => traversal(sizeAt(args, 0) + sizeAt(args, 1))
const ofMatch: CallCost = (args) => {
  const text = Math.ceil((1 + sizeAt(args, 0)) * stringTraversalFactor)
  return text * Math.ceil(sizeAt(args, 1) * patternLengthFactor)
}
const ofSearch: CallCost = (args) => traversal(sizeAt(args, 0)) * traversal(sizeAt(args, 1))
const ofMembership: CallCost = (args) => sizeAt(args, 1)

const costs: ReadonlyMap<string, CallCost> = new Map([
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
export function standardCost(overload: string): CallCost | undefined {
  return costs.get(overload)
}
