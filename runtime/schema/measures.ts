/**
 * Values of expressions that JSON has no form for: amounts, durations and moments. They compare and add exactly. A
 * result outside the range of the API is absent, as is a text that names no such value.
 */
import { DurationError, formatDuration, parseDuration } from "../base/duration.ts"
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
} from "../base/quantity.ts"
import { formatMicroTime, formatTime, type Instant, parseInstant, TimeError } from "../base/time.ts"

/** The result of `quantity(x)`: compares and adds exactly, also with plain numbers. */
export class Amount {
  constructor(readonly quantity: Quantity) {}
}

/** The result of `duration("90m")`, and the difference of two times. */
export class Span {
  constructor(readonly nanoseconds: bigint) {}
}

/** The result of `time(x)`: nanoseconds since 1970-01-01 UTC. */
export class Moment {
  constructor(readonly nanoseconds: bigint) {}
}

export type Measure = Amount | Span | Moment

const second = 1_000_000_000n
/** Durations are 64-bit numbers of nanoseconds. */
const spanMax = 2n ** 63n - 1n
const spanMin = -(2n ** 63n)
/** RFC 3339 has the years 0000 to 9999. */
const momentMin = -62_167_219_200n * second
const momentMax = 253_402_300_800n * second - 1n

/** Whether a value is one of these, and not JSON. */
export function isMeasure(value: unknown): value is Measure {
  return value instanceof Amount || value instanceof Span || value instanceof Moment
}

/** Negative, zero or positive; undefined when the other side names no value of the same kind. */
export function orderMeasures(left: unknown, right: unknown): number | undefined {
  if (left instanceof Amount || right instanceof Amount) {
    const [a, b] = [quantityOf(left), quantityOf(right)]
    return a === undefined || b === undefined ? undefined : compareQuantities(a, b)
  }
  const read = left instanceof Span || right instanceof Span ? spanOf : momentOf
  const [a, b] = [read(left), read(right)]
  if (a === undefined || b === undefined) return undefined
  return a.nanoseconds < b.nanoseconds ? -1 : a.nanoseconds > b.nanoseconds ? 1 : 0
}

/** `left + right`, where one of them is a measure. */
export function addMeasures(left: unknown, right: unknown): Measure | undefined {
  if (left instanceof Amount || right instanceof Amount) {
    const [a, b] = [quantityOf(left), quantityOf(right)]
    return a === undefined || b === undefined ? undefined : new Amount(addQuantities(a, b))
  }
  if (left instanceof Moment && right instanceof Moment) return undefined
  const [a, b] = [left instanceof Moment ? left : spanOf(left), right instanceof Moment ? right : spanOf(right)]
  if (a === undefined || b === undefined) return undefined
  const sum = a.nanoseconds + b.nanoseconds
  return a instanceof Moment || b instanceof Moment ? momentAt(sum) : spanOfNanoseconds(sum)
}

/** `left - right`, where one of them is a measure. */
export function subtractMeasures(left: unknown, right: unknown): Measure | undefined {
  if (left instanceof Moment && right instanceof Moment) return spanOfNanoseconds(left.nanoseconds - right.nanoseconds)
  if (right instanceof Moment) return undefined
  if (left instanceof Amount || right instanceof Amount) {
    const taken = quantityOf(right)
    return taken === undefined ? undefined : addMeasures(left, new Amount(negateQuantity(taken)))
  }
  const taken = spanOf(right)
  if (taken === undefined) return undefined
  if (left instanceof Moment) return momentAt(left.nanoseconds - taken.nanoseconds)
  const from = spanOf(left)
  return from && spanOfNanoseconds(from.nanoseconds - taken.nanoseconds)
}

/** `-value`. A moment has no negative. */
export function negateMeasure(value: Measure): Measure | undefined {
  if (value instanceof Amount) return new Amount(negateQuantity(value.quantity))
  return value instanceof Span ? spanOfNanoseconds(-value.nanoseconds) : undefined
}

/** The value as JSON and as text: the canonical quantity or duration, the time in UTC with the decimals that it has. */
export function measureText(value: Measure): string {
  if (value instanceof Amount) return formatQuantity(value.quantity)
  if (value instanceof Span) return formatDuration(value.nanoseconds)
  const instant = instantOf(value)
  return instant.nanos === 0 ? formatTime(instant) : formatMicroTime(instant)
}

/** The value as a number: of a duration its seconds, of a moment the seconds since 1970. */
export function measureNumber(value: Measure): number {
  if (value instanceof Amount) return Number(value.quantity.mantissa) * 10 ** value.quantity.exponent
  return Number(value.nanoseconds / second) + Number(value.nanoseconds % second) / Number(second)
}

/** The amount that a text or number names. */
export function quantityOf(value: unknown): Quantity | undefined {
  if (value instanceof Amount) return value.quantity
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return undefined
  return attempt(() => parseQuantity(value))
}

/** The duration that a text names. */
export function spanOf(value: unknown): Span | undefined {
  if (value instanceof Span) return value
  return typeof value === "string" ? attempt(() => new Span(parseDuration(value))) : undefined
}

/** The moment that a text in RFC 3339 names. */
export function momentOf(value: unknown): Moment | undefined {
  if (value instanceof Moment) return value
  if (typeof value !== "string") return undefined
  return attempt(() => {
    const { seconds, nanos } = parseInstant(value)
    return momentAt(BigInt(seconds) * second + BigInt(nanos))
  })
}

/** The text of a Time field: whole seconds. Also of a value that is no moment, which is returned as it is. */
export function timeText(value: unknown): string | undefined {
  const moment = momentOf(value)
  return moment && formatTime(instantOf(moment))
}

/** The text of a MicroTime field: six decimals. */
export function microTimeText(value: unknown): string | undefined {
  const moment = momentOf(value)
  return moment && formatMicroTime(instantOf(moment))
}

function instantOf({ nanoseconds }: Moment): Instant {
  const rest = nanoseconds % second
  const nanos = rest < 0n ? rest + second : rest
  return { seconds: Number((nanoseconds - nanos) / second), nanos: Number(nanos) }
}

function momentAt(nanoseconds: bigint): Moment | undefined {
  return nanoseconds < momentMin || nanoseconds > momentMax ? undefined : new Moment(nanoseconds)
}

function spanOfNanoseconds(nanoseconds: bigint): Span | undefined {
  return nanoseconds < spanMin || nanoseconds > spanMax ? undefined : new Span(nanoseconds)
}

/** Texts of clients may be invalid; any other error is a bug. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof QuantityError || error instanceof DurationError || error instanceof TimeError) return undefined
    throw error
  }
}
