import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseInstant, timeText } from "./time.ts"

describe("canonicalTime", () => {
  it("returns UTC and whole seconds", () => {
    expect(canonicalTime("2020-02-29T23:59:59Z")).toBe("2020-02-29T23:59:59Z")
    expect(canonicalTime("2020-01-01T00:00:00.999+01:30")).toBe("2019-12-31T22:30:00Z")
    expect(canonicalTime("2020-01-01T00:00:00,5Z")).toBe("2020-01-01T00:00:00Z")
    expect(canonicalTime("0050-01-01T00:00:00Z")).toBe("0050-01-01T00:00:00Z")
    expect(canonicalTime("0001-01-01T00:00:00Z")).toBeNull()
  })

  it("refuses what is not a time", () => {
    const wrong = [
      "",
      "x",
      "2020-01-01",
      "2020-01-01T00:00:00",
      "2020-13-01T00:00:00Z",
      "2020-02-30T00:00:00Z",
      "2021-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "2020-01-01T25:00:00Z",
      "2020-01-01T24:00:00Z",
      "2020-01-01T00:60:00Z",
      "2020-01-01T23:59:60Z",
      "2020-01-01t00:00:00z",
      "2020-01-01T00:00:00+0100",
      "10000-01-01T00:00:00Z",
    ]
    for (const text of wrong) expect(() => canonicalTime(text), text).toThrow(/parsing time/)
  })
})

describe("canonicalMicroTime", () => {
  it("keeps six decimals and requires six", () => {
    expect(canonicalMicroTime("2020-01-01T00:00:00.120000+01:00")).toBe("2019-12-31T23:00:00.120000Z")
    for (const text of ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123Z", "2020-01-01T00:00:00.1234567Z"])
      expect(() => canonicalMicroTime(text)).toThrow(/six decimals/)
  })
})

describe("instants", () => {
  it("of canonical texts equal those of the built-in calendar", () => {
    const property = fc.property(fc.integer({ min: Date.parse("0000-01-01T00:00:00Z"), max: 253_402_300_799_000 }), (ms) => {
      const text = `${new Date(ms).toISOString().slice(0, 19)}Z`
      expect(parseInstant(text)).toEqual({ seconds: Math.floor(ms / 1000), nanos: 0 })
    })
    fc.assert(property, { numRuns: 2000 })
    for (const text of [
      "0000-01-01T00:00:00Z",
      "0000-03-01T00:00:00Z",
      "2000-02-28T23:59:59Z",
      "2100-03-01T00:00:00Z",
      "0400-02-29T00:00:00Z",
    ])
      expect(parseInstant(text)).toEqual({ seconds: Date.parse(text) / 1000, nanos: 0 })
  })

  it("survive a round trip, before 1970 too", () => {
    for (const text of ["1960-05-05T01:02:03Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
      expect(formatTime(parseInstant(text))).toBe(text)
    expect(formatMicroTime({ seconds: -1, nanos: 999_999_999 })).toBe("1969-12-31T23:59:59.999999Z")
    const times = [1234567890123, 1234567890999, 1234567891000, 1234567890123]
    expect(times.map(timeText)).toEqual(["2009-02-13T23:31:30Z", "2009-02-13T23:31:30Z", "2009-02-13T23:31:31Z", "2009-02-13T23:31:30Z"])
  })
})
