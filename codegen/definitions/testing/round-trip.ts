/** Converts definitions and schemas in both directions, and compares the results. */
import { join } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { vendorProfile } from "../../../runtime/base/vendor.ts"
import type { Model } from "../../../model/model.ts"
import { readSchemas } from "../../folder.ts"
import { neededLibrary } from "../../library.ts"
import { type Diagnostic, formatDiagnostic, load } from "../../load/index.ts"
import type { Finding, Path } from "../findings.ts"
import { type Converted, convertDefinitions } from "../from/convert.ts"
import { docOf } from "../from/docs.ts"
import { impliedFields, intOrStringTypes, sameJson } from "../names.ts"
import { definitionsOf, type MadeDefinition } from "../to/definition.ts"

const builtIn = readSchemas(join(import.meta.dirname, "..", "..", "..", "schemas"))

/** Loads schemas of a user. Throws with the diagnostics. */
export function loadedModel(files: ReadonlyMap<string, string>): Model {
  const loaded = load(files, { library: neededLibrary(files, builtIn) })
  if ("diagnostics" in loaded) throw new Error(loaded.diagnostics.map((one) => formatDiagnostic(one)).join("\n"))
  return loaded.model
}

/** The schema files of definitions, with the findings. */
export function schemasOf(definitions: readonly JsonValue[]): readonly Converted[] {
  return convertDefinitions(definitions, "definitions.yaml", (files): readonly Diagnostic[] => {
    const loaded = load(files, { library: neededLibrary(files, builtIn) })
    return "diagnostics" in loaded ? loaded.diagnostics : []
  })
}

/** The texts of converted files by path. */
export function textsOf(converted: readonly Converted[]): ReadonlyMap<string, string> {
  return new Map(converted.flatMap(({ files }) => files.map(({ path, text }) => [path, text] as const)))
}

/** The definitions of a user's schemas. */
export function definitionsOfSchemas(files: ReadonlyMap<string, string>, model = loadedModel(files)): readonly MadeDefinition[] {
  return definitionsOf(model, (kind) => files.has(`${kind.file}.yaml`), vendorProfile("kubernetes"))
}

/**
 * A definition in a normal form, equal for texts that mean the same: docs as the dialect has them, names with their
 * defaults, numbers with their width, rules with one kind of quotes.
 */
export function plainDefinition(definition: JsonObject): JsonObject {
  const spec = isObject(definition.spec) ? definition.spec : {}
  const names = isObject(spec.names) ? spec.names : {}
  const kind = String(names.kind)
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isObject) : []
  const { metadata: _metadata, ...rest } = definition
  return {
    ...rest,
    spec: {
      ...spec,
      names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
      versions: versions.map((version) => {
        const schema = isObject(version.schema) && isObject(version.schema.openAPIV3Schema) ? version.schema.openAPIV3Schema : {}
        const columns = Array.isArray(version.additionalPrinterColumns) ? version.additionalPrinterColumns : undefined
        return {
          ...version,
          ...(columns !== undefined && { additionalPrinterColumns: columns.filter(isObject).map(plainColumn) }),
          schema: { openAPIV3Schema: plainRoot(schema, kind) },
        }
      }),
    },
  }
}

function plainColumn({ description, priority, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(typeof description === "string" && { description: docOf(description, "").doc }),
    ...(priority !== 0 && priority !== undefined && { priority }),
  }
}

/** apiVersion, kind and metadata exist without a declaration. */
function plainRoot(schema: JsonObject, kind: string): JsonObject {
  const { properties = {}, required = [], ...rest } = schema
  const own: JsonObject = isObject(properties) ? { ...properties } : {}
  delete own.apiVersion
  delete own.kind
  const metadata = isObject(own.metadata) && own.metadata.properties !== undefined ? { metadata: own.metadata } : {}
  delete own.metadata
  const needed = (Array.isArray(required) ? required : []).filter((name) => name !== "metadata" && name !== "kind" && name !== "apiVersion")
  const made = plainSchema({ description: `A ${kind}.`, ...rest, properties: own, ...(needed.length > 0 && { required: needed }) }, kind, 0)
  return { ...made, properties: { ...(isObject(made.properties) ? made.properties : {}), ...metadata } }
}

const emptyLists: ReadonlySet<string> = new Set(["required", "enum"])

/** `depth`: how many fields are around it. A field without a description gets a generated one. */
function plainSchema(schema: JsonObject, name: string, depth: number, isField = true): JsonObject {
  const { description, ...rest } = schema
  const made: JsonObject = {}
  for (const [word, value] of Object.entries(rest)) {
    if (value === undefined || value === false) {
      if (word === "default") made[word] = false
      continue
    }
    made[word] = plainWord(word, value, depth)
  }
  if (made["x-kubernetes-int-or-string"] === true && sameJson(made.anyOf, [...intOrStringTypes])) delete made.anyOf
  if (made.type === "integer" && made.format === undefined) made.format = "int64"
  if (made.type === "number" && made.format === undefined) made.format = "double"
  if (Array.isArray(made.required) && isObject(made.properties)) {
    const { properties } = made
    made.required = made.required
      .filter((one) => typeof one !== "string" || !isObject(properties[one]) || properties[one].default === undefined)
      .toSorted()
  }
  for (const word of emptyLists) if (Array.isArray(made[word]) && made[word].length === 0) delete made[word]
  if (made["x-kubernetes-embedded-resource"] === true && isObject(made.properties)) made.properties = withoutImplied(made.properties)
  if (!isField && made["x-kubernetes-list-type"] === "atomic") delete made["x-kubernetes-list-type"]
  if (!isField && made["x-kubernetes-map-type"] === "granular") delete made["x-kubernetes-map-type"]
  if (isObject(made.properties) && Object.keys(made.properties).length === 0) delete made.properties
  if (!isField) return made
  const otherwise =
    depth === 1 && name === "spec" ? "What is wanted." : depth === 1 && name === "status" ? "What was found." : `The field ${name}.`
  return { ...made, description: docOf(typeof description === "string" ? description : undefined, otherwise).doc }
}

function withoutImplied(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !impliedFields.has(name)))
}

function plainWord(word: string, value: JsonValue, depth: number): JsonValue {
  if (word === "properties" && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? plainSchema(inner, name, depth + 1) : inner]),
    )
  if (word === "items" && isObject(value)) return plainSchema(value, "", depth + 1, false)
  if (word === "additionalProperties")
    return plainSchema(isObject(value) ? value : { "x-kubernetes-preserve-unknown-fields": true }, "", depth + 1, false)
  if (word === "enum" && Array.isArray(value)) return [...new Set(value)].toSorted((left, right) => (String(left) < String(right) ? -1 : 1))
  if (word === "x-kubernetes-validations" && Array.isArray(value)) return value.map(plainRule)
  return value
}

function plainRule(rule: JsonValue): JsonValue {
  if (!isObject(rule)) return rule
  return Object.fromEntries(
    Object.entries(rule).map(([word, value]) => [
      word,
      typeof value === "string" && (word === "rule" || word === "messageExpression") ? plainCel(value) : value,
    ]),
  )
}

/** One kind of quotes, and values as text. */
function plainCel(cel: string): string {
  return cel.replaceAll("'", '"').replaceAll("%d", "%s").replaceAll(/\s+/g, " ").trim()
}

/** Paths at which two values differ. Rules are compared regardless of their order. */
export function differences(left: JsonValue | undefined, right: JsonValue | undefined, at: Path = []): Path[] {
  if (sameJson(left, right)) return []
  if (at.at(-1) === "x-kubernetes-validations") {
    const [one, other] = [left, right].map((value) => (Array.isArray(value) ? value : []))
    const missing = (one ?? []).flatMap((rule, index) => ((other ?? []).some((own) => sameJson(own, rule)) ? [] : [[...at, index]]))
    return missing.length > 0 || (one ?? []).length === (other ?? []).length ? missing : [at]
  }
  if (isObject(left) && isObject(right))
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
      differences(left[name], right[name], [...at, name]),
    )
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length)
    return left.flatMap((value, index) => differences(value, right[index], [...at, index]))
  return [at]
}

/** The differences without a finding at their path, above it or below it. */
export function unreported(paths: readonly Path[], findings: readonly Finding[]): readonly Path[] {
  const begins = (path: Path, beginning: Path): boolean => beginning.length > 0 && beginning.every((part, index) => path[index] === part)
  return paths.filter((path) => !findings.some((finding) => begins(path, finding.path) || begins(finding.path, path)))
}
