/** Published descriptions of fields, and schemas of nullable ones. */
import type { JsonObject } from "../runtime/base/json.ts"
import type { Limits } from "../runtime/schema/constraints.ts"
import type { FieldModel } from "./model.ts"

/**
 * Returns the doc of a field with its default, followed by the doc of each value of an enum: the field's own enum, or
 * the enum of its items, map values or keys. The form is as in kube-apiserver. Called for the comments of generated
 * types and the descriptions of OpenAPI, which kubectl explain prints; it does not print the keyword `default`.
 */
export function fieldDoc(field: FieldModel): string {
  return docWithValues({ ...field, doc: withDefault(field) })
}

/** `fieldDoc` without the default. Called for custom resource definitions, whose descriptions are read back as docs. */
export function docWithValues(field: FieldModel): string {
  const keys = docsOf(field.keys)
  return [field.doc, ...section("Possible enum values:", valueDocs(field)), ...section("Possible keys:", keys)].join("\n\n")
}

/** A doc that names the default itself stays as it is. */
function withDefault({ doc, default: value }: FieldModel): string {
  const isShown =
    typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" || (typeof value === "string" && value !== "")
  return !isShown || namesWord(doc, String(value)) ? doc : `${doc} Default: \`${value}\`.`
}

function namesWord(text: string, word: string): boolean {
  const isPart = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true
  return false
}

/** The docs of the innermost values. */
function valueDocs(limits: Limits | undefined): readonly string[] {
  if (limits === undefined) return []
  const own = docsOf(limits)
  return own.length > 0 ? own : valueDocs(limits.items ?? limits.values)
}

/** Sorted by value, as the enum is published. */
function docsOf(limits: Limits | undefined): readonly string[] {
  const { enum: values = [], enumDocs = [] } = limits ?? {}
  return enumDocs.map((doc, index) => ` - \`${JSON.stringify(values[index] ?? null, bigintAsText)}\`: ${doc}`).toSorted()
}

function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [[title, ...lines].join("\n")]
}

/**
 * Returns the published schema of a field, from a `schema` that is complete but for nullable. Called for each property
 * of both document versions. As for custom resources, version 3 has `nullable: true`; version 2 has no such word, so
 * the schema loses its type, without which kubectl accepts null. Null is also one of the values of an enum.
 */
export function withNullable(field: FieldModel, schema: JsonObject, version: "v2" | "v3"): JsonObject {
  if (field.nullable !== true) return schema
  const words = Array.isArray(schema["enum"]) ? { enum: [...schema["enum"], null] } : {}
  if (version === "v3") return { ...schema, ...words, nullable: true }
  const { type: _type, items: _items, $ref: _reference, ...rest } = schema
  return { ...rest, ...words }
}

/** Whether a document lists the field as required. Version 2 does not: there a required field is never null. */
export function mayBeRequired(field: FieldModel, version: "v2" | "v3"): boolean {
  return version === "v3" || field.nullable !== true
}
