/**
 * Times as the API reads and writes them: RFC 3339 in, UTC out, whole seconds for Time and microseconds for MicroTime.
 * Go's zero time (0001-01-01T00:00:00Z) means "no time"; in JSON it is null.
 */
import { cut } from "./quote.ts"

/** A point in time. `seconds` counts from 1970-01-01 UTC and may be negative; `nanos` is 0 to 999,999,999. */
export interface Instant {
  readonly seconds: number
  readonly nanos: number
}

/** The text is not a time; the message says why in the reference's words. */
export class TimeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "TimeError"
  }
}

const zeroSeconds = -62_135_596_800
const secondsLayout = "2006-01-02T15:04:05Z07:00"
const microLayout = "2006-01-02T15:04:05.000000Z07:00"
const syntax = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/
const canonicalLength = 20

/** Parses a Time (any fraction) or a MicroTime (exactly six decimals, as the reference requires). Throws TimeError. */
export function parseInstant(text: string, type: "Time" | "MicroTime" = "Time"): Instant {
  // The server's own format, read many times per object.
  const known = type === "Time" ? canonicalSeconds(text) : Number.NaN
  if (!Number.isNaN(known)) return { seconds: known, nanos: 0 }
  const layout = type === "Time" ? secondsLayout : microLayout
  const match = syntax.exec(text)
  if (match === null)
    throw new TimeError(`parsing time ${JSON.stringify(cut(text))} as "${layout}": expected a time such as "${sampleOf(type)}"`)
  const [, year, month, day, hour, minute, second, fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match
  if (type === "MicroTime" && fraction.length !== 6) {
    throw new TimeError(`parsing time ${JSON.stringify(cut(text))} as "${layout}": expected six decimals, such as "${sampleOf(type)}"`)
  }
  const parts = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  }
  const outside = rangeFault(parts)
  if (outside !== undefined) throw new TimeError(`parsing time ${JSON.stringify(cut(text))}: ${outside} out of range`)
  const date = new Date(0)
  date.setUTCFullYear(parts.year, parts.month - 1, parts.day)
  const offset = (sign === "-" ? -1 : 1) * (Number(zoneHour) * 3600 + Number(zoneMinute) * 60)
  const seconds = date.getTime() / 1000 + parts.hour * 3600 + parts.minute * 60 + parts.second - offset
  return { seconds, nanos: Number(fraction.slice(0, 9).padEnd(9, "0")) }
}

/**
 * Returns the seconds of a text in the server's own format, NaN for any other. It uses no pattern and no Date, since
 * every time of every written object passes here. Days beyond the 28th are left to the general parser, which knows the
 * lengths of months.
 */
function canonicalSeconds(text: string): number {
  if (text.length !== canonicalLength || text.charCodeAt(19) !== 0x5a || text.charCodeAt(10) !== 0x54) return Number.NaN
  if (text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d || text.charCodeAt(13) !== 0x3a || text.charCodeAt(16) !== 0x3a)
    return Number.NaN
  const year = digits(text, 0) * 100 + digits(text, 2)
  const month = digits(text, 5)
  const day = digits(text, 8)
  const hour = digits(text, 11)
  const minute = digits(text, 14)
  const second = digits(text, 17)
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN
  return daysBefore(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
}

/** Reads two digits as a number, NaN for anything else. */
function digits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 0x30
  const ones = text.charCodeAt(at + 1) - 0x30
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

const daysToEpoch = 719_468
const daysOfEra = 146_097

/** Days from 1970-01-01 to a day of the Gregorian calendar. Years begin in March here, so the leap day is last. */
function daysBefore(year: number, month: number, day: number): number {
  const from = month <= 2 ? year - 1 : year
  const era = Math.floor(from / 400)
  const yearOfEra = from - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * daysOfEra + dayOfEra - daysToEpoch
}

function sampleOf(type: "Time" | "MicroTime"): string {
  return type === "Time" ? "2006-01-02T15:04:05Z" : "2006-01-02T15:04:05.000000Z"
}

function rangeFault(parts: { year: number; month: number; day: number; hour: number; minute: number; second: number }): string | undefined {
  if (parts.month < 1 || parts.month > 12) return "month"
  const days = new Date(Date.UTC(2000 + (parts.year % 400), parts.month, 0)).getUTCDate()
  if (parts.day < 1 || parts.day > days) return "day"
  if (parts.hour > 23) return "hour"
  if (parts.minute > 59) return "minute"
  return parts.second > 59 ? "second" : undefined
}

/** True for the instant that means "no time". */
export function isZeroInstant(instant: Instant): boolean {
  return instant.seconds === zeroSeconds && instant.nanos === 0
}

/** `2006-01-02T15:04:05Z`. Fractions are truncated. */
export function formatTime(instant: Instant): string {
  return `${secondsText(instant)}Z`
}

/** `2006-01-02T15:04:05.000000Z`. Finer fractions are truncated. */
export function formatMicroTime(instant: Instant): string {
  return `${secondsText(instant)}.${String(Math.floor(instant.nanos / 1000)).padStart(6, "0")}Z`
}

function secondsText(instant: Instant): string {
  const text = new Date(instant.seconds * 1000).toISOString()
  // Years before 0 and after 9999 have a sign and six digits, which no parser of RFC 3339 accepts.
  if (text.length !== 24) throw new TimeError(`year of ${text} is outside 0 to 9999`)
  return text.slice(0, 19)
}

/** Called for every Time field of a decoded object. Null for the zero time. Throws TimeError. */
export function canonicalTime(text: string): string | null {
  const known = canonicalSeconds(text)
  if (known > zeroSeconds) return text
  const { seconds } = parseInstant(text, "Time")
  return isZeroInstant({ seconds, nanos: 0 }) ? null : formatTime({ seconds, nanos: 0 })
}

/** Called for every MicroTime field of a decoded object. Null for the zero time. Throws TimeError. */
export function canonicalMicroTime(text: string): string | null {
  const instant = parseInstant(text, "MicroTime")
  return isZeroInstant(instant) ? null : formatMicroTime(instant)
}

let lastSecond = Number.NaN
let lastSecondText = ""

/**
 * Returns the text of a Time field for a clock reading. Called when the server stamps an object, many times a second,
 * so it caches the last text.
 */
export function timeText(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  if (seconds !== lastSecond) {
    lastSecondText = formatTime({ seconds, nanos: 0 })
    lastSecond = seconds
  }
  return lastSecondText
}

/** Now as a MicroTime, from milliseconds since 1970. */
export function microTimeText(nowMs: number): string {
  return formatMicroTime({ seconds: Math.floor(nowMs / 1000), nanos: (nowMs % 1000) * 1_000_000 })
}
