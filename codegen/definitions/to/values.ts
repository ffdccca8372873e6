/** Schemas of values: the published schemas of model/openapi, in the form that structural schemas demand. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { limitSchema, type Limits } from "../../../runtime/schema/constraints.ts"
import type { Scalar } from "../../../runtime/schema/shape.ts"
import { extension } from "../../../model/openapi/extensions.ts"
import { foreignFormats, formatPatterns, intOrStringTypes, quantityPattern, sharedFormats } from "../names.ts"

/** Schemas of the scalars that OpenAPI documents publish as definitions of their own. */
const scalarSchemas: Readonly<Partial<Record<Scalar, JsonObject>>> = {
  Time: { type: "string", format: "date-time" },
  MicroTime: { type: "string", format: "date-time" },
  Duration: { type: "string", format: "duration" },
  FieldsV1: { type: "object", [`${extension}preserve-unknown-fields`]: true },
  RawExtension: { type: "object", [`${extension}preserve-unknown-fields`]: true },
  Quantity: { anyOf: [...intOrStringTypes], pattern: quantityPattern, [`${extension}int-or-string`]: true },
  IntOrString: { anyOf: [...intOrStringTypes], [`${extension}int-or-string`]: true },
}

/** Keywords of documents that structural schemas do not allow, or that no server of definitions reads. */
const otherWords: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "deprecated",
  "uniqueItems",
  `${extension}validations`,
  `${extension}patch-strategy`,
  `${extension}patch-merge-key`,
  `${extension}group-version-kind`,
])

/** The published schema of a value without references and keywords that structural schemas do not allow. */
export function plainWords(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !otherWords.has(word)))
}

/**
 * The schema of a scalar, with its limits as published. A server of definitions refuses values outside the enum, so the
 * enum lists the accepted values, even where documents name others.
 */
export function scalarSchema(scalar: Scalar, published: JsonObject, limits: Limits): JsonObject {
  const { enum: _named, ...rest } = published
  const taken = limits.enum === undefined || limits.openEnum === true ? {} : limitSchema({ enum: limits.enum })
  return { ...rest, ...scalarSchemas[scalar], ...patternsOf(limits, published), ...taken }
}

/** Patterns as RE2, which definitions use too: documents publish only patterns that JSON Schema reads alike. */
function patternsOf({ pattern, format }: Limits, { maxLength }: JsonObject): JsonObject {
  const implied = format === undefined ? undefined : formatPatterns[format]
  if (implied === undefined) return pattern === undefined ? {} : { pattern }
  const length =
    typeof implied.maxLength === "number"
      ? Math.min(implied.maxLength, typeof maxLength === "number" ? maxLength : Number.MAX_SAFE_INTEGER)
      : undefined
  return {
    pattern: pattern ?? implied.pattern,
    ...(length !== undefined && { maxLength: length }),
    ...(pattern !== undefined && { allOf: [{ pattern: implied.pattern }] }),
  }
}

/** Whether a definition checks values of a format as the dialect does. */
export function isFormatSaid(format: string, published: JsonObject): boolean {
  return (
    formatPatterns[format] !== undefined ||
    sharedFormats.has(format) ||
    foreignFormats.has(format) ||
    format === "base64" ||
    published.minimum !== undefined
  )
}

/** Renames the extensions of a schema: `x-orch-list-type` to `x-kubernetes-list-type`. Names of properties stay. */
export function withPrefix(schema: JsonObject, prefix: string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      const name = word.startsWith(extension) ? prefix + word.slice(extension.length) : word
      return [name, innerPrefix(word, value, prefix)]
    }),
  )
}

function innerPrefix(word: string, value: JsonValue | undefined, prefix: string): JsonValue | undefined {
  if (!isObject(value) || word === "default") return value
  if (word !== "properties") return withPrefix(value, prefix)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? withPrefix(inner, prefix) : inner]))
}
