/** Parts of timestamps, in UTC or in a zone, and of durations. */
import type { FunctionDeclaration, Impl, Overload } from "../declaration.ts"
import { durationType, intType, stringType, timestampType } from "../types/type.ts"
import { type CivilTime, civilTime } from "../values/calendar.ts"
import { noSuchOverload } from "../values/error.ts"
import { intOf } from "../values/number.ts"
import { Duration, Timestamp } from "../values/time.ts"
import { zoneOffset } from "../values/zone.ts"

type Part = (at: CivilTime, nanos: number) => number

function partOf(part: Part): Impl {
  return (time, zone = "UTC") => {
    if (!(time instanceof Timestamp) || typeof zone !== "string") return noSuchOverload()
    const offset = zoneOffset(zone, time.seconds)
    return typeof offset === "number" ? part(civilTime(time.seconds + offset), time.nanos) : offset
  }
}

function getter(name: string, word: string, part: Part, durationUnit?: bigint): FunctionDeclaration {
  const impl = partOf(part)
  const ofTime: readonly Overload[] = [
    { id: `timestamp_to_${word}`, member: true, args: [timestampType], result: intType, impl },
    { id: `timestamp_to_${word}_with_tz`, member: true, args: [timestampType, stringType], result: intType, impl },
  ]
  if (durationUnit === undefined) return { name, overloads: ofTime }
  const ofDuration: Overload = {
    id: `duration_to_${word}`,
    member: true,
    args: [durationType],
    result: intType,
    impl: (duration) => (duration instanceof Duration ? intOf(duration.nanos / durationUnit) : noSuchOverload()),
  }
  return { name, overloads: [...ofTime, ofDuration] }
}

export const time: readonly FunctionDeclaration[] = [
  getter("getFullYear", "year", ({ year }) => year),
  getter("getMonth", "month", ({ month }) => month - 1),
  getter("getDayOfYear", "day_of_year", ({ dayOfYear }) => dayOfYear),
  getter("getDayOfMonth", "day_of_month", ({ day }) => day - 1),
  getter("getDate", "day_of_month_1_based", ({ day }) => day),
  getter("getDayOfWeek", "day_of_week", ({ weekday }) => weekday),
  getter("getHours", "hours", ({ hour }) => hour, 3_600_000_000_000n),
  getter("getMinutes", "minutes", ({ minute }) => minute, 60_000_000_000n),
  getter("getSeconds", "seconds", ({ second }) => second, 1_000_000_000n),
  getter("getMilliseconds", "milliseconds", (_, nanos) => Math.floor(nanos / 1_000_000), 1_000_000n),
]
