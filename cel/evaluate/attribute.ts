/**
 * Attributes: a variable or a computed value, and the fields and keys that lead from it to a value. As in the
 * reference, such a chain is evaluated as one, and costs one for the variable and one for each step; a chain that is a
 * branch of `?:`, or a key, costs its steps alone.
 */
import { ErrorValue, MapValue, OptionalValue, type Result, type Value } from "../values/value.ts"
import type { Frame, Step } from "./frame.ts"
import { badKey, found, isKey, lookUp, lookUpOptional } from "./index-key.ts"

/** Flattens an optional within an optional, as attributes treat them as one. */
export function flatten(result: Result): Result {
  if (!(result instanceof OptionalValue) || !(result.value instanceof OptionalValue)) return result
  let value: Value = result.value
  while (value instanceof OptionalValue) value = value.value ?? null
  return new OptionalValue(value)
}

/** One step from a value to a part of it. */
export interface Qualifier {
  /** A constant key, or the step that computes one, without the cost of the key on its own. */
  readonly key: Value | undefined
  readonly compute: Step | undefined
  /** `.?` and `[?]`: absence is no error. */
  readonly optional: boolean
  /** `has(...)`: whether the part is present. */
  readonly test: boolean
}

export interface Attribute {
  /** The start of the chain, which charges its own cost, if it has one. */
  readonly base: Step
  readonly qualifiers: readonly Qualifier[]
  /** The chain may begin with an optional: then its result is optional too. */
  readonly mayBeOptional: boolean
  /** Cost of evaluating the attribute on its own, besides its steps: 0 for `?:` and `has`. */
  readonly ownCost: number
}

/** Evaluates a chain with the cost of its steps. */
export function resolveStep({ base, qualifiers, mayBeOptional }: Attribute): Step {
  const plain = qualifiers.every(({ optional, compute }) => !optional && compute === undefined)
  if (!plain || mayBeOptional) return qualifiers.length === 0 ? base : (frame) => walk(frame, base(frame), qualifiers)
  return qualifiers.reduce<Step>((step, { key = null, test }) => (test ? testStep(step, key) : keyStep(step, key)), base)
}

/** `operand.key`. */
function keyStep(operand: Step, key: Value): Step {
  return (frame) => {
    const value = operand(frame)
    if (value instanceof MapValue) {
      frame.charge(1)
      return found(value.find(key), key)
    }
    return value instanceof ErrorValue ? value : charged(frame, lookUp(value, key))
  }
}

/** `has(operand.key)`. */
function testStep(operand: Step, key: Value): Step {
  return (frame) => {
    const value = operand(frame)
    return value instanceof ErrorValue ? value : presence(frame, value, key)
  }
}

function charged(frame: Frame, result: Result): Result {
  frame.charge(1)
  return result
}

/** Any chain. From an optional, or from an optional step on, the result is an optional. */
function walk(frame: Frame, start: Result, qualifiers: readonly Qualifier[]): Result {
  if (start instanceof ErrorValue) return start
  let optional = false
  let value: Value = start
  if (start instanceof OptionalValue) {
    if (start.value === undefined) return testsPresence(qualifiers) ? false : start
    optional = true
    const flat = flatten(start)
    value = flat instanceof OptionalValue ? (flat.value ?? null) : null
  }
  for (const qualifier of qualifiers) {
    const key = qualifier.compute === undefined ? qualifier.key : qualifier.compute(frame)
    // The reference does not charge an optional step whose key cannot be computed.
    if (key instanceof ErrorValue) return qualifier.optional ? key : chargedError(frame, key)
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
  if (value instanceof MapValue && value.has !== undefined) return charged(frame, value.has(key))
  const answer = lookUpOptional(value, key)
  frame.charge(1)
  return answer instanceof ErrorValue ? answer : answer !== undefined
}

/** A step that fails costs the same as one that succeeds. */
function chargedError(frame: Frame, error: ErrorValue): ErrorValue {
  frame.charge(1)
  return error
}
