import { describe, expect, it } from "vitest"
import type { ApiObject } from "../base/json.ts"
import type { Column } from "../schema/kind.ts"
import { vendorProfile } from "../base/vendor.ts"
import { readIncludeObject, renderPartial, renderTable, singleMetadata, type TableOptions } from "./table.ts"

const columns: Column[] = [
  { name: "Name", type: "string", format: "name", description: "The name.", priority: 0, value: (object) => object.metadata?.name ?? "" },
  { name: "Age", type: "string", format: "", description: "", priority: 1, value: (_object, { nowMs }) => `${nowMs}ms` },
]
const options: TableOptions = { vendor: vendorProfile("kubernetes"), version: "v1", columns, includeObject: "Metadata", nowMs: 7 }
const object: ApiObject = { kind: "Kettle", apiVersion: "test/v1", metadata: { name: "a", resourceVersion: "3" }, spec: { x: 1 } }
const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata }

describe("renderTable", () => {
  it("has definitions with all five keys and a row per object", () => {
    expect(renderTable([object], { resourceVersion: "5" }, options)).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "5" },
      columnDefinitions: [
        { name: "Name", type: "string", format: "name", description: "The name.", priority: 0 },
        { name: "Age", type: "string", format: "", description: "", priority: 1 },
      ],
      rows: [{ cells: ["a", "7ms"], object: partial }],
    })
  })

  it("includes the requested part of each object", () => {
    const rows = (includeObject: TableOptions["includeObject"]) => renderTable([object], {}, { ...options, includeObject }).rows
    expect(rows("None")).toEqual([{ cells: ["a", "7ms"], object: null }])
    expect(rows("Object")).toEqual([{ cells: ["a", "7ms"], object }])
  })

  it("has no rows when empty, null definitions without headers, and conditions where a kind has them", () => {
    expect(renderTable([], {}, { ...options, noHeaders: true })).toMatchObject({ rows: [], columnDefinitions: null })
    const conditions = [{ type: "Completed", status: "True" }]
    expect(renderTable([object], {}, { ...options, rowConditions: () => conditions })).toMatchObject({ rows: [{ conditions }] })
  })
})

describe("parts of tables", () => {
  it("reads includeObject", () => {
    const read = (text: string) => readIncludeObject(new URLSearchParams(text))
    expect([read(""), read("includeObject="), read("includeObject=None"), read("includeObject=Object")]).toEqual([
      "Metadata",
      "Metadata",
      "None",
      "Object",
    ])
    expect(() => read("includeObject=x")).toThrow("includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty")
  })

  it("renders partial metadata and the metadata of a single object's table", () => {
    expect(renderPartial(object, options)).toEqual(partial)
    expect([singleMetadata(object), singleMetadata({})]).toEqual([{ resourceVersion: "3" }, {}])
  })
})
