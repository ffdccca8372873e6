import { expect, test } from "vitest"
import { timestampText } from "../values/timestamp-text.ts"
import { readDate, readDateTime, readDuration } from "./time-text.ts"

const hour = 3_600_000_000_000n

test.each([
  ["1h30m", (3n * hour) / 2n],
  ["2 days 3 hours", 51n * hour],
  ["1w", 168n * hour],
  ["5 seconds", 5_000_000_000n],
  ["1 hr", hour],
  ["1.5 days", 120n * hour],
  ["1µs", 1_000n],
  ["7 nanos", 7n],
  ["10", undefined],
  ["x", undefined],
  ["1 month", undefined],
  ["99999999999 weeks", undefined],
])("the duration %s", (text, nanos) => expect(readDuration(text)?.nanos).toBe(nanos))

test.each([
  ["", "1970-01-01T00:00:00Z"],
  ["2024-02-29T12:30:00.123Z", "2024-02-29T12:30:00.123Z"],
  ["2024-02-29T12:30:00.5", "2024-02-29T12:30:00.5Z"],
  ["2024-02-29t12:30:00z", undefined],
  ["2024-02-29", undefined],
  ["2024-02-30T12:30:00Z", undefined],
])("the time %s", (text, expected) => {
  const time = readDateTime(text)
  expect(time && timestampText(time)).toBe(expected)
})

test.each([
  ["2024-02-29", "2024-02-29T00:00:00Z"],
  ["2023-02-29", undefined],
  ["2024-02-29T00:00:00Z", undefined],
])("the date %s", (text, expected) => {
  const date = readDate(text)
  expect(date && timestampText(date)).toBe(expected)
})
