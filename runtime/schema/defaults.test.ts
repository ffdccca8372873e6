import { expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { assign, defaultField, defaultItems, type DefaultingContext, defaultNested, setDefault } from "./defaults.ts"
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
