import { expect, it } from "vitest"
import { ProtobufWriter } from "./writer.ts"

const text = "x".repeat(1024)

it("refuses output beyond its ceiling while it is being written", () => {
  const writer = new ProtobufWriter(16, 64 * 1024)
  let written = 0
  expect(() => {
    for (; written < 1000; written++) writer.text(text)
  }).toThrow(expect.objectContaining({ code: 413, message: expect.stringContaining("65536 bytes") }))
  expect(written).toBeLessThan(200)
})

it("accepts what fits, and the message after a refused one", () => {
  const writer = new ProtobufWriter(16, 64 * 1024)
  expect(() => writer.text("x".repeat(1024 * 1024))).toThrow(expect.objectContaining({ code: 413 }))
  writer.reset()
  for (let count = 0; count < 60; count++) writer.text(text)
  expect(writer.finish()).toHaveLength(60 * (1024 + 2))
})

it("accepts characters of any width up to the ceiling", () => {
  const writer = new ProtobufWriter(16, 64 * 1024)
  writer.text("x".repeat(60 * 1024))
  expect(writer.finish()).toHaveLength(60 * 1024 + 3)
})
