/** Offsets of time zones: `America/New_York`, `UTC`, `-08:00`. */
import { errorOf } from "./error.ts"
import type { ErrorValue } from "./value.ts"
import { chargeWork } from "../work.ts"

/**
 * Zones change their offset at quarters of an hour, so one answer is kept for a quarter. A quarter with a change at an
 * odd second, as in old local times, is not kept.
 */
const quarter = 900
const keptMax = 4096
/** A zone may be named in upper and lower case; each spelling takes an entry of some 50 KB. */
const zonesMax = 100
const zoneCharactersMax = 256
/** Units of work, some 100 and 5 us. */
const openZoneWork = 2000
const askWork = 100
const named = /^[A-Za-z][A-Za-z0-9_+/-]*$/

class Zone {
  private readonly offsets = new Map<number, number>()
  constructor(private readonly format: Intl.DateTimeFormat) {}

  offset(seconds: number): number {
    const key = Math.floor(seconds / quarter)
    const known = this.offsets.get(key)
    if (known !== undefined) return known
    const first = this.ask(key * quarter)
    if (first !== this.ask((key + 1) * quarter - 1)) return this.ask(seconds)
    if (this.offsets.size >= keptMax) this.offsets.clear()
    this.offsets.set(key, first)
    return first
  }

  private ask(seconds: number): number {
    chargeWork(askWork)
    const part = this.format.formatToParts(seconds * 1000).find(({ type }) => type === "timeZoneName")
    const [, sign, hours = "0", minutes = "0", rest = "0"] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(part?.value ?? "") ?? []
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest))
  }
}

const zones = new Map<string, Zone>()

/** Seconds east of UTC at a time, or an error: the zone is unknown. */
export function zoneOffset(name: string, seconds: number): number | ErrorValue {
  if (name === "UTC" || name === "" || name === "Local") return 0
  const colon = name.indexOf(":")
  if (colon >= 0) return fixedOffset(name, name.slice(0, colon), name.slice(colon + 1))
  const zone = zones.get(name) ?? openZone(name)
  return zone === undefined ? errorOf(`unknown time zone ${name}`) : zone.offset(seconds)
}

function openZone(name: string): Zone | undefined {
  if (name.length > zoneCharactersMax || !named.test(name)) return undefined
  chargeWork(openZoneWork)
  try {
    const zone = new Zone(new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }))
    if (zones.size >= zonesMax) zones.clear()
    zones.set(name, zone)
    return zone
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

function fixedOffset(name: string, hourText: string, minuteText: string): number | ErrorValue {
  const hours = wholeNumber(hourText)
  if (typeof hours !== "number") return hours
  const minutes = wholeNumber(minuteText)
  if (typeof minutes !== "number") return minutes
  return (name.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes) * 60
}

function wholeNumber(text: string): number | ErrorValue {
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text)
  return errorOf(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
}
