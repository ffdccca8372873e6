import { expect, it } from "vitest"
import { atOnce } from "../../base/turns.ts"
import { droppingManagedFields } from "./drop-managed-fields.ts"

const managers = [{ manager: "m", fieldsV1: { "f:a": { '"},{': {} } } }]

it.each([
  ["an object", { kind: "A", metadata: { name: "a", managedFields: managers }, data: { managedFields: "kept" } }],
  ["an object whose metadata begins with them", { metadata: { managedFields: managers, name: "a" }, spec: {} }],
  ["metadata of nothing else", { metadata: { managedFields: managers } }],
  ["an object without them", { kind: "A", metadata: { name: "a" } }],
  ["an object without metadata", { kind: "A", items: {} }],
  [
    "a list",
    {
      kind: "AList",
      items: [{ metadata: { managedFields: managers, name: "a" } }, { metadata: { name: "b" } }, {}, { metadata: { managedFields: [] } }],
    },
  ],
  ["an empty list", { kind: "AList", items: [] }],
  ["a table", { kind: "Table", rows: [{ cells: [1], object: { metadata: { name: "a", managedFields: managers } } }, { cells: [] }] }],
  ["a table of nothing", { kind: "Table", rows: null }],
])("%s loses them and nothing else", (_what, document) => {
  const expected = JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === "metadata") delete value.managedFields
    return value
  })
  expect(JSON.parse(atOnce(droppingManagedFields(Buffer.from(JSON.stringify(document)))).toString())).toEqual(expected)
})

it("a long list takes turns", () => {
  const kind = "AList"
  const items = Array.from({ length: 22 }, () => ({ metadata: { managedFields: [{ manager: "x".repeat(100_000) }] } }))
  const stages = droppingManagedFields(Buffer.from(JSON.stringify({ kind, items })))
  let turns = 0
  let stage = stages.next()
  for (; stage.done !== true; stage = stages.next()) turns++
  expect(turns).toBe(2)
  expect(JSON.parse(stage.value.toString())).toEqual({ kind, items: items.map(() => ({ metadata: {} })) })
})
