import { expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import {
  assign,
  defaultField,
  defaultItems,
  defaultSelfContained,
  type DefaultingContext,
  defaultNested,
  replaceZero,
  setDefault,
} from "./defaults.ts"
import type { JsonObject } from "../base/json.ts"

const context: DefaultingContext = { vendor: vendorProfile("orch"), root: {} }
const fill = (self: JsonObject): void => setDefault(self, "mode", "on")

test("a constant fills an absent field, and an empty one unless it is a pointer", () => {
  const self: JsonObject = { text: "", pointer: "", zero: 0, null: null }
  setDefault(self, "text", "a")
  setDefault(self, "pointer", "a", true)
  setDefault(self, "zero", 5)
  setDefault(self, "null", "a", true)
  setDefault(self, "new", { a: 1 })
  expect(self).toEqual({ text: "a", pointer: "", zero: 5, null: "a", new: { a: 1 } })
})

test("creates a value for a struct field, never for a pointer", () => {
  const self: JsonObject = { list: [{}, "text"], map: { a: [{}] } }
  defaultField(self, "struct", context, fill)
  defaultField(self, "pointer", context, fill, true)
  defaultField(self, "quiet", context, () => {})
  defaultItems(self, "list", context, fill)
  defaultNested(self.map, context, ["map", "list"], fill)
  expect(self).toEqual({ struct: { mode: "on" }, list: [{ mode: "on" }, "text"], map: { a: [{ mode: "on" }] } })
})

test("a value that is as it was written last is left alone", () => {
  const root = { spec: {}, status: {} }
  const unchanged = { ...context, root, unchanged: new Set(["spec"]) }
  defaultSelfContained(root, "spec", unchanged, fill)
  defaultSelfContained(root, "status", unchanged, fill)
  expect(root).toEqual({ spec: {}, status: { mode: "on" } })
  const part = { spec: {} }
  defaultSelfContained(part, "spec", unchanged, fill)
  expect(part).toEqual({ spec: { mode: "on" } })
})

test("a computed default sets a path whose parents exist", () => {
  const source = { a: 1 }
  const self: JsonObject = { strategy: { type: "x" } }
  assign(self, ["strategy", "rolling"], source)
  assign(self, ["missing", "field"], 1)
  assign(self, ["strategy", "type"], "y")
  assign(self, ["strategy", "forced"], 1, { force: true })
  assign(self, ["nothing"], undefined, { force: true })
  expect(self).toEqual({ strategy: { type: "x", rolling: { a: 1 }, forced: 1 } })
  source.a = 2
  expect(self).toEqual({ strategy: { type: "x", rolling: { a: 1 }, forced: 1 } })
})

test("the zero that decoding writes for an absent field is absent", () => {
  const self: JsonObject = { rest: "0s", set: "1m0s", lid: { name: "", closes: "0s" }, own: { name: "x", closes: "0s" } }
  replaceZero(self, "rest", "1h0m0s", "0s")
  replaceZero(self, "set", "1h0m0s", "0s")
  replaceZero(self, "new", "1", "0")
  for (const name of ["lid", "own"]) replaceZero(self, name, { name: "flat", closes: "0s" }, { name: "", closes: "0s" })
  expect(self).toEqual({
    rest: "1h0m0s",
    set: "1m0s",
    new: "1",
    lid: { name: "flat", closes: "0s" },
    own: { name: "x", closes: "0s" },
  })
})

test("a computed text is written in its canonical form, and not at all when it is none", () => {
  const self: JsonObject = { zero: "0s", kept: "1s" }
  assign(self, ["zero"], "90m", { as: "Duration" })
  assign(self, ["kept"], "90m", { as: "Duration" })
  assign(self, ["pointer"], "60s", { as: "Duration", pointer: true })
  assign(self, ["volume"], "1000m", { as: "Quantity" })
  assign(self, ["count"], 3, { as: "Quantity" })
  assign(self, ["made"], "2024-05-01T12:00:00+02:00", { as: "Time" })
  assign(self, ["exactly"], "2024-05-01T12:00:00.000000+02:00", { as: "MicroTime" })
  for (const as of ["Duration", "Quantity", "Time"] as const) assign(self, ["wrong"], "much", { as })
  assign(self, ["wrong"], 3, { as: "Duration" })
  expect(self).toEqual({
    zero: "1h30m0s",
    kept: "1s",
    pointer: "1m0s",
    volume: "1",
    count: "3",
    made: "2024-05-01T10:00:00Z",
    exactly: "2024-05-01T10:00:00.000000Z",
  })
})
