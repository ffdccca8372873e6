import { expect, it } from "vitest"
import { load } from "./load.ts"

const doc = "A thing."

function warningsOf(fields: object, types: object, conversion?: object): readonly string[] {
  const kind = (version: string, block: object): readonly [string, string] => [
    `kitchen.example.com/${version}/cup.yaml`,
    JSON.stringify({ kind: "Cup", group: "kitchen.example.com", version, doc, scope: "Namespaced", names: { plural: "cups" }, ...block }),
  ]
  const size = { type: "int32", doc }
  const stored = {
    fields: { spec: { type: "Spec", doc } },
    types: { Spec: { doc, fields: { size, parts: { type: "[]Part", doc } } }, Part: { doc, fields: { size } } },
  }
  const shared = { storage: { sharedWith: "kitchen.example.com/v2 Cup" }, ...(conversion !== undefined && { conversion }) }
  const loaded = load(new Map([kind("v2", stored), kind("v1", { ...shared, fields, types })]), {
    library: new Map([
      [
        "meta/v1/object-meta.yaml",
        `group: meta\nversion: v1\ntypes:\n  ObjectMeta: {doc: Metadata., fields: {name: {type: string, number: 1, doc: Name.}}}`,
      ],
    ]),
  })
  if ("diagnostics" in loaded) throw new Error(JSON.stringify(loaded.diagnostics))
  return loaded.warnings.map(({ found }) => found)
}

const spec = { spec: { type: "Spec", doc } }
const size = { type: "int32", doc }

it("names fields that the stored version has no place for, also in items", () => {
  const types = {
    Spec: { doc, fields: { size, color: size, parts: { type: "[]Part", doc } } },
    Part: { doc, fields: { size, color: size } },
  }
  expect(warningsOf(spec, types)).toEqual([
    "spec.color, spec.parts[].color of v1 Cup, which v2 Cup does not have: what clients write there is lost",
  ])
})

it("says nothing of fields that are renamed or that a named conversion handles", () => {
  const types = { Spec: { doc, fields: { width: size } } }
  expect(warningsOf(spec, types, { rename: { "spec.width": "spec.size" } })).toEqual([])
  expect(warningsOf(spec, types, { behaviour: "cups" })).toEqual([])
  expect(warningsOf(spec, types)).toHaveLength(1)
})
