/** Takes a large document apart, to compare each of its parts by itself: discovery, OpenAPI, bootstrap objects. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { Parts, SplitRule } from "./compared.ts"
import { fieldOf, isList, ordered } from "./values.ts"

export function partsOf(document: JsonObject, rule: SplitRule, clean: (value: JsonValue) => JsonValue): Parts {
  return rules[rule](document, clean)
}

type Rule = (document: JsonObject, clean: (value: JsonValue) => JsonValue) => Parts

const rules: Readonly<Record<SplitRule, Rule>> = { items, openapi, resources, groups, paths, aggregated }

const objects = (value: unknown): JsonObject[] => (isList(value) ? value.filter(isObject) : [])
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

function items(document: JsonObject, clean: (value: JsonValue) => JsonValue): Parts {
  const parts: Record<string, JsonValue> = {}
  for (const item of objects(document["items"])) {
    const name = textOf(fieldOf(item, "metadata", "name"))
    const namespace = textOf(fieldOf(item, "metadata", "namespace"))
    if (name.startsWith("rd-") || namespace.includes("rd-")) continue
    const { kind: _kind, apiVersion: _version, ...rest } = clean(item) as JsonObject // Cleaning keeps the type.
    const settledName = name.replace(/^apiserver-\w{26}$/, "apiserver-<hash>")
    parts[namespace === "" ? settledName : `${namespace}/${settledName}`] = rest
  }
  return parts
}

function resources(document: JsonObject): Parts {
  const parts: Record<string, JsonValue> = { groupVersion: document["groupVersion"] ?? null }
  for (const resource of objects(document["resources"])) parts[textOf(resource["name"])] = resource
  return parts
}

function groups(document: JsonObject, clean: (value: JsonValue) => JsonValue): Parts {
  const all = objects(document["groups"])
  const parts: JsonObject = { order: all.map((group) => textOf(group["name"])) }
  for (const group of all) parts[textOf(group["name"])] = group
  return clean(parts) as Parts // Cleaning keeps the type.
}

/** Names of the internals of the real server. */
const internals = /z\/(?:poststarthook\/|autoregister|crd-informer)/

function paths(document: JsonObject): Parts {
  const found = document["paths"]
  const parts: Record<string, JsonValue> = {}
  if (isList(found)) for (const path of found) parts[textOf(path)] = true
  // The recorded texts have a space after the colon.
  else
    for (const [path, { serverRelativeURL }] of Object.entries(found as Readonly<Record<string, { serverRelativeURL: string }>>)) // An index of OpenAPI.
      parts[path] = `{"serverRelativeURL": ${JSON.stringify(serverRelativeURL.replace(/[0-9A-F]{128}/, "<hash>"))}}`
  return Object.fromEntries(Object.entries(parts).filter(([path]) => !internals.test(path)))
}

function aggregated(document: JsonObject): Parts {
  const parts: Record<string, JsonValue> = {}
  const order: JsonValue[] = []
  for (const item of objects(document["items"])) {
    const name = textOf(fieldOf(item, "metadata", "name"))
    const versions = objects(item["versions"])
    order.push([name, versions.map(({ version }) => version ?? null)])
    for (const { version, resources: served } of versions)
      for (const resource of objects(served)) parts[`${name}/${textOf(version)} ${textOf(resource["resource"])}`] = resource
  }
  return { ...parts, order }
}

const lastStep = (reference: JsonValue | undefined): string => textOf(reference).split("/").at(-1) ?? ""
const referenceOf = (holder: JsonValue | undefined): JsonValue => fieldOf(holder, "schema", "$ref") ?? null
const byMedia = (content: JsonValue | undefined): JsonObject =>
  Object.fromEntries(Object.entries(isObject(content) ? content : {}).map(([media, holder]) => [media, referenceOf(holder)]))

/** Operations as `path PATH METHOD`, schemas as `schema NAME`. Descriptions are no facts. */
function openapi(document: JsonObject): Parts {
  const parts: Record<string, JsonValue> = {}
  const shared = { ...asObject(document["parameters"]), ...asObject(fieldOf(document, "components", "parameters")) }
  const resolved = (parameter: JsonObject): JsonObject => asObject(shared[lastStep(parameter["$ref"])] ?? parameter)
  for (const [path, item] of Object.entries(asObject(document["paths"]))) {
    const { parameters: common, ...operations } = asObject(item)
    for (const [method, operation] of Object.entries(operations)) {
      const own = objects(fieldOf(operation, "parameters")).map(resolved)
      const all = [...objects(common).map(resolved), ...own]
      parts[`path ${path} ${method.toUpperCase()}`] = operationFacts(asObject(operation), own, all)
    }
  }
  const schemas = { ...asObject(document["definitions"]), ...asObject(fieldOf(document, "components", "schemas")) }
  for (const [name, schema] of Object.entries(schemas)) parts[`schema ${name}`] = schemaFacts(schema ?? null)
  return parts
}

const asObject = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {})

function operationFacts(operation: JsonObject, own: readonly JsonObject[], all: readonly JsonObject[]): JsonObject {
  const requestBody = byMedia(fieldOf(operation, "requestBody", "content"))
  const responses = Object.entries(asObject(operation["responses"])).map(([code, response]) => [
    code,
    { v2: referenceOf(response), v3: byMedia(fieldOf(response, "content")) },
  ])
  const bodies = own.filter((parameter) => parameter["in"] === "body").map(referenceOf)
  return {
    parameters: ordered(all.map(parameterFacts)),
    consumes: ordered((operation["consumes"] as JsonValue[] | undefined) ?? []), // A list of media types.
    produces: ordered((operation["produces"] as JsonValue[] | undefined) ?? []), // The same.
    responses: Object.fromEntries(responses),
    body: Object.keys(requestBody).length > 0 ? requestBody : bodies,
    action: operation["x-kubernetes-action"] ?? null,
    gvk: operation["x-kubernetes-group-version-kind"] ?? null,
    operationId: operation["operationId"] ?? null,
    tags: operation["tags"] ?? null,
  }
}

function parameterFacts(parameter: JsonObject): JsonValue {
  const schema = asObject(parameter["schema"])
  const type = schema["$ref"] ?? (Object.keys(schema).length > 0 ? schema["type"] : parameter["type"])
  return [parameter["in"] ?? null, parameter["name"] ?? null, parameter["required"] ?? false, type ?? null]
}

const unordered = ["required", "enum", "x-kubernetes-group-version-kind"]
const schemaMaps = ["properties", "patternProperties"]
const schemaLists = ["allOf", "anyOf", "oneOf"]
const schemaFields = ["items", "additionalProperties", "not"]
const noFacts = ["description", "example", "title", "x-kubernetes-unions"]

function schemaFacts(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema
  const facts: JsonObject = {}
  for (const [name, value = null] of Object.entries(schema)) {
    if (noFacts.includes(name)) continue
    if (schemaMaps.includes(name))
      facts[name] = Object.fromEntries(Object.entries(asObject(value)).map(([key, inner]) => [key, schemaFacts(inner ?? null)]))
    else if (schemaFields.includes(name)) facts[name] = schemaFacts(value)
    else if (schemaLists.includes(name) && isList(value)) facts[name] = value.map(schemaFacts)
    else facts[name] = unordered.includes(name) && isList(value) ? ordered(value) : value
  }
  return facts
}

/** A recorded part in the order that this module gives lists without an order. */
export function inOrder(value: JsonValue, key = ""): JsonValue {
  if (isList(value)) {
    const items = value.map((item) => inOrder(item))
    return [...unordered, "parameters", "consumes", "produces"].includes(key) ? ordered(items) : items
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner = null]) => [name, inOrder(inner, name)]))
}
