/**
 * Checks an object that is written as a manifest against the types of its kind: every field is known and has a value of
 * its type, and fields that a server would fill in are stated, so that a stored object equals its manifest.
 */
import type { FieldModel, TypeModel, TypeRefModel } from "../../../model/model.ts"
import { isPresent } from "../../../model/presence.ts"
import { Block } from "../block.ts"
import { expectedWord } from "../diagnostic.ts"
import { article, type ListNode, type MapEntry, type MapNode, type SourceFile, type SourceNode } from "../source.ts"
import { itemType, shownType } from "../type-text.ts"

export interface ObjectContext {
  readonly source: SourceFile
  /** By unique name. */
  readonly types: ReadonlyMap<string, TypeModel>
  /** Called with each struct of the object, outer ones first. */
  readonly onStruct: (type: TypeModel, block: Block) => void
}

/** `besides`: names that the caller has checked itself, and fields that the object may lack. */
export function checkStruct(map: MapNode, type: TypeModel, context: ObjectContext, besides: ReadonlySet<string> = new Set()): void {
  const { source, types, onStruct } = context
  const fields = fieldsOf(type, types)
  for (const entry of map.entries) {
    if (besides.has(entry.key)) continue
    if (!fields.has(entry.key)) correct(entry, map, { title: type.localName, words: [...fields.keys()], source })
    const field = fields.get(entry.key)
    if (field !== undefined) checkValue(entry.value, field, context)
  }
  for (const field of fields.values()) {
    if (besides.has(field.name) || !isStated(field) || map.entries.some(({ key }) => key === field.name)) continue
    source.report(map.start, {
      found: `no "${field.name}" in ${article(map)} of type ${type.localName}`,
      expected: `${field.name}: ${field.default === undefined ? shownType(field.type) : JSON.stringify(field.default)}`,
    })
  }
  onStruct(type, new Block(map))
}

interface Names {
  /** The part of the object that has the names. */
  readonly title: string
  readonly words: readonly string[]
  readonly source: SourceFile
}

/** Reports an unknown name, and reads it as the one that was meant: one mistake is reported once. */
export function correct(entry: MapEntry, map: MapNode, { title, words, source }: Names): void {
  const fault = expectedWord(entry.key, words)
  source.report(entry.keyStart, { found: `unknown field "${entry.key}" of ${title}`, ...fault })
  const { nearest } = fault
  if (nearest !== undefined && !map.entries.some(({ key }) => key === nearest)) entry.key = nearest
}

/** All fields by name, with the fields of inline structs. */
function fieldsOf(type: TypeModel, types: ReadonlyMap<string, TypeModel>): ReadonlyMap<string, FieldModel> {
  const inner = (field: FieldModel): Iterable<readonly [string, FieldModel]> => {
    const inlined = field.inline && "ref" in field.type ? types.get(field.type.ref) : undefined
    return inlined === undefined ? [[field.name, field]] : fieldsOf(inlined, types)
  }
  return new Map(type.fields.flatMap((field) => [...inner(field)]))
}

/** Whether a server would write the field itself. */
function isStated(field: FieldModel): boolean {
  return isPresent(field, undefined) || field.default !== undefined
}

function checkValue(node: SourceNode, field: FieldModel, context: ObjectContext): void {
  checkType(node, field.type, field.name, context)
  const { enum: words = [] } = field
  if (node.node !== "scalar" || typeof node.value !== "string" || words.length === 0) return
  if (!words.includes(node.value))
    context.source.report(node.start, { found: `${article(node)} for ${field.name}`, ...expectedWord(node.value, words.map(String)) })
}

function checkType(node: SourceNode, type: TypeRefModel, name: string, context: ObjectContext): void {
  const item = itemType(type)
  const struct = "ref" in type ? context.types.get(type.ref) : undefined
  if (item !== undefined && node.node === "list") {
    for (const one of node.items) checkType(one, item, name, context)
    checkRepeats(node, name, context.source)
  } else if ("map" in type && node.node === "map") {
    for (const { key, value } of node.entries) checkType(value, type.map, `${name} "${key}"`, context)
  } else if (struct !== undefined && node.node === "map") checkStruct(node, struct, context)
  else if (!scalarFits(node, type))
    context.source.report(node.start, { found: `${article(node)} for ${name}`, ...expectedForm(node, type, struct) })
}

const numbers: ReadonlySet<string> = new Set(["int32", "int64", "double"])

function scalarFits(node: SourceNode, type: TypeRefModel): boolean {
  if (!("scalar" in type) || node.node !== "scalar") return false
  if (type.scalar === "boolean") return typeof node.value === "boolean"
  if (!numbers.has(type.scalar)) return typeof node.value === "string"
  return typeof node.value === "number" && (type.scalar === "double" || Number.isInteger(node.value))
}

function expectedForm(node: SourceNode, type: TypeRefModel, struct: TypeModel | undefined): { expected: string; nearest?: string } {
  if (struct !== undefined) return { expected: `a map of type ${struct.localName}` }
  if ("map" in type) return { expected: "a map" }
  if (!("scalar" in type))
    return { expected: "a list", ...(node.node === "scalar" && node.value !== null && { nearest: `[${node.value}]` }) }
  if (type.scalar === "boolean") return { expected: "true or false" }
  if (numbers.has(type.scalar)) return { expected: `${type.scalar === "double" ? "a" : "a whole"} number, without quotes` }
  return { expected: node.node === "scalar" && node.value !== null ? "a text in quotes" : "a text" }
}

function checkRepeats(list: ListNode, name: string, source: SourceFile): void {
  const seen = new Set<unknown>()
  for (const item of list.items) {
    if (item.node !== "scalar") continue
    if (seen.has(item.value)) source.report(item.start, { found: `${article(item)} a second time in ${name}`, expected: "every word once" })
    seen.add(item.value)
  }
}
