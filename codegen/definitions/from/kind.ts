/** One version of a definition as the tree of a schema file, in the order in which it is written. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { dottedPath, expressionOfPath } from "../expressions/json-path.ts"
import type { Findings, Path } from "../findings.ts"
import { formatPatterns, impliedFields, sameJson } from "../names.ts"
import { type SchemaContext, TypeNames } from "./context.ts"
import type { Definition, Version } from "./definition.ts"
import { docOf } from "./docs.ts"
import { withOrigin } from "./rules.ts"
import { structKeywords } from "./structs.ts"
import { valueOf } from "./values.ts"
import { Words } from "./words.ts"

/** The type names of each `<group>/<version>`: kinds of one folder share them. */
export type FolderNames = Map<string, TypeNames>

/** Metadata that a write of status does not change. */
const keptMetadata = ["metadata.labels", "metadata.annotations", "metadata.ownerReferences", "metadata.finalizers"]

/** Called for each version, after the facts of the whole definition were reported. */
export function kindOf(definition: Definition, version: Version, findings: Findings, folders: FolderNames): JsonObject {
  const { group, kind, spec } = definition
  const at: Path = ["spec", "versions", version.index]
  const words = new Words(version.object, at, findings, definition.prefix)
  for (const word of ["name", "storage", "schema"]) words.take(word)
  const folder = `${group}/${version.name}`
  const names = folders.get(folder) ?? new TypeNames()
  folders.set(folder, names)
  const scale = scaleOf(words)
  const context: SchemaContext = {
    valueOf,
    names,
    types: {},
    counts: new Set([scale?.specReplicas, scale?.statusReplicas].filter((path) => path !== undefined).map(String)),
    docsChanged: [],
    canonical: [],
  }
  const { doc, root } = rootOf(definition, version, findings, context)
  const fields = isObject(root.fields) ? Object.keys(root.fields) : []
  const stored = definition.versions.find(({ isStored }) => isStored)
  const rest = fields.filter((name) => name !== "status")
  const hasStatus = isObject(version.object.subresources) && version.object.subresources.status !== undefined
  const lifeCycle = lifeCycleOf(hasStatus, fields, rest)
  words.take("subresources")
  const columns = columnsOf(words)
  const tree: JsonObject = {
    kind,
    group,
    version: version.name,
    ...(words.take("served") === false && { served: false }),
    ...deprecationOf(words),
    doc,
    scope: spec.scope === "Cluster" ? "Cluster" : "Namespaced",
    names: namesOf(definition, version),
    ...(stored !== undefined &&
      stored !== version && { storage: { sharedWith: `${group}/${stored.name} ${kind}` }, conversion: { rename: {} } }),
    columns,
    ...selectableOf(words),
    ...((hasStatus || scale !== undefined) && {
      subresources: { ...(hasStatus && { status: { keeps: [...rest, ...keptMetadata] } }), ...(scale !== undefined && { scale }) },
    }),
    ...lifeCycle,
    finalizers: "any",
    ...root,
    ...(Object.keys(context.types).length > 0 && { types: context.types }),
  }
  words.reportRest()
  reportTallies(context, findings, [...at, "schema", "openAPIV3Schema"])
  return tree
}

/** A status that only its own path may write, and a generation that counts the changes of the rest. */
function lifeCycleOf(hasStatus: boolean, fields: readonly string[], rest: readonly string[]): JsonObject {
  const counted = hasStatus ? rest : fields
  const isKept = hasStatus && fields.includes("status")
  return {
    ...(isKept && { create: { drops: ["status"] } }),
    update: {
      unconditional: false,
      ...(isKept && { keeps: ["status"] }),
      ...(counted.length > 0 && { generation: [...counted] }),
    },
  }
}

function rootOf(definition: Definition, version: Version, findings: Findings, context: SchemaContext): { doc: string; root: JsonObject } {
  const { kind } = definition
  const at: Path = ["spec", "versions", version.index, "schema", "openAPIV3Schema"]
  const properties = isObject(version.schema.properties) ? version.schema.properties : {}
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !impliedFields.has(name)))
  const words = new Words({ ...version.schema, properties: own }, at, findings, definition.prefix)
  const { metadata } = properties
  reportMetadata(metadata, findings, [...at, "properties", "metadata"])
  words.take("type")
  if (version.schema.required !== undefined) {
    const required = words.texts("required").filter((name) => !impliedFields.has(name))
    Object.assign(words.schema, { required })
  }
  context.names.claim(kind)
  const { doc, isChanged } = docOf(words.text("description"), `A ${kind}.`)
  if (isChanged) context.docsChanged.push(kind)
  const { fields, ...rest } = structKeywords(words, { name: kind, path: "" }, context, false)
  words.take(words.extension("preserve-unknown-fields"))
  words.reportRest()
  return { doc, root: { ...rest, fields } }
}

/** The rule of names that the limits of `metadata.name` express. */
function nameRuleOf(metadata: JsonValue | undefined): string | undefined {
  const properties = isObject(metadata) && isObject(metadata.properties) ? metadata.properties : {}
  const { name } = properties
  if (!isObject(name) || Object.keys(properties).length > 1) return undefined
  const { type: _type, ...limits } = name
  return ["dns-label", "dns1035-label"].find((rule) => sameJson(limits, formatPatterns[rule]))
}

function reportMetadata(metadata: JsonValue | undefined, findings: Findings, at: Path): void {
  if (!isObject(metadata)) return
  const isRule = nameRuleOf(metadata) !== undefined
  for (const word of Object.keys(metadata))
    if (word !== "type" && word !== "description" && !(word === "properties" && isRule))
      findings.lost([...at, word], "the limits of metadata are those of every kind, and names.rule")
}

function namesOf({ spec, kind, plural }: Definition, { schema }: Version): JsonObject {
  const rule = isObject(schema.properties) ? nameRuleOf(schema.properties.metadata) : undefined
  const names = isObject(spec.names) ? spec.names : {}
  const { singular, listKind, shortNames, categories } = names
  return {
    plural,
    ...(typeof singular === "string" && singular !== "" && { singular }),
    ...(typeof listKind === "string" && listKind !== "" && listKind !== `${kind}List` && { list: listKind }),
    ...(Array.isArray(shortNames) && shortNames.length > 0 && { short: shortNames }),
    ...(Array.isArray(categories) && categories.length > 0 && { categories }),
    ...(rule !== undefined && { rule }),
  }
}

function deprecationOf(words: Words): JsonObject {
  const warning = words.text("deprecationWarning")
  if (!words.flag("deprecated")) return {}
  return { deprecated: warning === undefined ? true : { warning } }
}

function scaleOf(words: Words): Record<"specReplicas" | "statusReplicas" | "selector", string> | JsonObject | undefined {
  const { subresources } = words.schema
  const scale = isObject(subresources) ? subresources.scale : undefined
  if (!isObject(scale)) return undefined
  const made: Record<string, JsonValue> = {}
  for (const [here, there] of Object.entries({
    specReplicasPath: "specReplicas",
    statusReplicasPath: "statusReplicas",
    labelSelectorPath: "selector",
  })) {
    const path = scale[here]
    const dotted = typeof path === "string" ? dottedPath(path) : undefined
    if (dotted !== undefined) made[there] = dotted
    else if (path !== undefined) words.findings.lost([...words.at, "subresources", "scale", here], `${String(path)} is no path of fields`)
  }
  return made
}

function columnsOf(words: Words): JsonObject[] {
  const name = { name: "Name", type: "string", format: "name", value: "metadata.name", doc: "Name of the object." }
  const age = { name: "Age", type: "string", value: "age(metadata.creationTimestamp)", doc: "Time since it was created." }
  const written = words.list("additionalPrinterColumns")
  if (words.schema.additionalPrinterColumns === undefined) return [name, age]
  return [name, ...written.flatMap((column, index) => columnOf(column, words, index))]
}

function columnOf(column: JsonValue, words: Words, index: number): JsonObject[] {
  const at = [...words.at, "additionalPrinterColumns", index]
  if (!isObject(column)) return []
  const { name, type, format, priority, description, jsonPath } = column
  const value = typeof jsonPath === "string" ? expressionOfPath(jsonPath) : undefined
  if (value === undefined) {
    words.findings.lost(at, `the column ${String(name)}: no expression of the dialect reads ${String(jsonPath)}`)
    return []
  }
  const isDate = type === "date"
  const made: JsonObject = {
    name: String(name),
    type: isDate ? "string" : String(type),
    ...(typeof format === "string" && format !== "" && { format }),
    ...(typeof priority === "number" && priority !== 0 && { priority }),
    value: isDate ? `age(${value})` : value,
    ...(typeof description === "string" && description !== "" && { doc: docOf(description, "").doc }),
  }
  return [withOrigin(made, at)]
}

function selectableOf(words: Words): JsonObject {
  const fields = words.list("selectableFields").flatMap((field, index) => {
    const at = [...words.at, "selectableFields", index]
    const path = isObject(field) && typeof field.jsonPath === "string" ? dottedPath(field.jsonPath) : undefined
    if (path === undefined) words.findings.lost(at, "no path of fields")
    return path === undefined ? [] : [path]
  })
  return fields.length === 0 ? {} : { selectable: fields }
}

const shownPaths = 8

function reportTallies({ docsChanged, canonical }: SchemaContext, findings: Findings, at: Path): void {
  const few = (paths: readonly string[]): string =>
    paths.slice(0, shownPaths).join(", ") + (paths.length > shownPaths ? ` and ${paths.length - shownPaths} more` : "")
  if (docsChanged.length > 0) findings.note(at, `docs got a capital letter, a full stop or a text: ${few(docsChanged)}`)
  if (canonical.length > 0)
    findings.note(at, `times and durations get one form, such as 1h0m0s and UTC in whole seconds: ${few(canonical)}`)
}
