/** Definitions of the tables in `cases/`, and the reference's answers to them (`cases/answers/`). */
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepClone } from "../../encoding/field-path.ts"

/** The differences from a valid definition. */
export interface Variation {
  readonly metadata?: JsonObject
  /** Merged into `spec`; lists are replaced. */
  readonly spec?: JsonObject
  /** Merged into the first version. */
  readonly version?: JsonObject
  /** The schema of the first version. */
  readonly schema?: JsonObject
  /** The schema of the property `spec`. */
  readonly property?: JsonObject
  /** The schema of `spec.a`. */
  readonly field?: JsonObject
}

export interface DefinitionCase extends Variation {
  readonly name: string
  /** The stored definition, for an update. `stored`: the reference refuses it, so it is written into its store. */
  readonly old?: Variation & { readonly stored?: boolean }
  /** Whether the old definition is established. Default true. */
  readonly established?: boolean
  /** The reference reports the failures in any order. */
  readonly unordered?: boolean
}

export interface Cause {
  readonly reason: string
  readonly field: string
  readonly message: string
}

export type Answers = Readonly<Record<string, readonly Cause[]>>

const folder = new URL("./cases/", import.meta.url)

/** The names of all tables. */
export const topics = readdirSync(folder).flatMap((file) => (file.endsWith(".yaml") ? [file.slice(0, -".yaml".length)] : []))

export function casesOf(topic: string): DefinitionCase[] {
  return parse(readFileSync(new URL(`${topic}.yaml`, folder), "utf8"))
}

export function answersFile(topic: string): URL {
  return new URL(`answers/${topic}.yaml`, folder)
}

export function answersOf(topic: string): Answers {
  return parse(readFileSync(answersFile(topic), "utf8"))
}

/** A definition as a client sends it. */
export function definitionOf({ metadata = {}, spec = {}, version = {}, schema, property, field }: Variation): JsonObject {
  const specSchema = property ?? (field && { type: "object", properties: { a: field } })
  const openAPIV3Schema = schema ?? { type: "object", ...(specSchema && { properties: { spec: specSchema } }) }
  const base = {
    group: "tests.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
  }
  return deepClone({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.tests.example.com", ...metadata },
    spec: merged(base, spec),
  })
}

function merged(base: JsonObject, over: JsonObject): JsonObject {
  const result: JsonObject = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const below = result[name]
    result[name] = isObject(value) && isObject(below) ? merged(below, value) : value
  }
  return result
}

/** A definition with the defaults of its kind and its status, as the checks get it. */
export function prepared(definition: JsonObject, old?: JsonObject): JsonObject {
  const spec = isObject(definition.spec) ? definition.spec : {}
  const names = isObject(spec.names) ? { ...spec.names } : {}
  const kind = typeof names.kind === "string" ? names.kind : ""
  if ((names.singular ?? "") === "") names.singular = kind.toLowerCase()
  if ((names.listKind ?? "") === "" && kind !== "") names.listKind = `${kind}List`
  const versions: JsonValue[] = Array.isArray(spec.versions) ? spec.versions : []
  const storage = versions.find((version) => isObject(version) && version.storage === true)
  const oldStatus = isObject(old?.status) ? old.status : {}
  const stored = new Set(Array.isArray(oldStatus.storedVersions) ? oldStatus.storedVersions : [])
  if (isObject(storage) && storage.name !== undefined) stored.add(storage.name)
  return {
    ...definition,
    spec: { ...spec, names, conversion: spec.conversion ?? { strategy: "None" } },
    status: { ...oldStatus, storedVersions: [...stored] },
  }
}

/** The stored definition of an update. */
export function storedDefinition({ old = {}, established = true }: DefinitionCase): JsonObject {
  const definition = prepared(definitionOf(old))
  const conditions = established ? [{ type: "Established", status: "True", reason: "InitialNamesAccepted", message: "" }] : []
  const { names = null } = isObject(definition.spec) ? definition.spec : {}
  const status = isObject(definition.status) ? definition.status : {}
  return { ...definition, status: { ...status, acceptedNames: names, conditions } }
}
