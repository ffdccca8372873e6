/**
 * Converts the fields of a declared type to field models: resolves types, types keywords, and fills in missing
 * keywords. check-field.ts checks the meaning of stated keywords.
 */
import { featureGateNames } from "../../runtime/base/feature-gates.ts"
import { type Limits, numberWords } from "../../runtime/schema/constraints.ts"
import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import type { FailureForm } from "../../runtime/schema/reported.ts"
import type { FieldModel, TypeRefModel } from "../../model/model.ts"
import { Block, textOf } from "./block.ts"
import { failureReasons } from "./dialect-rules.ts"
import { fieldTypeName, kindName, type TypeDeclaration } from "./declare.ts"
import type { MapEntry, MapNode } from "./source.ts"
import { itemType, parseTypeText } from "./type-text.ts"

/** A field and its position in the file; emitters receive `model`. */
export interface FieldDeclaration {
  readonly model: FieldModel
  readonly block: Block
  readonly nameStart: number
  /** False when its type could not be read: it has no further diagnostics. */
  readonly known: boolean
}

/**
 * Called once per declared type, after all types are collected. Reports unknown types, and inline fields that are not
 * structs.
 */
export function declareFields(type: TypeDeclaration, types: ReadonlyMap<string, TypeDeclaration>): FieldDeclaration[] {
  const stated = type.block.members("fields").flatMap((entry) => declareField(entry, type, types))
  if (!type.isKind) return stated
  const names = new Set(stated.map((field) => field.model.name))
  return [...impliedFields(type, types).filter((field) => !names.has(field.model.name)), ...stated]
}

function declareField(entry: MapEntry, type: TypeDeclaration, types: ReadonlyMap<string, TypeDeclaration>): FieldDeclaration[] {
  if (!/^[A-Za-z_$][\w$-]*$/.test(entry.key))
    type.source.report(entry.keyStart, {
      found: `the field name "${entry.key}"`,
      expected: "letters, digits, _, $ and -, as in JSON: podIPs",
    })
  const written = entry.value.node === "map" ? entry.value : emptyMap(entry.value.start)
  const block = new Block(written)
  const text = typeText(block, type, entry.key)
  const ref = text === undefined ? undefined : parseTypeText(text, type, types, block.start("type"))
  return [{ model: fieldModel(entry.key, ref ?? { scalar: "any" }, block), block, nameStart: entry.keyStart, known: ref !== undefined }]
}

function emptyMap(start: number): MapNode {
  return { node: "map", entries: [], flow: false, start, end: start }
}

/** The text of `type`, in which the word `fields` is the type that the field's `fields` declare. */
function typeText(block: Block, outer: TypeDeclaration, field: string): string | undefined {
  const written = block.text("type")
  return block.has("fields") ? (written ?? "fields").replace(/\bfields\b/, fieldTypeName(outer.localName, field)) : written
}

function fieldModel(name: string, type: TypeRefModel, block: Block): FieldModel {
  return {
    name,
    type,
    doc: block.text("doc") ?? "",
    ...structure(block),
    ...valueKeywords(block),
    keepEmpty: keepsEmpty(block, type),
    ...limitsOf(block, type),
    unique: uniqueOf(block),
    ...merging(block),
    ...distinctOf(type, block),
    ...referencesOf(block),
  }
}

/** The kind need not exist: check-reference.ts reports that. */
function referencesOf(block: Block): Pick<FieldModel, "references"> {
  const inner = block.block("references")
  const target = kindName(inner?.text("kind") ?? block.text("references") ?? "")
  return target === undefined ? {} : { references: { ...target, ...present({ namespace: inner?.text("namespace") }) } }
}

/** Absent where a rule of `unique` says the same. */
function distinctOf(type: TypeRefModel, block: Block): Pick<FieldModel, "distinct"> {
  const listType = block.word("listType", ["set", "map"])
  if (listType === undefined || itemType(type) === undefined || block.has("duplicates")) return {}
  const keys = listType === "set" ? [] : block.texts("mapKeys")
  const stated = uniqueOf(block).some((fields) => fields.length === keys.length && fields.every((field) => keys.includes(field)))
  return stated || (listType === "map" && keys.length === 0) ? {} : { distinct: keys }
}

/** The server fills in fields published as required. Pointers have no zero value; structs are filled in anyway. */
function keepsEmpty(block: Block, type: TypeRefModel): boolean {
  const isPublished = block.word("required", [true, false, "published"]) === "published"
  return block.flag("keepEmpty") ?? (isPublished && !isPointer(block) && !("ref" in type))
}

/** A field that may be null has an absent state too. */
function isPointer(block: Block): boolean {
  return block.flag("pointer") ?? block.word("nullable", [true]) ?? false
}

function structure(
  block: Block,
): Pick<
  FieldModel,
  | "inline"
  | "pointer"
  | "nullable"
  | "unchecked"
  | "selfContained"
  | "gate"
  | "gatedValue"
  | "gateExempts"
  | "deprecated"
  | "number"
  | "protoName"
> {
  return {
    inline: block.flag("inline") ?? false,
    pointer: isPointer(block),
    ...present({ nullable: block.word("nullable", [true]), unchecked: block.word("unchecked", [true]) }),
    ...present({ selfContained: block.word("selfContained", [true]) }),
    ...present({ gate: block.word("gate", [...featureGateNames, "removed"]), gatedValue: block.constant("gatedValue") }),
    ...present({ gateExempts: block.word("gateExempts", ["status"]) }),
    deprecated: block.flag("deprecated") ?? false,
    ...present({ number: block.number("number"), protoName: block.text("protoName") }),
  }
}

function valueKeywords(block: Block): Pick<FieldModel, "required" | "nonEmpty" | "requiredOn" | "immutable" | "default" | "reportedAt"> {
  return {
    required: block.word("required", [true, false, "published"]) ?? false,
    nonEmpty: block.flag("nonEmpty") ?? false,
    immutable: block.word("immutable", [true, "once-set"]) ?? false,
    ...present({ reportedAt: block.text("reportedAt") }),
    ...present({ requiredOn: block.word("requiredOn", ["create", "update"]), default: block.constant("default") }),
  }
}

/** The limits of a value and of its parts, by the words of the table of constraints. */
function limitsOf(block: Block, type: TypeRefModel): Limits {
  const limits: { -readonly [Word in keyof Limits]: Limits[Word] } = {}
  for (const word of numberWords) {
    const limit = block.number(word)
    if (limit !== undefined) limits[word] = limit
  }
  for (const word of ["format", "pattern"] as const) {
    const limit = block.text(word)
    if (limit !== undefined) limits[word] = limit
  }
  const values = block.constant("enum")
  if (Array.isArray(values)) limits.enum = values
  const documented = block.members("enum")
  if (documented.length > 0 || isObject(values)) {
    limits.enum = documented.map(({ key }) => enumValue(key, type))
    limits.enumDocs = documented.map(({ value }) => textOf(value) ?? "")
  }
  if (block.word("openEnum", [true]) === true) limits.openEnum = true
  const published = block.constant("publishedEnum")
  if (Array.isArray(published)) limits.publishedEnum = published
  for (const word of ["items", "values", "keys"] as const) {
    const inner = block.block(word)
    if (inner !== undefined) limits[word] = limitsOf(inner, partType(type, word))
  }
  const failures = failureForms(block)
  return failures === undefined ? limits : { ...limits, failures }
}

/** The entries of `failures`, by keyword; a text alone is the message. */
export function failureForms(block: Block): Readonly<Record<string, FailureForm>> | undefined {
  const entries = block.members("failures").map(({ key, value }): [string, FailureForm] => {
    const inner = value.node === "map" ? new Block(value) : undefined
    if (inner === undefined) return [key, present({ message: textOf(value) })]
    const supported = inner.has("supported") ? inner.texts("supported") : undefined
    const words = { reason: inner.word("reason", failureReasons), message: inner.text("message"), at: inner.text("at") }
    return [key, present({ ...words, value: inner.constant("value"), supported, omitValue: inner.word("omitValue", [true]) })]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Keys of a map are texts in YAML; keys that stand for numbers are read as numbers. */
function enumValue(key: string, type: TypeRefModel): JsonValue {
  const isNumber = "scalar" in type && ["int32", "int64", "double", "IntOrString"].includes(type.scalar)
  return isNumber && /^-?\d+(\.\d+)?$/.test(key) ? Number(key) : key
}

/** The type of a list's items or a map's keys or values. check-field.ts reports limits on parts that the type lacks. */
function partType(type: TypeRefModel, word: "items" | "values" | "keys"): TypeRefModel {
  const part = word === "items" ? itemType(type) : word === "values" && "map" in type ? type.map : undefined
  return part ?? { scalar: "string" }
}

/** `true` is one rule over whole items (no fields); a list of lists is several rules. */
function uniqueOf(block: Block): readonly (readonly string[])[] {
  if (block.flag("unique") === true) return [[]]
  const items = block.items("unique")
  if (items.length === 0) return []
  if (items.every((item) => item.node === "scalar")) return [block.texts("unique")]
  return items.map((item) => (item.node === "list" ? item.items.flatMap((name) => textOf(name) ?? []) : [textOf(item) ?? ""]))
}

function merging(block: Block): Pick<FieldModel, "listType" | "mapKeys" | "mapType" | "structType" | "patch" | "mergeKey"> {
  const strategy = block.text("patchStrategy")
  const patch = (["merge", "replace", "retainKeys"] as const).filter((word) => strategy?.split(",").includes(word))
  return {
    ...present({
      listType: block.word("listType", ["atomic", "set", "map"]),
      mapType: block.word("mapType", ["atomic", "granular"]),
      structType: block.word("structType", ["atomic", "granular"]),
      mergeKey: block.text("mergeKey"),
    }),
    ...(block.has("mapKeys") && { mapKeys: block.texts("mapKeys") }),
    ...(patch.length > 0 && { patch }),
  }
}

function impliedFields(type: TypeDeclaration, types: ReadonlyMap<string, TypeDeclaration>): FieldDeclaration[] {
  const metadata = parseTypeText("meta.v1.ObjectMeta", type, types, type.nameStart)
  const implied = (name: string, ref: TypeRefModel, doc: string, facts: { number?: number; constant?: string }): FieldDeclaration => ({
    model: {
      ...fieldModel(name, ref, new Block(emptyMap(type.nameStart))),
      doc,
      ...facts,
    },
    block: new Block(emptyMap(type.nameStart)),
    nameStart: type.nameStart,
    known: true,
  })
  return [
    implied(
      "kind",
      { scalar: "string" },
      "Kind of the object, as the path of the request implies it; cannot be changed.",
      constantOf(type, type.localName),
    ),
    implied(
      "apiVersion",
      { scalar: "string" },
      "Group and version in which the object is written.",
      constantOf(type, type.group === "" ? type.version : `${type.group}/${type.version}`),
    ),
    implied("metadata", metadata ?? { scalar: "any" }, "Name, labels and bookkeeping that every object has.", { number: 1 }),
  ]
}

/**
 * `kind` and `apiVersion` are the same in all objects of a kind, so embedded objects have them without storing them.
 * Vendor groups have several names.
 */
function constantOf({ group }: TypeDeclaration, constant: string): { constant?: string } {
  return group.endsWith(".orch.io") ? {} : { constant }
}

/** Removes keys without a value: `exactOptionalPropertyTypes` distinguishes absent from undefined. */
export function present<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> }
export function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}
