/**
 * Plain documents: the same API in words that all client generators understand. Some generators do not accept a
 * reference beside a description or a default, write code that does not compile for a default that is an object, or
 * choose among media types that they cannot encode.
 */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"

/**
 * Returns the plain form of a published document of version 2 or 3, with the names of any vendor. Called by the command
 * that writes documents to files.
 *
 * * A reference has no siblings: neither a description nor a default, and no `allOf` around it.
 * * There are no extensions and no defaults that are objects.
 * * Bodies and answers are JSON where they may be, and a patch is a merge patch. Streams of watch events are left out.
 * * A value that may be a number or a text has no type.
 */
export function plainDocument(document: JsonObject): JsonObject {
  return plainPart(document)
}

/** Parts of a document whose content is a schema, or schemas by name. */
const schemaPart = "schema"
const schemaMaps: ReadonlySet<string> = new Set(["schemas", "definitions"])

function plainPart(part: JsonObject): JsonObject {
  const kept = Object.entries(part).filter(([name]) => !name.startsWith("x-"))
  return Object.fromEntries(kept.map(([name, value]) => [name, plainMember(name, value)]))
}

function plainMember(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value))
    return name === "produces" || name === "consumes" ? plainTypes(name, value) : value.map((item) => plainMember("", item) ?? item)
  if (!isObject(value)) return value
  if (name === schemaPart) return plainSchema(value)
  if (schemaMaps.has(name)) return plainSchemas(value)
  if (name === "requestBody" && isObject(value["content"])) return plainPart({ ...value, content: bodyContent(value["content"]) })
  return plainPart(name === "content" ? plainContent(value) : value)
}

/** A body of any media type is JSON, which the server reads when no type is named. */
function bodyContent(content: JsonObject): JsonObject {
  return content[anyType] === undefined ? content : { "application/json": content[anyType] }
}

/** The media type to choose where several mean different things to the server, or generators cannot encode some. */
const preferred = ["text/plain", "application/json", "application/merge-patch+json"]
const anyType = "*/*"

function plainTypes(name: string, types: readonly JsonValue[]): JsonValue[] {
  const found = preferred.find((type) => types.includes(type))
  if (found !== undefined) return [found]
  return types.includes(anyType) ? [name === "produces" ? "text/plain" : "application/json"] : [...types]
}

function plainContent(content: JsonObject): JsonObject {
  const found = preferred.find((type) => content[type] !== undefined)
  if (found !== undefined) return { [found]: content[found] }
  return content[anyType] === undefined ? content : { "text/plain": content[anyType] }
}

function plainSchemas(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? plainSchema(schema) : schema]))
}

function plainSchema(schema: JsonObject): JsonObject {
  const [only, ...others] = Array.isArray(schema["allOf"]) ? schema["allOf"] : []
  const reference = schema["$ref"] ?? (isObject(only) && others.length === 0 ? only["$ref"] : undefined)
  if (reference !== undefined) return { $ref: reference }
  const { description } = schema
  if (schema["oneOf"] !== undefined || schema["format"] === "int-or-string") return { ...(description !== undefined && { description }) }
  const kept = Object.entries(schema).filter(
    ([name, value]) => !name.startsWith("x-") && !(name === "default" && (typeof value === "object" || isOutside(value, schema["enum"]))),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, plainKeyword(name, value)]))
}

/** Built-in kinds publish an empty default even for fields that do not allow it: generated code would not compile. */
function isOutside(value: JsonValue | undefined, words: JsonValue | undefined): boolean {
  return value !== undefined && Array.isArray(words) && !words.includes(value)
}

function plainKeyword(name: string, value: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value)) return value
  if (name === "properties") return plainSchemas(value)
  return name === "items" || name === "additionalProperties" ? plainSchema(value) : value
}
