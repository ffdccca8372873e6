/** Timestamps as text: RFC 3339, as Go's time package reads and writes it. */
import { civilTime, daysFromCivil, monthLength } from "./calendar.ts"
import { Timestamp } from "./time.ts"

/** Seconds of 0001-01-01T00:00:00Z and of the last second of 9999. */
export const secondsMin = -62_135_596_800
export const secondsMax = 253_402_300_799

const syntax = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

/** Undefined when the text is not a time; `overflow` when it is outside of years 1 to 9999 in UTC. */
export function parseTimestamp(text: string): Timestamp | "overflow" | undefined {
  const match = syntax.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const zoneHour = Number(match[9] ?? 0)
  const zoneMinute = Number(match[10] ?? 0)
  if (month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 24 || zoneMinute > 60) return undefined
  const offset = (zoneHour * 3600 + zoneMinute * 60) * (match[8] === "-" ? -1 : 1)
  const seconds = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  if (seconds < secondsMin || seconds > secondsMax) return "overflow"
  return new Timestamp(seconds, Number((match[7] ?? "").slice(0, 9).padEnd(9, "0")), offset + 0)
}

/** In the zone of the text that the time was read from; without zeros at the end of a fraction. */
export function timestampText(time: Timestamp): string {
  const at = civilTime(time.seconds + time.offset)
  const fraction =
    time.nanos === 0
      ? ""
      : `.${String(time.nanos)
          .padStart(9, "0")
          .replace(/(?<!0)0+$/, "")}`
  const date = `${String(at.year).padStart(4, "0")}-${two(at.month)}-${two(at.day)}`
  return `${date}T${two(at.hour)}:${two(at.minute)}:${two(at.second)}${fraction}${offsetText(time.offset)}`
}

function offsetText(offset: number): string {
  if (offset === 0) return "Z"
  const minutes = Math.floor(Math.abs(offset) / 60)
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}
