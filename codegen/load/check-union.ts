/** Checks a type with `union`: the JSON type of a value decides which member it is. */
import { constraintTable } from "../../runtime/schema/constraints.ts"
import type { TypeRefModel } from "../../model/model.ts"
import { formOf, holdsMany, type JsonForm } from "../../runtime/schema/unions.ts"
import type { Block } from "./block.ts"
import type { TypeDeclaration } from "./declare.ts"
import type { FieldDeclaration } from "./fields.ts"
import type { TypeTable } from "./type-table.ts"
import { shownType } from "./type-text.ts"

const memberWords: ReadonlySet<string> = new Set(["type", "number", "protoName", "doc", "pointer", "deprecated"])
const typeWords = ["rules", "defaults", "checks", "oneOf", "preserveUnknown", "structType"] as const

/** Called for each type; one without `union` has nothing to check. Reports in the file of the type. */
export function checkUnion(type: TypeDeclaration, fields: readonly FieldDeclaration[], table: TypeTable): void {
  const { block, source, localName } = type
  if (block.word("union", [true]) !== true) return
  const start = block.start("union")
  if (fields.length < 2) source.report(start, { found: `a union of ${fields.length} members`, expected: "two or more fields" })
  for (const word of typeWords)
    if (block.has(word)) source.report(block.start(word), { found: `${word} in the union ${localName}`, expected: "a type without union" })
  const byForm = new Map<JsonForm, string>()
  let many: string | undefined
  for (const field of fields.filter(({ known }) => known)) {
    const { model, nameStart } = field
    checkWords(field, type)
    const form = formOf(operationOf(model.type))
    if (form === undefined) {
      const expected = "a struct, a map, a list, boolean, string, int32, int64 or double"
      source.report(field.block.start("type"), { found: `the type ${shownType(model.type)} in the union ${localName}`, expected })
      continue
    }
    const other = byForm.get(form) ?? (isMany(model.type) ? many : undefined)
    if (other !== undefined)
      source.report(nameStart, {
        found: `the member ${model.name} of the union ${localName}, whose values may be those of ${other}`,
        expected: "members of different JSON types, and one list or map at most",
      })
    byForm.set(form, model.name)
    if (isMany(model.type)) many = model.name
    checkReached(field, type, table)
  }
}

/** In protobuf an empty list and an empty map are nothing at all. */
function isMany(type: TypeRefModel): boolean {
  return holdsMany(operationOf(type))
}

function operationOf(type: TypeRefModel): string {
  if ("scalar" in type) return type.scalar
  return "ref" in type ? "object" : (Object.keys(type)[0] ?? "")
}

function checkWords({ block, model }: FieldDeclaration, { source, localName }: TypeDeclaration): void {
  for (const { key, keyStart } of block.node.entries)
    if (!memberWords.has(key))
      source.report(keyStart, {
        found: `${key} on the member ${model.name} of the union ${localName}`,
        expected: `one of ${[...memberWords].join(", ")}`,
      })
}

/** Rules and defaults are not looked for below a union. */
function checkReached({ model, nameStart }: FieldDeclaration, { source }: TypeDeclaration, table: TypeTable): void {
  const seen = new Set<string>()
  const open = named(model.type)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const fields = table.fields.get(name) ?? []
    const word =
      wordIn(table.declarations.get(name)?.block, typeWords.slice(0, 4)) ?? fields.map(({ block }) => fieldWord(block)).find(Boolean)
    if (word !== undefined)
      return source.report(nameStart, {
        found: `the member ${model.name}, in which ${name} has ${word}`,
        expected: "a type without limits, rules and defaults, which are not looked for in a union",
      })
    open.push(...fields.flatMap((field) => named(field.model.type)))
  }
}

const valueWords = [
  ...constraintTable.map(({ word }) => word),
  ...["items", "values", "keys", "unique", "immutable", "nonEmpty", "requiredOn", "references", "default"],
]

function fieldWord(block: Block): string | undefined {
  return block.word("required", [true, false, "published"]) === true ? "required" : wordIn(block, valueWords)
}

function wordIn(block: Block | undefined, words: readonly string[]): string | undefined {
  return words.find((word) => block?.has(word) === true)
}

function named(type: TypeRefModel): string[] {
  if ("ref" in type) return [type.ref]
  if ("union" in type) return [type.union]
  if ("list" in type) return named(type.list)
  if ("map" in type) return named(type.map)
  return "wrappedList" in type ? named(type.wrappedList) : []
}
