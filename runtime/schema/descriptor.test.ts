import { expect, test } from "vitest"
import { type DescriptorPart, mergeDescriptors } from "./descriptor.ts"
import { isObject, type JsonValue } from "../base/json.ts"

function at(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  return path.reduce((here: JsonValue | undefined, name) => (isObject(here) ? here[name] : undefined), value)
}

test("merges the messages of all imported files into packages, once each, cycles included", async () => {
  const first: DescriptorPart = {
    file: "a",
    messages: { "core.v1.A": { fields: { b: { type: "core.v1.B", id: 1 } } } },
    imports: [() => Promise.resolve(second)],
  }
  const second: DescriptorPart = { file: "b", messages: { "core.v1.B": { fields: {} } }, imports: [() => Promise.resolve(first)] }
  const merged = await mergeDescriptors(first)
  expect(at(merged, "nested", "core", "nested", "v1", "nested", "A")).toEqual({
    edition: "proto2",
    fields: { b: { type: "core.v1.B", id: 1 } },
  })
  expect(at(merged, "nested", "core", "nested", "v1", "nested", "B")).toEqual({ edition: "proto2", fields: {} })
  expect(at(merged, "nested", "Quantity", "edition")).toBe("proto2")
})
