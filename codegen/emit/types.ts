/**
 * `types.ts`: one documented type per type of a schema file and, for a kind, a type guard.
 *
 * A member is required when a decoded, valid object always has it (model/presence.ts). Where a client may leave out
 * more when it writes, there is a second type `<Name>Input`. Both are type aliases: TypeScript accepts an alias, but no
 * interface, where a JsonObject is expected.
 */
import type { Limits } from "../../runtime/schema/constraints.ts"
import { wireApiVersions } from "../../runtime/base/vendor.ts"
import type { FieldModel, FileModel, KindModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { isEmptyBesideEnum, isNullable, isPresent, isTypeMeta } from "../../model/presence.ts"
import { fieldDoc } from "../../model/published-field.ts"
import type { TypeDeclaration } from "../print/print.ts"
import { differs, type EmitContext, kindOfType, kitTypes, leafRef, typeOf } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"
import { inputName } from "./names.ts"

const scalarTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  int32: "number",
  int64: "number | bigint",
  double: "number",
  bytes: "string",
  Time: "string",
  MicroTime: "string",
  Duration: "string",
  Quantity: "string",
  IntOrString: "number | string",
}

/** The text of `types.ts`. */
export function emitTypes(context: EmitContext, file: FileModel): FileBuilder {
  const builder = new FileBuilder(context, file, "types")
  const types = file.types.map((name) => typeOf(context, name))
  builder.reserve(...types.flatMap((type) => [type.localName, inputName(type.localName)]))
  for (const type of types) {
    const kind = kindOfType(context, type)
    builder.declare(declare(builder, type, kind))
    if (hasInput(context, type.name)) builder.declare(declareInput(builder, type, kind))
    if (kind !== undefined) declareGuard(builder, type, kind)
  }
  return builder
}

function declareGuard(builder: FileBuilder, type: TypeModel, kind: KindModel): void {
  const apiVersion = apiVersionOf(kind)
  builder.declare({
    declare: "function",
    name: `is${type.localName}`,
    doc: `True for a decoded object of kind ${kind.kind} in version ${apiVersion}, under every vendor. Called where any object may come, to read it with types.`,
    parameters: [`object: ${builder.runtimeType("ApiObject")}`],
    returns: `object is ${type.localName}`,
    body: [`return ${builder.runtime("isOfKind")}(object, ${JSON.stringify(apiVersion)}, ${JSON.stringify(kind.kind)})`],
  })
}

function declare(builder: FileBuilder, type: TypeModel, kind: KindModel | undefined): TypeDeclaration {
  if (type.union === true) {
    const forms = type.fields.map((field) => typeText(builder, field.type, { input: false, limits: undefined, empty: false }))
    return { declare: "type", name: type.localName, doc: type.doc, members: [], forms }
  }
  const members = flattened(builder.context, type).map((field) => ({
    name: field.name,
    optional: !isPresent(field, kind),
    type: fieldType(builder, field, kind, false),
    doc: fieldDoc(field),
    deprecated: field.deprecated,
  }))
  if (!type.preserveUnknown) return { declare: "type", name: type.localName, doc: type.doc, members }
  return { declare: "type", name: type.localName, doc: type.doc, members, further: furtherType(builder) }
}

function furtherType(builder: FileBuilder): string {
  return `${builder.runtimeType("JsonValue")} | undefined`
}

/** The input form: the type with other forms of the members that differ. */
function declareInput(builder: FileBuilder, type: TypeModel, kind: KindModel | undefined): TypeDeclaration {
  const { context } = builder
  const members = flattened(context, type)
    .filter((field) => type.preserveUnknown || differs(context, field, kind) || refersToInput(context, field, kind))
    .map((field) => ({
      name: field.name,
      optional: context.presence.mayBeLeftOut(field, kind),
      type: fieldType(builder, field, kind, true),
      doc: fieldDoc(field),
      deprecated: field.deprecated,
    }))
  const doc = `${type.localName} as a client may send it: without what the server fills in.`
  const name = inputName(type.localName)
  // Omit would forget the members of a type with further ones.
  if (type.preserveUnknown) return { declare: "type", name, doc, members, further: furtherType(builder) }
  return { declare: "type", name, doc, base: type.localName, members }
}

/** The fields as in JSON: the fields of an inline type replace the inline field. */
function flattened(context: EmitContext, type: TypeModel): readonly FieldModel[] {
  return type.fields.flatMap((field) =>
    field.inline && "ref" in field.type ? flattened(context, typeOf(context, field.type.ref)) : [field],
  )
}

function refersToInput(context: EmitContext, field: FieldModel, kind: KindModel | undefined): boolean {
  const ref = isTypeMeta(field, kind) ? undefined : leafRef(field.type)
  return ref !== undefined && hasInput(context, ref)
}

/** Whether a type has an input form of its own. */
export function hasInput(context: EmitContext, name: string): boolean {
  return context.withInput.has(name)
}

function fieldType(builder: FileBuilder, field: FieldModel, kind: KindModel | undefined, input: boolean): string {
  if (kind !== undefined && field.name === "kind") return JSON.stringify(kind.kind)
  if (kind !== undefined && field.name === "apiVersion") return wordsText(wireApiVersions(apiVersionOf(kind)))
  const text = typeText(builder, field.type, { input, limits: field, empty: isEmptyBesideEnum(field) })
  return isNullable(field) ? `${text} | null` : text
}

function enumText(values: FieldModel["enum"], empty: boolean): string | undefined {
  const words = values?.filter((word) => typeof word === "string") ?? []
  if (words.length === 0) return undefined
  return wordsText(empty && !words.includes("") ? [...words, ""] : words)
}

function wordsText(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(" | ")
}

interface TextOptions {
  readonly input: boolean
  /** Of the value; the words of an enum are its type. */
  readonly limits: Limits | undefined
  /** The empty text is also valid. */
  readonly empty: boolean
}

function typeText(builder: FileBuilder, type: TypeRefModel, { input, limits, empty }: TextOptions): string {
  const partText = (part: TypeRefModel, ofPart: Limits | undefined): string =>
    typeText(builder, part, { input, limits: ofPart, empty: false })
  if ("list" in type) return listText(partText(type.list, limits?.items))
  if ("wrappedList" in type) return listText(partText(type.wrappedList, limits?.items))
  if ("map" in type) return `{ [key: string]: ${partText(type.map, limits?.values)} }`
  if ("scalar" in type) {
    const words = type.scalar === "string" ? enumText(limits?.enum, empty) : undefined
    if (words !== undefined) return words
    return scalarTypes[type.scalar] ?? (type.scalar === "any" ? builder.runtimeType("JsonValue") : builder.runtimeType("JsonObject"))
  }
  if ("union" in type) return builder.ofType(type.union, "types", (name) => name, true)
  const known = kitTypes.get(type.ref)
  if (known !== undefined) return builder.runtimeType(known)
  return builder.ofType(type.ref, "types", input && hasInput(builder.context, type.ref) ? inputName : (name) => name, true)
}

function listText(item: string): string {
  return item.includes("|") ? `(${item})[]` : `${item}[]`
}

function apiVersionOf({ group, version }: KindModel): string {
  return group === "" ? version : `${group}/${version}`
}
