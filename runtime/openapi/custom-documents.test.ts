import { expect, it } from "vitest"
import type { CustomResourceDefinition } from "../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { customDocument } from "../../model/openapi/custom.ts"
import { vendorProfile } from "../base/vendor.ts"
import { kindsOf, partsOf } from "../definitions/kind.ts"
import { builtInDocuments } from "../launch/openapi-files.ts"
import type { JsonObject } from "../base/json.ts"
import type { Kind } from "../schema/kind.ts"
import { KindTable } from "../registry/kinds.ts"
import { typed } from "../schema/typed.ts"
import { CustomDocuments, withMembers } from "./custom-documents.ts"

const vendor = vendorProfile("orch")
const options = {
  vendor,
  ratchet: true,
  selectable: false,
  checkMetadata: () => undefined,
  callHook: async () => null,
  uuid: () => "",
}

/** A definition with a scale, or with a status alone: their paths need different OpenAPI definitions. */
function definition(plural: string, hasScale: boolean, replicas: JsonObject = { type: "integer" }): CustomResourceDefinition {
  const names = { plural, kind: plural.toUpperCase(), listKind: `${plural}List` }
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties: { replicas } } } }
  const subresources = hasScale ? { status: {}, scale } : {}
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources }]
  const spec = { group: "many.example.com", scope: "Namespaced", names, versions }
  return typed({ metadata: { name: `${plural}.many.example.com` }, spec, status: { acceptedNames: names, conditions: [] } })
}

const kinds = [definition("pots", false), definition("kettles", true)].flatMap((one) => kindsOf(one, partsOf(one, options), options))
const path = "v3/apis/many.example.com/v1"

function documentsOfKinds(published: readonly Kind[] = kinds): CustomDocuments {
  const table = new KindTable([])
  table.replace([], published)
  const documents = new CustomDocuments({ vendor, kinds: table, openapi: builtInDocuments() })
  documents.follow(() => false)
  return documents
}

it("a document of version 3 has the paths, schemas and parameters of all kinds", async () => {
  const text = (await documentsOfKinds().groupVersion(path)?.version3())?.toString() ?? ""
  const { paths, components, openapi } = JSON.parse(text)
  expect(openapi).toBe("3.0.0")
  const all = customDocument(
    kinds.map((kind) => ({ kind, schema: kind.custom?.schema })),
    "v3",
    { shared: {}, prefix: vendor.extensionPrefix, vendorName: (name) => name },
  )
  expect(Object.keys(paths).toSorted()).toEqual(Object.keys(all.document.paths ?? {}))
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(Object.keys(all.schemas)))
  expect(Object.keys(components.schemas).some((name) => name.endsWith(".Scale"))).toBe(true)
  expect(Object.keys(components.parameters).length).toBeGreaterThan(0)
})

it("publishes in version 2 the values of a map that may be null or hold unknown fields, and no fields", async () => {
  const map = { type: "object", additionalProperties: { type: "string" } }
  const fields = { type: "object", properties: { a: { type: "string" } }, "x-orch-preserve-unknown-fields": true }
  const schema = { type: "object", properties: { map: { ...map, nullable: true }, fields } }
  const [kind] = kinds
  if (kind === undefined) throw new Error("there are two")
  const how = { shared: {}, prefix: vendor.extensionPrefix, vendorName: (name: string) => name }
  const { document, schemas } = customDocument([{ kind: { ...kind, kind: "pot" }, schema }], "v2", how)
  expect(schemas["com.example.many.v1.pot"]).toMatchObject({
    properties: { map: { additionalProperties: { type: "string" } }, fields: { "x-orch-preserve-unknown-fields": true } },
  })
  expect(JSON.stringify(schemas)).not.toContain('"a"')
  expect(JSON.stringify(document)).toContain("V1PotForAllNamespaces")
})

it("makes each kind's part of the documents in a turn of its own", async () => {
  const documents = documentsOfKinds()
  let turns = 0
  let isDone = false
  const count = (): void => {
    if (isDone) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  const added = await documents.version2()
  isDone = true
  expect(added).toHaveLength(kinds.length)
  expect(turns).toBeGreaterThanOrEqual(kinds.length)
})

it("joins the members of kinds with those of the document", () => {
  const added = [
    { paths: '"a":1', definitions: '"b":2', compact: Buffer.alloc(0) },
    { paths: '"c":3', definitions: "", compact: Buffer.alloc(0) },
  ]
  const joined = [...withMembers('{"paths":{"x":0},"definitions":{"y":0},"z":0}', added)].join("")
  expect(JSON.parse(joined)).toEqual({ paths: { a: 1, c: 3, x: 0 }, definitions: { b: 2, y: 0 }, z: 0 })
})

it("publishes integers beyond 2^53 as they are", async () => {
  const replicas = {
    type: "integer",
    format: "int64",
    maximum: 9223372036854775807n,
    enum: [9007199254740993n],
    default: 9007199254740993n,
  }
  const large = definition("pans", false, replicas)
  const documents = documentsOfKinds(kindsOf(large, partsOf(large, options), options))
  const text = String(await documents.groupVersion(path)?.version3())
  const [members] = await documents.version2()
  for (const published of [text, members?.definitions]) {
    for (const limit of ['"maximum":9223372036854775807', '"enum":[9007199254740993]']) expect(published).toContain(limit)
  }
  expect(text).toContain('"default":9007199254740993')
  expect(members?.compact.includes("9007199254740993")).toBe(true)
})
