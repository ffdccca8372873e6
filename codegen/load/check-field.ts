/** Checks a single field: keywords that fit its type, limits in order, keys that are fields, a valid default, a doc. */
import type { JsonValue } from "../../runtime/base/json.ts"
import { isObject } from "../../runtime/base/json.ts"
import type { Constraints, FieldModel, TypeRefModel } from "../../model/model.ts"
import { type Block, textOf } from "./block.ts"
import { checkMeaning } from "./check-meaning.ts"
import { checkDoc } from "./checks.ts"
import { expectedWord } from "./diagnostic.ts"
import type { FieldDeclaration } from "./fields.ts"
import { checkPattern } from "./pattern.ts"
import type { SourceFile } from "./source.ts"
import type { KnownType, TypeTable } from "./type-table.ts"
import { isScalar, itemType, shownType } from "./type-text.ts"

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
  checkFitting(model, context)
  checkLimits(model, model.type, context)
  for (const word of ["items", "values", "keys"] as const) checkNested(model, word, context)
  checkOrder(model, context)
  checkProtobuf(model, context)
  checkKeys(model, context)
  checkConstants(model, context)
  checkMeaning(model, block, source)
}

/** The types that a keyword applies to; keywords that are not listed apply to all. */
const fitting: readonly { readonly words: readonly string[]; readonly fits: (type: TypeRefModel) => boolean; readonly title: string }[] = [
  { words: ["minItems", "maxItems", "items", "unique", "mapKeys"], fits: (type) => itemType(type) !== undefined, title: "a list" },
  { words: ["minProperties", "maxProperties", "values", "keys", "mapType"], fits: (type) => "map" in type, title: "a map" },
  // The reference publishes listType on one struct (Status.details), so a struct may have it; it has no effect there.
  { words: ["listType"], fits: (type) => itemType(type) !== undefined || "ref" in type, title: "a list" },
  { words: ["inline", "structType"], fits: (type) => "ref" in type, title: "a struct type" },
]

const limitFitting: readonly {
  readonly words: readonly string[]
  readonly fits: (type: TypeRefModel) => boolean
  readonly title: string
}[] = [
  { words: ["minimum", "maximum"], fits: (type) => isScalar(type, "int32", "int64", "double", "IntOrString"), title: "a number" },
  { words: ["minLength", "maxLength", "pattern"], fits: (type) => isScalar(type, "string", "bytes", "IntOrString"), title: "a string" },
  { words: ["enum", "format"], fits: (type) => isScalar(type), title: "a scalar" },
]

function checkFitting(model: FieldModel, context: Context): void {
  for (const { words, fits, title } of fitting) {
    if (fits(model.type)) continue
    for (const word of words) {
      const misread = ["items", "values", "keys"].includes(word) && context.block.block(word) === undefined
      if (context.block.has(word) && !misread)
        context.source.report(context.block.start(word), {
          found: `${word} on a field of type ${shownType(model.type)}`,
          expected: `a field that is ${title}`,
        })
    }
  }
}

function checkLimits(limits: Constraints, type: TypeRefModel, { block, source }: Context): void {
  for (const { words, fits, title } of limitFitting) {
    if (fits(type)) continue
    const inside = itemType(type) !== undefined ? "items" : "map" in type ? "values or keys" : undefined
    for (const word of words) {
      const expected = inside === undefined ? title : `${title}, or ${word} under ${inside}`
      if (block.has(word)) source.report(block.start(word), { found: `${word} on a value of type ${shownType(type)}`, expected })
    }
  }
  for (const [low, high] of [
    ["minimum", "maximum"],
    ["minLength", "maxLength"],
  ] as const)
    checkPair(limits[low], limits[high], { low, high }, { block, source })
  if (limits.pattern !== undefined) checkPattern(limits.pattern, block.start("pattern"), source)
  if (limits.enum?.length === 0) source.report(block.start("enum"), { found: "an enum without values", expected: "one value or more" })
}

function checkPair(
  low: number | undefined,
  high: number | undefined,
  words: { low: string; high: string },
  { block, source }: Pick<Context, "block" | "source">,
): void {
  if (low === undefined || high === undefined || low <= high) return
  source.report(block.start(words.low), {
    found: `${words.low} ${low} above ${words.high} ${high}`,
    expected: `${words.low} of at most ${high}`,
  })
}

function checkNested(model: FieldModel, word: "items" | "values" | "keys", context: Context): void {
  const limits = model[word]
  const inner = context.block.block(word)
  if (limits === undefined || inner === undefined) return
  const type: KnownType =
    word === "items" ? itemType(model.type) : "map" in model.type ? (word === "keys" ? { scalar: "string" } : model.type.map) : undefined
  if (type === undefined) return
  const nested = { ...context, block: inner }
  checkLimits(limits, type, nested)
  checkEnum(limits, type, nested)
}

function checkOrder(model: FieldModel, context: Context): void {
  checkPair(model.minItems, model.maxItems, { low: "minItems", high: "maxItems" }, context)
  checkPair(model.minProperties, model.maxProperties, { low: "minProperties", high: "maxProperties" }, context)
}

/** The limits of protobuf: one level of list or map, and in a map a named list type. */
function checkProtobuf(model: FieldModel, { block, source }: Context): void {
  if (model.number === undefined) return
  const { type } = model
  const inner = "map" in type && "wrappedList" in type.map ? type.map.wrappedList : "map" in type ? type.map : (itemType(type) ?? type)
  if ("scalar" in inner || "ref" in inner) return
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
  if (model.default === undefined) return
  if (model.default === null) return
  const start = block.start("default")
  const fault = mismatch(model.default, model.type, table)
  if (fault !== undefined) source.report(start, { found: `the default ${shown(model.default)}`, expected: fault })
  else if (model.enum !== undefined && model.enum.length > 0 && !model.enum.includes(model.default)) {
    if (model.enum.some((value) => mismatch(value, model.type, table) !== undefined)) return
    source.report(start, {
      found: `the default ${shown(model.default)}, which enum does not list`,
      ...expectedWord(String(model.default), model.enum.map(String)),
    })
  } else checkDefaultLimits(model, model.default, start, source)
}

function checkDefaultLimits(model: FieldModel, value: JsonValue, start: number, source: SourceFile): void {
  const { minimum, maximum, minLength, maxLength } = model
  const finite = [minimum, maximum].every((bound) => bound === undefined || Number.isFinite(bound))
  const size = typeof value === "number" && finite ? value : undefined
  const length = typeof value === "string" ? [...value].length : undefined
  const outside = (measure: number | undefined, low: number | undefined, high: number | undefined): boolean =>
    measure !== undefined &&
    !(low !== undefined && high !== undefined && low > high) &&
    ((low !== undefined && measure < low) || (high !== undefined && measure > high))
  if (outside(size, minimum, maximum))
    source.report(start, { found: `the default ${shown(value)}`, expected: `a number from ${minimum ?? "any"} to ${maximum ?? "any"}` })
  if (outside(length, minLength, maxLength))
    source.report(start, {
      found: `the default ${shown(value)}`,
      expected: `${minLength ?? 0} to ${maxLength ?? "any number of"} characters`,
    })
}

function checkEnum(limits: Constraints, type: TypeRefModel, { block, source, table }: Context): void {
  const seen = new Set<string>()
  limits.enum?.forEach((value, index) => {
    const start = block.items("enum")[index]?.start ?? block.start("enum")
    const fault = mismatch(value, type, table)
    if (fault !== undefined) source.report(start, { found: `the enum value ${shown(value)}`, expected: fault })
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

/** Says what a constant of `type` should be; undefined when it is valid. */
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
