/**
 * Attributes: a variable or a computed value, and the fields and keys that lead from it to a value. The reference
 * evaluates such a chain as one, and counts its cost as one for the variable and one for each step; a chain that is a
 * branch of `?:`, or a key, counts its steps alone.
 */
import { ErrorValue, OptionalValue, type Result, type Value } from "../values/value.ts"
import type { Frame, Step } from "./frame.ts"
import { badKey, isKey, lookUp, lookUpOptional } from "./index-key.ts"

/** An optional within an optional counts as one: what attributes do to both. */
export function flatten(result: Result): Result {
  if (!(result instanceof OptionalValue) || !(result.value instanceof OptionalValue)) return result
  let value: Value = result.value
  while (value instanceof OptionalValue) value = value.value ?? null
  return new OptionalValue(value)
}

/** One step from a value to a part of it. */
export interface Qualifier {
  /** A constant key, or how to compute one, without the cost that it would have on its own. */
  readonly key: Value | undefined
  readonly compute: Step | undefined
  /** `.?` and `[?]`: absence is no error. */
  readonly optional: boolean
  /** `has(...)`: whether it is there. */
  readonly test: boolean
}

export interface Attribute {
  /** The value that the chain begins with. It is charged for itself where it has a cost. */
  readonly base: Step
  readonly qualifiers: readonly Qualifier[]
  /** What evaluating the attribute on its own costs besides its steps: 0 for `?:` and `has`. */
  readonly ownCost: number
}

/** Evaluates a chain with the cost of its steps. */
export function resolveStep({ base, qualifiers }: Attribute): Step {
  const keys = qualifiers.map(({ key }) => key)
  const plain = qualifiers.every(({ optional, test, compute }) => !optional && !test && compute === undefined)
  const [first, second, third] = keys
  if (qualifiers.length === 0) return base
  if (!plain || first === undefined) return (frame) => walk(frame, base(frame), qualifiers, 0)
  if (second === undefined) return (frame) => follow(frame, base(frame), first, qualifiers, 0)
  if (qualifiers.length > 3 || (third === undefined && qualifiers.length === 3)) {
    return (frame) => walk(frame, base(frame), qualifiers, 0)
  }
  return (frame) => {
    const one = follow(frame, base(frame), first, qualifiers, 0)
    if (one instanceof ErrorValue) return one
    if (one instanceof OptionalValue) return one
    const two = charged(frame, lookUp(one, second))
    return third === undefined || two instanceof ErrorValue ? two : charged(frame, lookUp(two, third))
  }
}

/** The first plain step, on a value that may be an optional. */
function follow(frame: Frame, value: Result, key: Value, qualifiers: readonly Qualifier[], at: number): Result {
  if (value instanceof ErrorValue) return value
  if (value instanceof OptionalValue) return walk(frame, value, qualifiers, at)
  return charged(frame, lookUp(value, key))
}

function charged(frame: Frame, result: Result): Result {
  frame.charge(1)
  return result
}

/** Any chain. From an optional, or from an optional step on, the result is an optional. */
function walk(frame: Frame, start: Result, qualifiers: readonly Qualifier[], from: number): Result {
  if (start instanceof ErrorValue) return start
  let optional = false
  let value: Value = start
  if (start instanceof OptionalValue) {
    if (start.value === undefined) return testsPresence(qualifiers) ? false : start
    optional = true
    const flat = flatten(start)
    value = flat instanceof OptionalValue ? (flat.value ?? null) : null
  }
  for (let at = from; at < qualifiers.length; at++) {
    const qualifier = qualifiers[at]
    if (qualifier === undefined) break
    const key = qualifier.compute === undefined ? qualifier.key : qualifier.compute(frame)
    if (key instanceof ErrorValue) return chargedError(frame, key)
    if (key === undefined || (qualifier.compute !== undefined && !isKey(key))) return chargedError(frame, badKey(key ?? null))
    optional ||= qualifier.optional
    if (qualifier.test) return presence(frame, value, key)
    if (!optional) {
      const next = charged(frame, lookUp(value, key))
      if (next instanceof ErrorValue) return next
      value = next
      continue
    }
    const next = lookUpOptional(value, key)
    if (next === undefined) return testsPresence(qualifiers) ? false : OptionalValue.none
    if (next instanceof ErrorValue) return next
    frame.charge(1)
    value = next
  }
  return optional ? new OptionalValue(value) : value
}

function testsPresence(qualifiers: readonly Qualifier[]): boolean {
  return qualifiers.at(-1)?.test === true
}

function presence(frame: Frame, value: Value, key: Value): Result {
  const found = lookUpOptional(value, key)
  frame.charge(1)
  return found instanceof ErrorValue ? found : found !== undefined
}

/** A step that fails costs as one that does not. */
function chargedError(frame: Frame, error: ErrorValue): ErrorValue {
  frame.charge(1)
  return error
}
