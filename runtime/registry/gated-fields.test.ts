import { expect, test } from "vitest"
import type { ApiObject } from "../base/json.ts"
import type { TypeShape } from "../schema/shape.ts"
import { dropGated, gatedFieldsOf } from "./gated-fields.ts"

const part: TypeShape = {
  name: "Part",
  fields: [
    { name: "claims", type: { list: { scalar: "string" } }, gate: "DynamicResourceAllocation" },
    { name: "mount", type: { scalar: "string" }, gate: "ProcMountType", gatedValue: "Default" },
    { name: "state", type: { scalar: "string" }, gate: "DynamicResourceAllocation", gateExempts: "status" },
    { name: "parts", type: { list: { ref: () => part } } },
  ],
}
const shape: TypeShape = { name: "Whole", fields: [{ name: "spec", type: { list: { ref: () => part } } }] }

function dropped(object: object, old?: object, subresource?: string): unknown {
  const next = { ...object } as ApiObject
  const fields = gatedFieldsOf(shape, (gate) => gate !== "WatchList")
  if (fields !== undefined) dropGated(fields, next, old as ApiObject | undefined, subresource)
  return next
}

test("a field whose gate is off is dropped or gets its value", () => {
  expect(dropped({ spec: [{ claims: ["a"], mount: "Other", kept: 1 }, {}] })).toEqual({ spec: [{ mount: "Default", kept: 1 }, {}] })
})

test("an update keeps the fields of a gate that the stored object uses", () => {
  const old = { spec: [{ claims: ["b"], mount: "Default" }] }
  expect(dropped({ spec: [{ claims: ["a"], mount: "Other" }] }, old)).toEqual({ spec: [{ claims: ["a"], mount: "Default" }] })
})

test("a write of the status sets what it is exempt for, and every other one drops it unless the rest uses the gate", () => {
  const [bare, set] = [{ spec: [{ kept: 1 }] }, { spec: [{ state: "s", kept: 1 }] }]
  expect(dropped(set, bare, "status")).toEqual(set)
  expect(dropped({ spec: [{ state: "s", claims: ["a"] }] }, bare, "status")).toEqual({ spec: [{ state: "s" }] })
  expect(dropped(set, set)).toEqual(bare)
  expect(dropped(set)).toEqual(bare)
  expect(dropped(set, set, "scale")).toEqual(bare)
  expect(dropped(set, { spec: [{ claims: ["a"] }] })).toEqual(set)
})

test("what the caller shares with others is not changed", () => {
  const shared = { spec: [{ claims: ["a"] }] }
  dropped(shared)
  expect(shared).toEqual({ spec: [{ claims: ["a"] }] })
})

test("no field is gated when all gates are on", () => {
  expect(gatedFieldsOf(shape, () => false)).toBeUndefined()
})
