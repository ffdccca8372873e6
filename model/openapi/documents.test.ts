import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, test } from "vitest"
import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import { kettleModel } from "../../codegen/emit/testing/kettle.ts"
import type { KindModel } from "../model.ts"
import { allDocuments, groupVersionDocuments } from "./documents.ts"
import { definitionName, operationScope, tagOf } from "./names.ts"
import type { OpenApiSource } from "./source.ts"

const model = kettleModel()
const source: OpenApiSource = {
  kinds: model.kinds,
  known: model.kinds,
  types: model.types,
  publishesLimits: () => false,
  hasCompactForm: () => true,
}
const documents = allDocuments(source)

function parsed(path: string): JsonValue {
  const document = documents.get(path)
  if (document === undefined) throw new Error(`no document ${path}`)
  return document
}

function at(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  return path.reduce(
    (here: JsonValue | undefined, name) => (isObject(here) ? here[name] : Array.isArray(here) ? here[Number(name)] : undefined),
    value,
  )
}

const v3 = "v3/apis/kitchen.example.com/v1"
const collection = "/apis/kitchen.example.com/v1/namespaces/{namespace}/kettles"

test("writes one document per group version, those of discovery, and one for version 2", () => {
  expect([...documents.keys()].sort()).toEqual([
    "v2",
    "v3/.well-known/openid-configuration",
    "v3/apis",
    "v3/apis/kitchen.example.com",
    v3,
    "v3/openid/v1/jwks",
    "v3/version",
  ])
})

test("all are valid", async () => {
  for (const [path, document] of documents) {
    const result = await new Validator().validate(structuredClone(document))
    expect(result, path).toMatchObject({ valid: true })
  }
})

test("every reference resolves", () => {
  for (const [path, document] of documents) {
    for (const [, reference = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect(at(document, ...reference.split("/")), `${path} ${reference}`).toBeDefined()
  }
})

test("paths and operations", () => {
  const paths = at(parsed(v3), "paths")
  expect(Object.keys(isObject(paths) ? paths : {})).toEqual([
    "/apis/kitchen.example.com/v1/",
    "/apis/kitchen.example.com/v1/kettles",
    collection,
    `${collection}/{name}`,
    `${collection}/{name}/status`,
    "/apis/kitchen.example.com/v1/watch/kettles",
    "/apis/kitchen.example.com/v1/watch/namespaces/{namespace}/kettles",
    "/apis/kitchen.example.com/v1/watch/namespaces/{namespace}/kettles/{name}",
  ])
  const patch = at(paths, `${collection}/{name}`, "patch")
  expect(at(patch, "operationId")).toBe("patchKitchenExampleComV1NamespacedKettle")
  expect(at(patch, "x-orch-action")).toBe("patch")
  expect(at(patch, "x-orch-group-version-kind")).toEqual({ group: "kitchen.example.com", kind: "Kettle", version: "v1" })
  expect(Object.keys(at(patch, "requestBody", "content") ?? {})).toEqual([
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
  ])
  const list = at(paths, collection, "get", "responses", "200", "content")
  expect(Object.keys(list ?? {})).toEqual([
    "application/json",
    "application/yaml",
    "application/vnd.orch.protobuf",
    "application/json;stream=watch",
    "application/vnd.orch.protobuf;stream=watch",
  ])
  const names = at(paths, collection, "post", "parameters")
  expect(Array.isArray(names) && names.map((one) => at(one, "name") ?? at(one, "$ref"))).toEqual([
    "dryRun",
    "#/components/parameters/fieldManager",
    "fieldValidation",
  ])
})

test("definitions in version 3 and version 2", () => {
  const spec = at(parsed(v3), "components", "schemas", "com.example.kitchen.v1.KettleSpec")
  expect(at(spec, "required")).toEqual(["litres"])
  expect(at(spec, "properties", "litres")).toEqual({
    description: "How much water it holds.",
    type: "integer",
    format: "int32",
    default: 0,
  })
  expect(at(spec, "properties", "parts")).toEqual({
    description: "What it is made of.",
    type: "array",
    items: { default: {}, allOf: [{ $ref: "#/components/schemas/com.example.kitchen.v1.Part" }] },
    "x-orch-list-map-keys": ["name"],
    "x-orch-list-type": "map",
    "x-orch-patch-merge-key": "name",
    "x-orch-patch-strategy": "merge",
  })
  expect(at(spec, "properties", "tap")).toEqual({ description: "Name of a tap.", type: "string" })
  expect(at(spec, "properties", "mode", "enum")).toEqual(["fast", "slow"])
  const v2 = at(parsed("v2"), "definitions")
  expect(at(v2, "com.example.kitchen.v1.KettleSpec", "properties", "power")).toEqual({
    description: "How strong it is.",
    $ref: "#/definitions/io.orch.apimachinery.pkg.api.resource.Quantity",
  })
  expect(at(v2, "com.example.kitchen.v1.KettleList", "x-orch-group-version-kind")).toEqual([
    { group: "kitchen.example.com", kind: "KettleList", version: "v1" },
  ])
})

test("a group of a definition in the domain of the built-in ones", () => {
  // Recorded from the reference.
  expect(`list${operationScope({ group: "kettles.k8s.io", version: "v1" })}Kettle`).toBe("listKettlesV1Kettle")
  expect(tagOf({ group: "kettles.k8s.io", version: "v1" })).toBe("kettles_v1")
  expect(operationScope({ group: "pans.k8s.io", version: "v1-10" })).toBe("PansV110")
  expect(tagOf({ group: "pans.k8s.io", version: "v1-10" })).toBe("pans_v110")
})

test("names of the built-in groups", () => {
  expect(definitionName({ group: "", version: "v1" }, "Pod")).toBe("io.orch.api.core.v1.Pod")
  expect(definitionName({ group: "rbac.authorization.orch.io", version: "v1" }, "Role")).toBe("io.orch.api.rbac.v1.Role")
  expect(definitionName({ group: "meta", version: "v1" }, "ObjectMeta")).toBe("io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  expect([
    operationScope({ group: "rbac.authorization.orch.io", version: "v1" }),
    tagOf({ group: "rbac.authorization.orch.io", version: "v1" }),
    tagOf({ group: "", version: "v1" }),
  ]).toEqual(["RbacAuthorizationV1", "rbacAuthorization_v1", "core_v1"])
})

test("the documents that one group version adds", () => {
  const added = groupVersionDocuments(source, { group: "kitchen.example.com", version: "v1" })
  expect([...added.keys()].sort()).toEqual(["v2", "v3/apis/kitchen.example.com", v3])
  expect(added.get(v3)).toEqual(parsed(v3))
  expect(Object.keys(at(added.get("v2"), "paths") ?? {})).not.toContain("/version/")
  expect(at(added.get("v2"), "definitions")).toMatchObject({ "com.example.kitchen.v1.Kettle": {}, "com.example.kitchen.v1.KettleList": {} })
})

test("versions that are not served have no documents, and operations of a deprecated version are deprecated", () => {
  const other = (version: string, more: object): KindModel[] => model.kinds.map((kind) => ({ ...kind, version, ...more }))
  const kinds = [...model.kinds, ...other("v1alpha1", { served: false }), ...other("v1beta1", { deprecated: {} })]
  const several = allDocuments({ ...source, kinds, known: kinds, publishesLimits: () => true })
  expect([...several.keys()].filter((path) => path.includes("kitchen.example.com/"))).toEqual([v3, v3.replace("v1", "v1beta1")])
  const of = (path: string): string[] => deprecatedIn(several.get(path))
  expect(of(v3).every((id) => id.startsWith("watch"))).toBe(true)
  expect(of(v3.replace("v1", "v1beta1"))).toContain("createKitchenExampleComV1beta1NamespacedKettle")
  expect(of("v2").filter((id) => id.includes("V1beta1"))).toEqual(of(v3.replace("v1", "v1beta1")))
  expect(JSON.stringify(several.get("v2"))).not.toContain("v1alpha1")
})

test("kinds without published limits have bodies of any media type and no deprecated operations, as the reference", () => {
  const body = (limited: boolean): string[] => {
    const document = allDocuments({ ...source, publishesLimits: () => limited }).get(v3)
    return Object.keys(at(document, "paths", collection, "post", "requestBody", "content") ?? {})
  }
  expect(body(false)).toEqual(["*/*"])
  expect(body(true)).toEqual(["application/json", "application/yaml", "application/vnd.orch.protobuf"])
  expect(deprecatedIn(documents.get(v3))).toEqual([])
})

test("what all operations of a path have as parameters is stated beside them", () => {
  const watch = at(parsed(v3), "paths", "/apis/kitchen.example.com/v1/watch/kettles")
  expect(at(watch, "get", "parameters")).toBeUndefined()
  expect(JSON.stringify(at(watch, "parameters"))).toContain("resourceVersionMatch")
  expect(JSON.stringify(at(parsed(v3), "paths", collection, "get", "parameters"))).toContain("resourceVersionMatch")
})

/** The ids of deprecated operations. */
function deprecatedIn(document: JsonValue | undefined): string[] {
  const operations = membersOf(at(document, "paths")).flatMap(membersOf)
  return operations.filter((one) => at(one, "deprecated") === true).map((one) => String(at(one, "operationId")))
}

function membersOf(value: JsonValue | undefined): (JsonValue | undefined)[] {
  return isObject(value) ? Object.values(value) : []
}
