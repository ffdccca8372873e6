/** Expensive parts of a version are made on first use. */
import { expect, it } from "vitest"
import type { CustomResourceDefinition } from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { Failures } from "../base/failure.ts"
import { vendorProfile } from "../base/vendor.ts"
import { typed } from "../schema/typed.ts"
import { type DefinitionOptions, partsOf } from "./kind.ts"

const vendor = vendorProfile("kubernetes")
const options: DefinitionOptions = {
  vendor,
  ratchet: true,
  selectable: false,
  checkMetadata: () => {},
  callHook: () => Promise.reject(new Error("nothing is converted")),
  uuid: () => "",
}

const openAPIV3Schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { size: { type: "integer", default: 3 } } } },
}

it("reads the schema and the columns of a version when an object or a Table first needs them", async () => {
  const read: string[] = []
  const version = {
    name: "v1",
    served: true,
    storage: true,
    get schema() {
      read.push("schema")
      return { openAPIV3Schema }
    },
    get additionalPrinterColumns() {
      read.push("columns")
      return [{ name: "Size", type: "integer", jsonPath: ".spec.size" }]
    },
  }
  const names = { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" }
  const definition = {
    metadata: { name: "things.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions: [version] },
    status: { acceptedNames: names, conditions: [], storedVersions: ["v1"] },
  }
  const parts = await partsOf(typed<CustomResourceDefinition>(definition), options)("v1")
  expect(parts.shape.structural?.root.fields.map(({ name }) => name)).toEqual(["metadata"])
  expect(read).toEqual([])
  const object = { spec: {} }
  parts.applyDefaults(object, { vendor })
  expect(object).toEqual({ spec: { size: 3 } })
  expect(parts.shape.fields.map(({ name }) => name)).toEqual(["metadata", "spec"])
  expect(parts.columns.map(({ name }) => name)).toEqual(["Name", "Size"])
  expect(read).toEqual(["schema", "columns"])
})

it("warns of each new finalizer without a domain", async () => {
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }
  const names = { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" }
  const definition = {
    metadata: { name: "things.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions: [version] },
    status: { acceptedNames: names, conditions: [], storedVersions: ["v1"] },
  }
  const parts = await partsOf(typed<CustomResourceDefinition>(definition), options)("v1")
  const finalizers = ["orphan", "foregroundDeletion", "kubernetes", "example.com/one", "a/b", "old", "new"]
  const old = { metadata: { finalizers: ["old"] } }
  const why = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
  const context = { failures: new Failures(), vendor }
  expect(parts.warnings?.({ metadata: { finalizers } }, { ...context, old })).toEqual([`metadata.finalizers: "new": ${why}`])
  expect(parts.warnings?.({ metadata: { finalizers } }, context)).toHaveLength(2)
})
