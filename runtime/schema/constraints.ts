/**
 * The constraints of the dialect on single values, as one table: the word, the types that it fits, the JSON Schema that
 * publishes it, and the failure of a value that violates it. The loader, the checks of defaults and enums, the emitter,
 * the OpenAPI documents and validation read this table. A new constraint needs a row here (and a member of `Limits`),
 * its words for authors in codegen/load/dialect-limits.ts, and a folder under test/golden/.
 */
import type { FailureType } from "../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { characterCount, compilePattern } from "./expression.ts"
import { formatCheck, formatSchema } from "./formats.ts"
import { isMultipleOf } from "./multiple-of.ts"
import { type Scalar, scalarNames } from "./shape.ts"
import type { FailureForm, PresenceWord } from "./reported.ts"

/** The limits of one value as plain data, as schemas state them and generated validators hold them. */
export interface Limits {
  readonly enum?: readonly JsonValue[]
  /** A sentence for each value of `enum`, in its order; only for documents. */
  readonly enumDocs?: readonly string[]
  /** Values outside `enum` are accepted: it is only for documents. */
  readonly openEnum?: true
  /** The values that documents name in place of `enum`; empty: none. Only for documents. */
  readonly publishedEnum?: readonly JsonValue[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  /** RE2, found anywhere in the text. */
  readonly pattern?: string
  /** A name of `formats.ts`. */
  readonly format?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  /** Of each item of a list, each value of a map, and each key of a map. */
  readonly items?: Limits
  readonly values?: Limits
  readonly keys?: Limits
  /** How failures are reported, by the word that fails. */
  readonly failures?: FailureForms
}

/** Words of a schema for failures, by the keyword that fails. */
export type FailureForms = { readonly [Word in ConstraintWord | PresenceWord]?: FailureForm }

/** A word of the table. */
export type ConstraintWord = Exclude<keyof Limits, "enumDocs" | "openEnum" | "publishedEnum" | "items" | "values" | "keys" | "failures">
/** The words whose value is a number. */
export type NumberWord = Exclude<ConstraintWord, "enum" | "pattern" | "format">

/** The type of a value, as far as constraints distinguish types. */
export type Fit = Scalar | "list" | "map"

/** One row of the table. */
export interface Constraint<Word extends ConstraintWord = ConstraintWord> {
  readonly word: Word
  readonly fits: readonly Fit[]
  /** The types that it fits, in words: `a number`. */
  readonly title: string
  /** The form of its value. A count is a whole number of at least 0; `positive` is a number above 0. */
  readonly value: "constants" | "count" | "formatName" | "number" | "pattern" | "positive"
  /** Words that state an upper end. A schema whose range is empty is refused. */
  readonly below?: readonly NumberWord[]
  /** A word that states the same end of the range; a value has one of them. */
  readonly instead?: NumberWord
  readonly failure: FailureType
  /** Compiles the limit: returns a test that is true for values that violate it, and false for other types. */
  wrong(limit: NonNullable<Limits[Word]>): (value: JsonValue) => boolean
  /** Returns the texts of the failures of `value`, one for each. Called only for values that violate the limit. */
  details(limit: NonNullable<Limits[Word]>, limits: Limits, value: JsonValue): readonly string[]
  /** Returns the limit in keywords of JSON Schema, as OpenAPI 3.0 and 2.0 have them; none if they cannot express it. */
  schema(limit: NonNullable<Limits[Word]>): JsonObject
}

const numbers = { fits: ["int32", "int64", "double", "IntOrString"], title: "a number" } as const
const texts = { fits: ["string", "bytes", "IntOrString"], title: "a string" } as const
const lists = { fits: ["list"], title: "a list" } as const
const maps = { fits: ["map"], title: "a map" } as const

/** Texts of failures are the reference's, which counts bytes where schemas count characters. */
const enumeration: Constraint<"enum"> = {
  word: "enum",
  fits: scalarNames,
  title: "a scalar",
  value: "constants",
  failure: "NotSupported",
  wrong: (values) => (value) => {
    // A call of `includes` costs more than these few comparisons.
    for (const one of values) if (one === value) return false
    return true
  },
  details: () => [""],
  schema: (values) => ({ enum: values.toSorted(inOrder) }),
}

function inOrder(left: JsonValue, right: JsonValue): number {
  if (typeof left === "number" && typeof right === "number") return left - right
  return String(left) < String(right) ? -1 : 1
}

const multipleOf: Constraint<"multipleOf"> = {
  word: "multipleOf",
  ...numbers,
  value: "positive",
  failure: "Invalid",
  wrong: (limit) => (value) => isNumber(value) && !isMultipleOf(value, limit),
  details: (limit) => [`must be a multiple of ${limit}`],
  schema: (limit) => ({ multipleOf: limit }),
}

const pattern: Constraint<"pattern"> = {
  word: "pattern",
  ...texts,
  value: "pattern",
  failure: "Invalid",
  wrong: (limit) => {
    const found = compilePattern(limit)
    return (value) => typeof value === "string" && !found(value)
  },
  details: (limit) => [`must match the regular expression ${limit}`],
  schema: (limit) => (isPortable(limit) ? { pattern: limit } : {}),
}

/** Whether ECMA-262, which JSON Schema refers to, has the expression and reads it as RE2 does. */
function isPortable(expression: string): boolean {
  if (/\(\?(?![:=!])|\\[AzQEpPC]|\[\[:/.test(expression)) return false
  try {
    return new RegExp(expression, "u") instanceof RegExp
  } catch {
    return false
  }
}

const format: Constraint<"format"> = {
  word: "format",
  fits: scalarNames,
  title: "a scalar",
  value: "formatName",
  failure: "Invalid",
  wrong: (limit) => {
    const faults = formatCheck(limit)
    return (value) => faults(value).length > 0
  },
  details: (limit, _limits, value) => formatCheck(limit)(value),
  schema: formatSchema,
}

/** A row for one end of a range of numbers. */
function bound<Word extends "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum">(
  word: Word,
  isWrong: (value: number | bigint, limit: number) => boolean,
  detail: string,
  rest: Pick<Constraint<Word>, "below" | "instead" | "schema">,
): Constraint<Word> {
  const wrong = (limit: number) => (value: JsonValue) => isNumber(value) && isWrong(value, limit)
  const details = (limit: number, { minimum, maximum }: Limits): string[] => {
    const both = minimum !== undefined && maximum !== undefined && !word.startsWith("exclusive")
    return [both ? `must be between ${minimum} and ${maximum}, inclusive` : `must be ${detail} ${limit}`]
  }
  return { word, ...numbers, value: "number", failure: "Invalid", wrong, details, ...rest }
}

/** A row for the fewest or most parts of a value. */
function size<Word extends ConstraintWord & `${"min" | "max"}${"Items" | "Length" | "Properties"}`>(
  word: Word,
  types: Pick<Constraint, "fits" | "title">,
  count: (value: JsonValue) => number | undefined,
  rest: Pick<Constraint<Word>, "below" | "failure" | "details">,
): Constraint<Word> {
  const most = word.startsWith("max")
  const wrong = (limit: number) => (value: JsonValue) => {
    const parts = count(value)
    return parts !== undefined && (most ? parts > limit : parts < limit)
  }
  return { word, ...types, value: "count", wrong, schema: (limit: number) => ({ [word]: limit }), ...rest }
}

/** Every constraint, in the order in which validation reports their failures. */
export const constraintTable: readonly Constraint[] = [
  enumeration,
  bound("minimum", (value, limit) => value < limit, "greater than or equal to", {
    below: ["maximum", "exclusiveMaximum"],
    instead: "exclusiveMinimum",
    schema: (limit) => ({ minimum: limit }),
  }),
  bound("maximum", (value, limit) => value > limit, "less than or equal to", {
    instead: "exclusiveMaximum",
    schema: (limit) => ({ maximum: limit }),
  }),
  bound("exclusiveMinimum", (value, limit) => value <= limit, "greater than", {
    below: ["maximum", "exclusiveMaximum"],
    schema: (limit) => ({ minimum: limit, exclusiveMinimum: true }),
  }),
  bound("exclusiveMaximum", (value, limit) => value >= limit, "less than", {
    schema: (limit) => ({ maximum: limit, exclusiveMaximum: true }),
  }),
  multipleOf,
  size("minLength", texts, lengthOf, {
    below: ["maxLength"],
    failure: "Invalid",
    details: (limit, _limits, value) => [
      `must have at least ${limit} ${limit === 1 ? "character" : "characters"}, has ${characterCount(String(value))}`,
    ],
  }),
  size("maxLength", texts, lengthOf, { failure: "TooLong", details: (limit) => [`must have at most ${limit} bytes`] }),
  pattern,
  format,
  size("maxItems", lists, itemCount, { failure: "TooMany", details: tooMany }),
  size("minItems", lists, itemCount, { below: ["maxItems"], failure: "Invalid", details: tooFew }),
  size("maxProperties", maps, entryCount, { failure: "TooMany", details: tooMany }),
  size("minProperties", maps, entryCount, { below: ["maxProperties"], failure: "Invalid", details: tooFew }),
]

/** The words whose limit is a number, in the order of the table. */
export const numberWords: readonly NumberWord[] = constraintTable.map(({ word }) => word).filter(isNumberWord)

function isNumberWord(word: ConstraintWord): word is NumberWord {
  return word !== "enum" && word !== "pattern" && word !== "format"
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint"
}

function lengthOf(value: JsonValue): number | undefined {
  return typeof value === "string" ? characterCount(value) : undefined
}

function itemCount(value: JsonValue): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function entryCount(value: JsonValue): number | undefined {
  return isObject(value) ? Object.keys(value).length : undefined
}

function tooMany(limit: number): string[] {
  return [`must have at most ${limit} items`]
}

function tooFew(limit: number): string[] {
  return [`must have at least ${limit} ${limit === 1 ? "item" : "items"}`]
}

/** The value that a failure shows: of a list or map with too many parts, their number. */
export function shownValue({ failure }: Constraint, value: JsonValue): JsonValue {
  return failure === "TooMany" ? (itemCount(value) ?? entryCount(value) ?? 0) : value
}

/** The limit of `row` in `limits`; undefined when they do not state it. */
export function limitOf<Word extends ConstraintWord>({ word }: Constraint<Word>, limits: Limits): Limits[Word] {
  return limits[word]
}

/**
 * Returns the faults of `value` under `limits`, without the faults of its items, values and keys; empty when it has
 * none. Called for defaults and the values of an enum, when a schema is loaded.
 */
export function limitFaults(limits: Limits, value: JsonValue): string[] {
  return constraintTable.flatMap((row) => {
    const limit = limitOf(row, limits)
    return limit === undefined || !row.wrong(limit)(value) ? [] : row.details(limit, limits, value)
  })
}

/**
 * Returns the limits of one value as a JSON Schema in the form of OpenAPI 3.0 (and 2.0), without the limits of its
 * items, values and keys. Called for each field of the published documents.
 */
export function limitSchema(limits: Limits): JsonObject {
  return constraintTable.reduce<JsonObject>((schema, row) => {
    const limit = limitOf(row, limits)
    return limit === undefined ? schema : bothSchemas(schema, row.schema(limit))
  }, {})
}

/** Returns the schema of values that keep both: of two ends of a range the one that allows less. */
export function bothSchemas(left: JsonObject, right: JsonObject): JsonObject {
  return Object.fromEntries([...tightest(left, right), ...tightest(right, left)])
}

/** The keywords of `own` without the ends of ranges of which `other` has one that allows less. */
function tightest(own: JsonObject, other: JsonObject): (readonly [string, JsonValue | undefined])[] {
  return Object.entries(own).filter(([word]) => {
    const end = word.replace("exclusiveM", "m")
    const [mine, theirs] = [own[end], other[end]]
    if (!/^m(in|ax)/.test(end) || typeof mine !== "number" || typeof theirs !== "number") return true
    return end.startsWith("max") ? mine <= theirs : mine >= theirs
  })
}
