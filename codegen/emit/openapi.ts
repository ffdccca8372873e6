/** `openapi/v2.json` and `openapi/v3/<path>.json`: the texts of the documents that model/openapi/ builds. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { sharedDefinition, sharedDefinitions } from "../../runtime/base/shared-definitions.ts"
import { allDocuments } from "../../model/openapi/documents.ts"
import { header } from "../print/print.ts"
import { type EmitContext, typeOf } from "./context.ts"
import { hasMessage } from "../../model/protobuf.ts"
import { kindsOf } from "./resource.ts"

/** Texts by path below out. Called once per run. */
export function emitOpenApi(context: EmitContext): ReadonlyMap<string, string> {
  const { model, options } = context
  const documents = allDocuments({
    kinds: kindsOf(context),
    known: model.kinds,
    types: model.types,
    publishesLimits: (type) => options.publishesLimits(type.file),
    ...(options.otherVersions !== undefined && { otherVersions: options.otherVersions }),
    hasCompactForm: (kind) => hasMessage(typeOf(context, kind.type)),
  })
  const texts = (all: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, string> =>
    new Map([...all].map(([path, document]) => [`openapi/${path}.json`, text(context, document)]))
  return texts(options.sharesDefinitions === true ? withShared(documents) : documents)
}

/** Moves definitions that several version 3 documents share into one document. A name means the same in all. */
function withShared(documents: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, JsonObject> {
  const counts = new Map<string, number>()
  for (const document of documents.values())
    for (const name of Object.keys(schemasOf(document))) counts.set(name, (counts.get(name) ?? 0) + 1)
  const shared: JsonObject = {}
  const shortened = [...documents].map(([path, document]) => {
    const schemas = Object.entries(schemasOf(document)).map(([name, schema]): [string, JsonValue | undefined] => {
      if ((counts.get(name) ?? 0) < 2) return [name, schema]
      shared[name] = schema
      return [name, sharedDefinition]
    })
    if (schemas.length === 0) return [path, document] as const
    const { components } = document
    return [path, { ...document, components: { ...(isObject(components) && components), schemas: Object.fromEntries(schemas) } }] as const
  })
  const names = Object.keys(shared).toSorted()
  return new Map([...shortened, [sharedDefinitions, { schemas: Object.fromEntries(names.map((name) => [name, shared[name]])) }]])
}

function schemasOf({ components }: JsonObject): JsonObject {
  const schemas = isObject(components) ? components["schemas"] : undefined
  return isObject(schemas) ? schemas : {}
}

/** Paths of the v3 documents as clients request them. */
export function documentPaths(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts.keys()].flatMap((path) => (path.startsWith("openapi/v3/") ? [path.slice("openapi/v3/".length, -".json".length)] : []))
}

const linePerEntry: ReadonlySet<string> = new Set(["paths", "definitions", "parameters", "schemas", "components"])

/** JSON with one path or definition per line, so that diffs are readable; the first key names the source. */
function text(context: EmitContext, document: JsonObject): string {
  const mark = header(`${context.options.schemaFolder}/`).slice("// ".length)
  return `${lines({ "x-generated": mark, ...document }, "")}\n`
}

function lines(object: JsonObject, indent: string): string {
  const entries = Object.entries(object).map(([name, value]) => {
    const deeper = linePerEntry.has(name) && typeof value === "object" && value !== null && !Array.isArray(value)
    return `${indent} ${JSON.stringify(name)}:${deeper ? lines(value, `${indent} `) : JSON.stringify(value)}`
  })
  return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n${indent}}`
}
