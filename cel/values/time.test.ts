import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { civilTime, daysFromCivil } from "./calendar.ts"
import { Timestamp } from "./time.ts"
import { addToTime, subtractTimes } from "./time-arithmetic.ts"
import { parseTimestamp, secondsMax, secondsMin, timestampText } from "./timestamp-text.ts"
import { Duration } from "./time.ts"
import { ErrorValue } from "./value.ts"
import { zoneOffset } from "./zone.ts"

const seconds = fc.integer({ min: secondsMin, max: secondsMax })

describe("times", () => {
  it("have the parts that Date computes", () => {
    fc.assert(
      fc.property(seconds, (at) => {
        const date = new Date(at * 1000)
        const { year, month, day, hour, minute, second, weekday } = civilTime(at)
        expect([year, month, day, hour, minute, second, weekday]).toEqual([
          date.getUTCFullYear(),
          date.getUTCMonth() + 1,
          date.getUTCDate(),
          date.getUTCHours(),
          date.getUTCMinutes(),
          date.getUTCSeconds(),
          date.getUTCDay(),
        ])
        expect(daysFromCivil(year, month, day)).toBe(Math.floor(at / 86_400))
      }),
    )
  })

  it("are read as they are written", () => {
    const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 }).map((minutes) => minutes * 60)
    const middle = fc.integer({ min: secondsMin + 86_400, max: secondsMax - 86_400 })
    fc.assert(
      fc.property(middle, fc.nat(999_999_999), offsets, (at, nanos, offset) => {
        const time = new Timestamp(at, nanos, offset)
        expect(parseTimestamp(timestampText(time))).toEqual(time)
      }),
    )
  })

  it.each(["2023-02-29T00:00:00Z", "2023-01-01", "2023-01-01T24:00:00Z", "2023-01-01T00:00:60Z", "soon"])("are not %s", (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })

  it("end with the year 9999", () => {
    expect(parseTimestamp("9999-12-31T23:59:59-01:00")).toBe("overflow")
    expect(addToTime(new Timestamp(secondsMax, 999_999_999), 1n)).toBeInstanceOf(ErrorValue)
  })

  it("differ by what is added", () => {
    const nanos = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.nat(999_999_999), nanos, (at, rest, added) => {
        const time = new Timestamp(at, rest)
        const later = addToTime(time, added)
        if (later instanceof ErrorValue) throw new Error(later.message)
        expect(subtractTimes(later, time)).toEqual(new Duration(added))
      }),
    )
  })

  it.each([
    ["UTC", 0, 0],
    ["America/New_York", 1_577_836_800, -18_000],
    ["America/New_York", 1_593_561_600, -14_400],
    ["Asia/Kolkata", 0, 19_800],
    ["-08:30", 0, -30_600],
    ["+02:00", 0, 7200],
  ])("in %s at %d are %d seconds east of UTC", (zone, at, offset) => {
    expect(zoneOffset(zone, at)).toBe(offset)
  })

  it("know both sides of a change of the clock", () => {
    const change = 1_583_650_800
    expect([zoneOffset("America/New_York", change - 1), zoneOffset("America/New_York", change)]).toEqual([-18_000, -14_400])
  })

  it("refuse unknown zones", () => {
    expect(zoneOffset("Mars/Base", 0)).toEqual(new ErrorValue("unknown time zone Mars/Base"))
  })
})
