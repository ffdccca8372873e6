/** Limits of one value: keywords of JSON Schema to keywords of the dialect. */
import type { JsonObject, JsonValue } from "../../../runtime/base/json.ts"
import { constraintTable, type Fit } from "../../../runtime/schema/constraints.ts"
import { formatNames } from "../../../runtime/schema/formats.ts"
import { foreignFormats, formatPatterns } from "../names.ts"
import type { Words } from "./words.ts"

/** The words of JSON Schema that state limits, besides `enum`, `format` and the exclusive ends. */
const plainWords = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const

const fitsOf = new Map<string, readonly Fit[]>(constraintTable.map(({ word, fits }) => [word, fits]))

/** Returns the limits of a value of type `fit` in the dialect's words. Reports limits that do not fit such a value. */
export function limitsOf(words: Words, fit: Fit | undefined, isNullable: boolean): JsonObject {
  const stated: Record<string, JsonValue> = {}
  const values = enumOf(words, isNullable)
  if (values !== undefined) stated.enum = values
  Object.assign(stated, formatOf(words, fit))
  for (const word of plainWords) {
    const limit = words.take(word)
    if (limit !== undefined) stated[word] = limit
  }
  for (const end of ["Minimum", "Maximum"] as const) {
    if (!words.flag(`exclusive${end}`)) continue
    const limit = stated[end.toLowerCase()]
    if (limit !== undefined) stated[`exclusive${end}`] = limit
    delete stated[end.toLowerCase()]
  }
  const implied = formatPatterns[String(stated.format)]
  for (const [word, limit] of Object.entries(implied ?? {})) if (stated[word] === limit) delete stated[word]
  return Object.fromEntries(
    Object.entries(stated).filter(([word, limit]) => {
      const isSaid = fit !== undefined && fitsOf.get(word)?.includes(fit) === true && !isBeyond(limit)
      if (!isSaid) words.lost(word, `the dialect has no ${word} for ${fit === undefined ? "a value of this type" : `a ${fit}`}`)
      return isSaid
    }),
  )
}

/** Whether a count is so large that no value exceeds it. */
function isBeyond(limit: JsonValue | undefined): boolean {
  return typeof limit === "bigint"
}

function enumOf(words: Words, isNullable: boolean): JsonValue[] | undefined {
  const values = words.list("enum")
  if (values.length === 0) return undefined
  const kept = values.filter((value, index) => value !== null && values.indexOf(value) === index)
  if (values.includes(null) && !isNullable) words.findings.note([...words.at, "enum"], "null is left out: the value is not nullable")
  if (kept.length > 0) return kept
  words.lost("enum", "null alone is no value of the dialect")
  return undefined
}

/** Formats that become types in the dialect. The reader of the type reports them where they do not. */
const readFormats: ReadonlySet<string> = new Set(["byte", "date-time", "datetime", "duration"])

function formatOf(words: Words, fit: Fit | undefined): JsonObject {
  const format = words.text("format")
  if (format === undefined || fit !== "string" || readFormats.has(format)) return {}
  if (formatNames.includes(format)) return { format }
  if (foreignFormats.has(format.replaceAll("-", ""))) words.lost("format", `the dialect has no format ${format}: the text is not checked`)
  else words.findings.note([...words.at, "format"], `the format ${format} is left out: no server checks it`)
  return {}
}
