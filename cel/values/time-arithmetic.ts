import { errorOf } from "./error.ts"
import { intMax, intMin } from "./number.ts"
import { Duration, Timestamp } from "./time.ts"
import { secondsMax, secondsMin } from "./timestamp-text.ts"
import type { ErrorValue } from "./value.ts"

const secondNanos = 1_000_000_000n
const integerOverflow = errorOf("integer overflow")
const timestampOverflow = errorOf("timestamp overflow")

function checked(nanos: bigint): Duration | ErrorValue {
  return nanos < intMin || nanos > intMax ? integerOverflow : new Duration(nanos)
}

export function addDurations(one: Duration, other: Duration): Duration | ErrorValue {
  return checked(one.nanos + other.nanos)
}

export function subtractDurations(one: Duration, other: Duration): Duration | ErrorValue {
  return checked(one.nanos - other.nanos)
}

export function negateDuration(one: Duration): Duration | ErrorValue {
  return checked(-one.nanos)
}

/** Adds nanoseconds to a time, keeping its zone. Years 1 to 9999. */
export function addToTime(time: Timestamp, nanos: bigint): Timestamp | ErrorValue {
  const total = BigInt(time.seconds) * secondNanos + BigInt(time.nanos) + nanos
  const seconds = Number(floorDivide(total, secondNanos))
  if (seconds < secondsMin || seconds > secondsMax) return timestampOverflow
  return new Timestamp(seconds, Number(total - BigInt(seconds) * secondNanos), time.offset)
}

export function subtractTimes(one: Timestamp, other: Timestamp): Duration | ErrorValue {
  const seconds = BigInt(one.seconds) - BigInt(other.seconds)
  return checked(seconds * secondNanos + BigInt(one.nanos - other.nanos))
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient
}
