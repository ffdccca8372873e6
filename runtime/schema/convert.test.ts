import { expect, test } from "vitest"
import { converted } from "./convert.ts"

const moves = [
  { from: "regarding", to: "involvedObject" },
  { from: "deprecated.source", to: "source" },
  { from: "note", to: "details.message" },
]
const back = moves.map(({ from, to }) => ({ from: to, to: from }))

test("moves fields, keeps the rest and does not change its argument", () => {
  const object = {
    apiVersion: "events.orch.io/v1",
    kind: "Event",
    regarding: { name: "a" },
    deprecated: { source: "s", count: 1 },
    type: "Normal",
  }
  const before = structuredClone(object)
  const stored = converted(object, "v1", "Event", moves)
  expect(stored).toEqual({
    apiVersion: "v1",
    kind: "Event",
    involvedObject: { name: "a" },
    source: "s",
    deprecated: { count: 1 },
    type: "Normal",
  })
  expect(object).toEqual(before)
  expect(converted(stored, "events.orch.io/v1", "Event", back)).toEqual(object)
})

test("creates missing parents and can swap two fields", () => {
  expect(converted({ note: "n" }, "v1", "E", moves)).toEqual({ apiVersion: "v1", kind: "E", details: { message: "n" } })
  const swap = [
    { from: "a", to: "b" },
    { from: "b", to: "a" },
  ]
  expect(converted({ a: 1, b: 2 }, "v1", "E", swap)).toEqual({ apiVersion: "v1", kind: "E", a: 2, b: 1 })
})
