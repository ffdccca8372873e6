import { expect, it } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { settle, settledJson } from "./settled.ts"
import { WrittenTexts } from "./written-texts.ts"

function value(name: string, bytes: number): JsonObject {
  const made = { name, text: "x".repeat(bytes) }
  settle(made)
  return made
}

const isKnown = (texts: WrittenTexts, of: JsonObject) => texts.find(settledJson(of)?.bytes ?? Buffer.alloc(0), 0)?.value === of

it("keeps the texts that were met last, up to half a megabyte", () => {
  const texts = new WrittenTexts()
  const values = Array.from({ length: 100 }, (_, index) => value(`value-${index}`, 10_000))
  for (const one of values) {
    texts.share(one)
    const [first] = values
    if (first !== undefined) expect(isKnown(texts, first)).toBe(true)
  }
  const known = values.map((one) => isKnown(texts, one))
  expect(known[0]).toBe(true)
  expect(known.filter(Boolean).length).toBeGreaterThan(40)
  expect(known.filter(Boolean).length).toBeLessThan(53)
  expect(known.slice(-40)).not.toContain(false)
})

it("compares a text with eight of its beginning at most", () => {
  const texts = new WrittenTexts()
  const beginning = "b".repeat(1000)
  const values = Array.from({ length: 20 }, (_, index) => value(beginning, index))
  for (const one of values) texts.share(one)
  expect(values.map((one) => isKnown(texts, one)).filter(Boolean)).toHaveLength(8)
  for (const one of values) texts.share(one)
  expect(values.slice(-8).map((one) => isKnown(texts, one))).not.toContain(false)
})

it("does not keep a long text", () => {
  const texts = new WrittenTexts()
  const long = value("long", 70_000)
  expect(texts.share(long)).toBe(long)
  expect(isKnown(texts, long)).toBe(false)
})
