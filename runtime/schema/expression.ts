/**
 * Run-time functions of compiled expressions (docs/DIALECT.md, "Expressions"). Values are decoded JSON; `undefined` is
 * absent, and null reads as absent. Nothing here throws on data: a value of the wrong type gives absent, false or "".
 */
import type { Vendor } from "../base/vendor.ts"
import { chargeSteps, chargeText, textsOf, walk } from "./expression-steps.ts"
import { durationText } from "./human-duration.ts"
import { isObject, type JsonValue } from "../base/json.ts"
import { decimalOf, int64Of, int64OfNumber } from "../base/number-text.ts"
import {
  addMeasures,
  Amount,
  isMeasure,
  type Measure,
  measureNumber,
  measureText,
  momentOf,
  negateMeasure,
  orderMeasures,
  quantityOf,
  Span,
  spanOf,
  subtractMeasures,
} from "./measures.ts"
import { Pattern, PatternFault, patternOf, SearchExceeded } from "../base/pattern.ts"

/** Any value of an expression. */
export type Value = JsonValue | Measure | undefined | readonly Value[]

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint"
}

function isMap(value: Value): value is { [key: string]: JsonValue | undefined } {
  return isObject(value) && !isMeasure(value)
}

/** `of.a.b`: the member at that path; absent when a step is absent. */
export function get(of: Value, ...fields: readonly string[]): Value {
  let value = of
  for (const field of fields) {
    if (!isMap(value) || !Object.hasOwn(value, field)) return undefined
    value = value[field]
  }
  return value ?? undefined
}

/** `of.a.b` of a field that reads as zero: absent only when a parent is absent. */
export function getOrZero(zero: Value, of: Value, ...fields: readonly string[]): Value {
  const value = get(of, ...fields)
  return value === undefined && isMap(get(of, ...fields.slice(0, -1))) ? zero : value
}

/** `of[index]`: an item of a list by index, an entry of a map by key. */
export function item(of: Value, index: Value): Value {
  if (isList(of)) return isNumber(index) ? (of[Number(index)] ?? undefined) : undefined
  return typeof index === "string" ? get(of, index) : undefined
}

/** Neither absent nor null. This is `has(x)` for pointer fields. */
export function present(value: Value): boolean {
  return value !== undefined && value !== null
}

/**
 * Present and not the zero value of its type. This is `has(x)` for other fields, where absent and zero are the same.
 */
export function nonZero(value: Value): boolean {
  if (!present(value) || value === "" || value === 0 || value === 0n || value === false) return false
  if (isList(value)) return value.length > 0
  return !isMap(value) || Object.keys(value).length > 0
}

/** The truth of a condition: only `true` holds. */
export function truth(value: Value): boolean {
  return value === true
}

/** `value ?? otherwise`; also replaces the empty string. */
export function orElse(value: Value, otherwise: Value): Value {
  return present(value) && value !== "" ? value : otherwise
}

/**
 * `left == right` by content. Absent equals absent and null, nothing else. Numbers compare across number and bigint.
 */
export function equals(left: Value, right: Value): boolean {
  if (!present(left) || !present(right)) return !present(left) && !present(right)
  if (left === right) return true
  if (isMeasure(left) || isMeasure(right)) return orderMeasures(left, right) === 0
  if (isNumber(left) && isNumber(right)) return left == right
  if (isList(left) && isList(right)) chargeSteps(left.length)
  if (isList(left) && isList(right)) return left.length === right.length && left.every((value, index) => equals(value, right[index]))
  if (!isMap(left) || !isMap(right)) return false
  const keys = Object.keys(left).filter((key) => left[key] !== undefined)
  chargeSteps(keys.length)
  return (
    keys.length === Object.values(right).filter((value) => value !== undefined).length &&
    keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key]))
  )
}

/** Negative, zero or positive; undefined when the two cannot be compared. */
function order(left: Value, right: Value): number | undefined {
  if (isMeasure(left) || isMeasure(right)) return orderMeasures(left, right)
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0
  return undefined
}

/**
 * `left < right`; false when either is absent or the types differ. `left > right` compiles to it with swapped operands.
 */
export function less(left: Value, right: Value): boolean {
  const ordered = order(left, right)
  return ordered !== undefined && ordered < 0
}

/** `left <= right`, as `less`. */
export function atMost(left: Value, right: Value): boolean {
  const ordered = order(left, right)
  return ordered !== undefined && ordered <= 0
}

/** `value in collection`: an item of a list, a key of a map. */
export function within(value: Value, collection: Value): boolean {
  if (isList(collection)) {
    const texts = typeof value === "string" ? textsOf(collection) : undefined
    if (texts !== undefined) return texts.has(value)
    chargeSteps(collection.length)
    return collection.some((one) => equals(value, one))
  }
  return typeof value === "string" && get(collection, value) !== undefined
}

/**
 * `left + right`: adds numbers, quantities, durations, and durations to times; joins strings and lists, merges maps
 * (entries of the right one win).
 */
export function add(left: Value, right: Value): Value {
  if (typeof left === "string" && typeof right === "string") return left + right
  if (isList(left) && isList(right)) {
    chargeSteps(left.length + right.length)
    return [...left, ...right]
  }
  if (isMap(left) && isMap(right)) {
    chargeSteps(Object.keys(left).length + Object.keys(right).length)
    return { ...left, ...right }
  }
  if (isMeasure(left) || isMeasure(right)) return addMeasures(left, right)
  return calculate(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  )
}

/** `left - right`, of numbers, quantities, durations and times. */
export function subtract(left: Value, right: Value): Value {
  if (isMeasure(left) || isMeasure(right)) return subtractMeasures(left, right)
  return calculate(
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
  )
}

/** `left * right`, of numbers. */
export function multiply(left: Value, right: Value): Value {
  return calculate(
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
  )
}

/** `left / right`. Integers divide to integers, rounded toward zero, as in CEL. By zero: absent. */
export function divide(left: Value, right: Value): Value {
  if (right === 0 || right === 0n) return undefined
  const whole = Number.isInteger(left) && Number.isInteger(right)
  return calculate(
    left,
    right,
    (a, b) => (whole ? Math.trunc(a / b) : a / b),
    (a, b) => a / b,
  )
}

/** `left / right` of numbers of which one has a fraction, by its type: 5.0 / 2 is 2.5. By zero: absent. */
export function quotient(left: Value, right: Value): Value {
  if (!isNumber(left) || !isNumber(right) || Number(right) === 0) return undefined
  return Number(left) / Number(right)
}

/** `left % right`, with the sign of the left. By zero: absent. */
export function remainder(left: Value, right: Value): Value {
  if (right === 0 || right === 0n) return undefined
  return calculate(
    left,
    right,
    (a, b) => a % b,
    (a, b) => a % b,
  )
}

/** `-value`, of a number, a quantity or a duration. */
export function negate(value: Value): Value {
  if (isMeasure(value)) return negateMeasure(value)
  return isNumber(value) ? -value : undefined
}

function calculate(left: Value, right: Value, small: (a: number, b: number) => number, large: (a: bigint, b: bigint) => bigint): Value {
  if (typeof left === "number" && typeof right === "number") return small(left, right)
  if (!isNumber(left) || !isNumber(right) || !isWhole(left) || !isWhole(right)) return undefined
  return large(BigInt(left), BigInt(right))
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value)
}

/** Values that macros visit: the items of a list, the keys of a map, nothing otherwise. */
function items(collection: Value): readonly Value[] {
  if (isList(collection)) return collection
  return isMap(collection) ? Object.keys(collection) : []
}

/** `collection.all(v, …)`: true for an empty or absent collection. In all macros, the variable of a map is the key. */
export function all(collection: Value, holds: (value: Value) => boolean): boolean {
  return !walk(items(collection), (value) => !holds(value))
}

/** `collection.exists(v, …)`: false for an empty or absent collection. */
export function exists(collection: Value, holds: (value: Value) => boolean): boolean {
  return walk(items(collection), holds)
}

/** `collection.existsOne(v, …)`: exactly one holds. */
export function existsOne(collection: Value, holds: (value: Value) => boolean): boolean {
  let found = 0
  return !walk(items(collection), (value) => holds(value) && ++found > 1) && found === 1
}

/** `collection.filter(v, …)`: the items for which the condition holds, in order. */
export function filter(collection: Value, holds: (value: Value) => boolean): Value {
  const kept: Value[] = []
  walk(items(collection), (value) => {
    if (holds(value)) kept.push(value)
    return false
  })
  return kept
}

/** `collection.map(v, …)`: the result for each item, in order. */
export function map(collection: Value, make: (value: Value) => Value): Value {
  const made: Value[] = []
  walk(items(collection), (value) => {
    made.push(make(value))
    return false
  })
  return made
}

/** Characters of a string, items of a list, entries of a map; 0 for absent. Also `count`. */
export function size(value: Value): number {
  if (typeof value === "string") {
    chargeText(value)
    return characterCount(value)
  }
  return items(value).length
}

/** The number of Unicode characters, not UTF-16 units. Lengths in schemas count these. */
export function characterCount(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++, count++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++
  }
  return count
}

/** `text.startsWith(start)`; false unless both are strings. */
export function startsWith(value: Value, start: Value): boolean {
  return typeof value === "string" && typeof start === "string" && value.startsWith(start)
}

/** `text.endsWith(end)`; false unless both are strings. */
export function endsWith(value: Value, end: Value): boolean {
  return typeof value === "string" && typeof end === "string" && value.endsWith(end)
}

/** `text.contains(part)`; false unless both are strings. */
export function contains(value: Value, part: Value): boolean {
  if (typeof value !== "string" || typeof part !== "string") return false
  chargeText(value)
  return value.includes(part)
}

/**
 * Compiles an RE2 pattern to a test. Called once per pattern when a validator is loaded. Throws on an invalid pattern.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = patternOf(pattern)
  if (compiled instanceof PatternFault) throw new Error(compiled.message)
  return (text) => isMatch(compiled, text)
}

/** A text for which the search takes too long does not match. */
function isMatch(pattern: Pattern, text: string): boolean {
  try {
    return pattern.test(text)
  } catch (error) {
    if (error instanceof SearchExceeded) return false
    throw error
  }
}

/** Whether the RE2 pattern occurs in the text; an invalid pattern never does. */
export function matches(value: Value, pattern: Value): boolean {
  if (typeof value !== "string" || typeof pattern !== "string") return false
  chargeText(value)
  const compiled = patternOf(pattern)
  return compiled instanceof Pattern && isMatch(compiled, value)
}

/** `text.lowerAscii()`: lower-cases A to Z only. */
export function lowerAscii(value: Value): Value {
  return typeof value === "string" ? value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : undefined
}

/** `text.trim()`: without white space at both ends. */
export function trim(value: Value): Value {
  return typeof value === "string" ? value.trim() : undefined
}

/** `text.split(separator)`: the parts between the separators. */
export function split(value: Value, separator: Value): Value {
  if (typeof value !== "string" || typeof separator !== "string") return undefined
  chargeText(value)
  return value.split(separator)
}

/** Joins the items; an absent item counts as empty, an absent list gives "". */
export function join(value: Value, separator: Value = ""): string {
  const list = items(value)
  chargeSteps(list.length)
  return list.map(text).join(text(separator))
}

/**
 * The value as a string: "" for absent, numbers in decimal, lists and maps as JSON. Selectable fields are compared by
 * it.
 */
export function text(value: Value): string {
  if (typeof value === "string") return value
  if (!present(value)) return ""
  if (isMeasure(value)) return measureText(value)
  if (typeof value !== "object") return String(value)
  return JSON.stringify(value, (_key, inner: Value) => (typeof inner === "bigint" ? String(inner) : inner))
}

/** The value as an integer, rounded toward zero; absent beyond 64 bits. A text must be an integer in decimal. */
export function int(value: Value): Value {
  if (typeof value === "bigint") return value
  if (typeof value === "string") return int64Of(value)
  const number = double(value)
  return typeof number === "number" ? int64OfNumber(number) : undefined
}

/** The value as a number; absent when it is not one. A text names it in decimal. */
export function double(value: Value): Value {
  if (isMeasure(value)) return measureNumber(value)
  if (typeof value === "string") return decimalOf(value)
  return isNumber(value) && Number.isFinite(Number(value)) ? Number(value) : undefined
}

/** The amount of a quantity; absent when the text is not one. */
export function quantity(value: Value): Value {
  const read = quantityOf(value)
  return read === undefined ? undefined : new Amount(read)
}

/** The moment that a text in RFC 3339 names; absent when it names none. */
export function time(value: Value): Value {
  return momentOf(value)
}

/** Of a text, the duration that it names; of a number of seconds, the duration as people read it. */
export function duration(value: Value): Value {
  return isNumber(value) ? durationText(value) : spanOf(value)
}

/** The items of a list as values that compare and add. */
export function each(list: Value, convert: (value: Value) => Value): Value {
  return isList(list) ? list.map(convert) : undefined
}

/** The smallest of the arguments, or of the items of one list. Skips absent values. */
export function min(...values: readonly Value[]): Value {
  return extreme(values, (candidate, best) => less(candidate, best))
}

/** The largest, as `min`. */
export function max(...values: readonly Value[]): Value {
  return extreme(values, (candidate, best) => less(best, candidate))
}

function extreme(values: readonly Value[], better: (candidate: Value, best: Value) => boolean): Value {
  const [first] = values
  const candidates = (values.length === 1 && isList(first) ? first : values).filter(present)
  chargeSteps(candidates.length)
  return candidates.reduce<Value>((best, candidate) => (best === undefined || better(candidate, best) ? candidate : best), undefined)
}

/** The sum of the items of a list; 0 when there are none. */
export function sum(value: Value): Value {
  const list = items(value)
  chargeSteps(list.length)
  const [first = 0, ...rest] = list.filter(present)
  return rest.reduce<Value>((total, one) => add(total, one), isNumber(first) || isMeasure(first) ? first : undefined)
}

/** A neutral name in the vendor's spelling: `orch.io/role`, `orch-system`, `events.orch.io`. */
export function vendorText(vendor: Vendor, neutral: Value): string {
  const name = text(neutral)
  if (name.includes("/")) return vendor.domain(name)
  return name.includes(".") ? vendor.group(name) : vendor.namespace(name)
}

/** `type(x)`: null, bool, int, double, string, list, map, quantity, duration or timestamp. */
export function typeName(value: Value): string {
  if (isMeasure(value)) return value instanceof Amount ? "quantity" : value instanceof Span ? "duration" : "timestamp"
  if (!present(value)) return "null"
  if (typeof value === "boolean") return "bool"
  if (isNumber(value)) return isWhole(value) ? "int" : "double"
  if (typeof value === "string") return "string"
  return isList(value) ? "list" : "map"
}

/**
 * The value as JSON, for defaults, cells and failures. A quantity, a duration and a time become their canonical text,
 * absent stays absent.
 */
export function json(value: Value): JsonValue | undefined {
  if (isMeasure(value)) return measureText(value)
  if (isList(value)) return value.map((one) => json(one) ?? null)
  return value
}
