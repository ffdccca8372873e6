/** Checks a single field: keywords that fit its type, limits in order, keys that are fields, a valid default, a doc. */
import type { JsonValue } from "../../runtime/base/json.ts"
import { isObject } from "../../runtime/base/json.ts"
import {
  type Constraint,
  type ConstraintWord,
  constraintTable,
  type Fit,
  limitFaults,
  type Limits,
  type NumberWord,
} from "../../runtime/schema/constraints.ts"
import type { FieldModel, TypeRefModel } from "../../model/model.ts"
import { type Block, textOf } from "./block.ts"
import { checkDefault } from "./check-default.ts"
import { checkFailures, wordedKeywords } from "./check-failures.ts"
import { checkMeaning, textFault } from "./check-meaning.ts"
import { checkDoc, checkSentence } from "./checks.ts"
import { expectedWord } from "./diagnostic.ts"
import { type FieldDeclaration, present } from "./fields.ts"
import { formatNames } from "./formats.ts"
import { checkPattern, isPattern } from "./pattern.ts"
import type { SourceFile } from "./source.ts"
import type { KnownType, TypeTable } from "./type-table.ts"
import { itemType, shownType } from "./type-text.ts"
import { fitsCompact } from "./wire-types.ts"

interface Context {
  readonly block: Block
  readonly source: SourceFile
  readonly table: TypeTable
}

/** Called once per field. Reports in the field's file. */
export function checkField(field: FieldDeclaration, source: SourceFile, table: TypeTable): void {
  const { model, block, nameStart } = field
  if (block.node.entries.length === 0) return
  const context: Context = { block, source, table }
  checkDoc(block, nameStart, `the field ${model.name}`, source)
  if (!field.known) return
  checkOwnType(model, context)
  checkGate(model, context)
  checkFitting(model.type, context)
  checkLimits(model, model.type, context)
  checkProtobuf(model, context)
  if ("union" in model.type && !model.pointer)
    source.report(nameStart, { found: `the field ${model.name} of the union ${shownType(model.type)}`, expected: "pointer: true" })
  checkKeys(model, context)
  checkConstants(model, context)
  checkMeaning(model, block, source)
}

/** Keywords of a type that a field declares. */
const ofTypes = ["preserveUnknown", "rules", "defaults", "checks", "oneOf"]

/** A field with `fields` has the type that they declare, or a list or map of it. */
function checkOwnType({ name }: FieldModel, { block, source }: Context): void {
  if (!block.has("fields")) {
    for (const word of ofTypes.filter((one) => block.has(one)))
      source.report(block.start(word), { found: `${word} on the field ${name}`, expected: `fields beside it, or ${word} in the type` })
  } else if (block.has("type") && !/\bfields\b/.test(block.text("type") ?? "fields"))
    source.report(block.start("type"), {
      found: `the type ${block.text("type")} beside fields`,
      expected: 'no type, or one that names them: "[]fields" or map<fields>',
    })
}

/** Keywords about a field whose gate is off need the gate. */
function checkGate({ gate }: FieldModel, { block, source }: Context): void {
  if (gate !== undefined) return
  for (const word of ["gatedValue", "gateExempts"] as const)
    if (block.has(word)) source.report(block.start(word), { found: `${word} without gate`, expected: "a gate beside it" })
}

/** The types that a keyword applies to, besides the constraints; keywords that are not listed apply to all. */
const fitting: readonly { readonly words: readonly string[]; readonly fits: (type: TypeRefModel) => boolean; readonly title: string }[] = [
  { words: ["items", "unique", "mapKeys"], fits: (type) => itemType(type) !== undefined, title: "a list" },
  { words: ["values", "keys", "mapType"], fits: (type) => "map" in type, title: "a map" },
  // The reference publishes listType on a struct (Status.details) and on bytes (APIService), where it has no effect.
  { words: ["listType"], fits: (type) => itemType(type) !== undefined || "ref" in type || isBytes(type), title: "a list" },
  { words: ["reportedAt"], fits: (type) => !("union" in type), title: "no union" },
  { words: ["inline", "structType"], fits: (type) => "ref" in type, title: "a struct type" },
  { words: ["default"], fits: (type) => !("union" in type), title: "no union" },
]

function isBytes(type: TypeRefModel): boolean {
  return "scalar" in type && type.scalar === "bytes"
}

function checkFitting(type: TypeRefModel, { block, source }: Context): void {
  for (const { words, fits, title } of fitting) {
    if (fits(type)) continue
    for (const word of words) {
      const misread = ["items", "values", "keys"].includes(word) && block.block(word) === undefined
      if (block.has(word) && !misread)
        source.report(block.start(word), { found: `${word} on a field of type ${shownType(type)}`, expected: `a field that is ${title}` })
    }
  }
}

/** The type's name in the table of constraints; undefined for structs, which have rules instead. */
function fitOf(type: TypeRefModel): Fit | undefined {
  if ("scalar" in type) return type.scalar
  if ("map" in type) return "map"
  return itemType(type) === undefined ? undefined : "list"
}

function checkLimits(limits: Limits, type: TypeRefModel, context: Context): void {
  for (const row of constraintTable) if (context.block.has(row.word)) checkLimit(row, limits, type, context)
  const stated = wordedKeywords.filter((word) => context.block.has(word))
  checkFailures(context.block, stated, context.source)
  for (const word of ["items", "values", "keys"] as const) checkNested(limits, type, word, context)
}

function checkLimit(row: Constraint, limits: Limits, type: TypeRefModel, { block, source }: Context): void {
  const { word } = row
  const fit = fitOf(type)
  const start = block.start(word)
  if (fit === undefined || !row.fits.includes(fit)) {
    const inside = fit === "list" ? "items" : fit === "map" ? "values or keys" : undefined
    const isOfParts = inside === undefined || row.fits.includes("list") || row.fits.includes("map")
    const [value, title] =
      row.fits.includes("list") || row.fits.includes("map") ? ["field", `a field that is ${row.title}`] : ["value", row.title]
    const expected = isOfParts ? title : `${title}, or ${word} under ${inside}`
    source.report(start, { found: `${word} on a ${value} of type ${shownType(type)}`, expected })
  }
  if (row.value === "positive" && (limits.multipleOf ?? 1) <= 0)
    source.report(start, { found: `${word} ${limits.multipleOf}`, expected: "a number above 0" })
  if (row.value === "pattern" && limits.pattern !== undefined) checkPattern(limits.pattern, start, source)
  if (limits.enum?.length === 0 && word === "enum") source.report(start, { found: "an enum without values", expected: "one value or more" })
  for (const end of row.below ?? []) checkRange(word, end, limits, { block, source })
  if (row.instead !== undefined && limits[row.instead] !== undefined)
    source.report(block.start(row.instead), { found: `${row.instead} beside ${word}`, expected: `one of ${word}, ${row.instead}` })
}

/** Some value must be possible: a limit that excludes its own number is strictly below the other end. */
function checkRange(low: ConstraintWord, high: NumberWord, limits: Limits, { block, source }: Pick<Context, "block" | "source">): void {
  const [from, to] = [limits[low], limits[high]]
  if (typeof from !== "number" || to === undefined) return
  const strict = low.startsWith("exclusive") || high.startsWith("exclusive")
  if (from < to || (from === to && !strict)) return
  source.report(block.start(low), {
    found: strict ? `${low} ${from} with ${high} ${to}` : `${low} ${from} above ${high} ${to}`,
    expected: strict ? `${low} below ${to}` : `${low} of at most ${to}`,
  })
}

function checkNested(limits: Limits, type: TypeRefModel, word: "items" | "values" | "keys", context: Context): void {
  const inner = context.block.block(word)
  const parts = limits[word]
  if (parts === undefined || inner === undefined) return
  const of: KnownType = word === "items" ? itemType(type) : "map" in type ? (word === "keys" ? { scalar: "string" } : type.map) : undefined
  if (of === undefined) return
  const nested = { ...context, block: inner }
  checkFitting(of, nested)
  checkLimits(parts, of, nested)
  checkEnum(parts, of, nested)
}

/** The limits of protobuf: one level of list or map, and in a map a named list type. */
function checkProtobuf(model: FieldModel, { block, source }: Context): void {
  if (model.number === undefined) return
  const { type } = model
  if (model.nullable === true)
    source.report(block.start("number"), {
      found: `a field number on the nullable field ${model.name}`,
      expected: "no number, or number: none: the compact encoding has no null",
    })
  if (fitsCompact(type)) return
  source.report(block.start("type"), {
    found: `the type ${shownType(type)} with a field number`,
    expected: 'one level of list or map (in a map "wrapped<[]T>" names a list), or no number',
  })
}

/** listType map, mergeKey and unique name fields of the items. */
function checkKeys(model: FieldModel, context: Context): void {
  const { block, source } = context
  const item = itemType(model.type)
  if (item !== undefined && model.listType === "map" && model.mapKeys === undefined)
    source.report(block.start("listType"), { found: "listType map without mapKeys", expected: "mapKeys: the fields that tell items apart" })
  if (model.mapKeys !== undefined && model.listType !== "map")
    source.report(block.start("mapKeys"), { found: "mapKeys without listType map", expected: "listType: map" })
  if (block.has("duplicates") && model.listType !== "map" && model.listType !== "set")
    source.report(block.start("duplicates"), {
      found: "duplicates without listType set or map",
      expected: "listType: set or map, or no duplicates",
    })
  const stated = model.patch !== undefined || !block.has("patchStrategy")
  if (stated && model.mergeKey !== undefined && model.patch?.includes("merge") !== true)
    source.report(block.start("mergeKey"), { found: "mergeKey without patchStrategy merge", expected: "patchStrategy: merge" })
  if (model.structType !== undefined && !("ref" in model.type)) return
  if (item === undefined) return
  if (model.listType === "map") for (const node of block.items("mapKeys")) checkKey(textOf(node), node.start, "mapKeys", item, context)
  const mergeKey = block.get("mergeKey")
  if (mergeKey !== undefined) checkKey(textOf(mergeKey), mergeKey.start, "mergeKey", item, context)
  for (const node of block.items("unique")) {
    const names = node.node === "list" ? node.items : [node]
    for (const name of names) checkKey(textOf(name), name.start, "unique", item, context)
  }
}

function checkKey(name: string | undefined, start: number, word: string, item: TypeRefModel, { source, table }: Context): void {
  if (name === undefined) return
  if (!("ref" in item)) {
    source.report(start, { found: `${word} "${name}" on a list of ${shownType(item)}`, expected: "a list of structs" })
    return
  }
  const names = table.fieldsByName(item.ref)
  if (!names.has(name))
    source.report(start, { found: `unknown field "${name}" of ${item.ref} in ${word}`, ...expectedWord(name, names.keys()) })
}

function checkConstants(model: FieldModel, context: Context): void {
  const { block, source, table } = context
  checkEnum(model, model.type, context)
  if (model.default === undefined) return checkDefault(model, context)
  if (model.default === null) return
  const start = block.start("default")
  const fault = mismatch(model.default, model.type, table) ?? textFault(model.type, model.default)
  if (fault !== undefined) {
    source.report(start, { found: `the default ${shown(model.default)}`, expected: fault })
    return
  }
  checkDefault(model, context)
  if (model.enum !== undefined && model.enum.length > 0 && !model.enum.includes(model.default)) {
    if (model.enum.some((value) => mismatch(value, model.type, table) !== undefined)) return
    source.report(start, {
      found: `the default ${shown(model.default)}, which enum does not list`,
      ...expectedWord(String(model.default), model.enum.map(String)),
    })
  } else checkConstant(`the default ${shown(model.default)}`, model, model.default, start, source)
}

/**
 * A constant must be within the limits of its own field. The empty text is the zero value, which some limits ignore.
 */
function checkConstant(found: string, limits: Limits, value: JsonValue, start: number, source: SourceFile): void {
  const [fault] = value === "" ? [] : limitFaults(readable(limits), value)
  if (fault !== undefined) source.report(start, { found, expected: `a value within its limits: ${fault}` })
}

/** Limits without the enum, and without faulty limits, which are reported where they are. */
function readable(limits: Limits): Limits {
  const { format, pattern, minimum, maximum, enum: _values, ...others } = limits
  const isFinite = [minimum, maximum].every((bound) => bound === undefined || Number.isFinite(bound))
  const isRange = isFinite && (minimum === undefined || maximum === undefined || minimum <= maximum)
  return {
    ...others,
    ...(isRange && present({ minimum, maximum })),
    ...(format !== undefined && formatNames.includes(format) && { format }),
    ...(pattern !== undefined && isPattern(pattern) && { pattern }),
  }
}

function checkEnum(limits: Limits, type: TypeRefModel, { block, source, table }: Context): void {
  const seen = new Set<string>()
  const documented = block.get("enum")
  if (documented?.node === "map")
    for (const { value } of documented.entries) {
      const doc = textOf(value)
      if (doc !== undefined) checkSentence(doc, documented, value.start, source)
    }
  limits.enum?.forEach((value, index) => {
    const start = block.items("enum")[index]?.start ?? block.members("enum")[index]?.keyStart ?? block.start("enum")
    const fault = mismatch(value, type, table)
    if (fault !== undefined) source.report(start, { found: `the enum value ${shown(value)}`, expected: fault })
    else checkConstant(`the enum value ${shown(value)}`, limits, value, start, source)
    if (seen.has(shown(value)))
      source.report(start, { found: `the enum value ${shown(value)} a second time`, expected: "every value once" })
    seen.add(shown(value))
  })
}

function shown(value: JsonValue): string {
  return JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? String(item) : item)) ?? "null"
}

const scalarChecks: Readonly<Record<string, { readonly fits: (value: JsonValue) => boolean; readonly title: string }>> = {
  string: { fits: (value) => typeof value === "string", title: "a text" },
  boolean: { fits: (value) => typeof value === "boolean", title: "true or false" },
  int32: { fits: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 31, title: "a whole number of 32 bits" },
  int64: { fits: (value) => typeof value === "bigint" || Number.isInteger(value), title: "a whole number" },
  double: { fits: (value) => typeof value === "number", title: "a number" },
  bytes: { fits: (value) => typeof value === "string", title: "a base64 text" },
  Time: { fits: (value) => typeof value === "string", title: "a time as text" },
  MicroTime: { fits: (value) => typeof value === "string", title: "a time as text" },
  Duration: { fits: (value) => typeof value === "string", title: "a duration as text, such as 5m" },
  Quantity: { fits: (value) => typeof value === "string" || typeof value === "number", title: "a quantity, such as 500m" },
  IntOrString: { fits: (value) => typeof value === "string" || Number.isInteger(value), title: "a whole number or a text" },
}

/** Describes a valid constant of `type`; undefined when `value` is valid. */
function mismatch(value: JsonValue, type: TypeRefModel, table: TypeTable): string | undefined {
  if ("scalar" in type) {
    const check = scalarChecks[type.scalar]
    return check === undefined || check.fits(value) ? undefined : check.title
  }
  const item = itemType(type)
  if (item !== undefined)
    return Array.isArray(value) ? value.map((each) => mismatch(each, item, table)).find((fault) => fault !== undefined) : "a list"
  if (!isObject(value)) return "a map"
  for (const [key, inner] of Object.entries(value)) {
    const step = table.select(type, key)
    if ("fault" in step) return `a map without the ${step.fault.found}`
    const fault = inner === undefined || step.type === undefined ? undefined : mismatch(inner, step.type, table)
    if (fault !== undefined) return `${fault} for ${key}`
  }
  return undefined
}
