/** `types.ts`: one documented interface per type of a schema file and, for a kind, a type guard. */
import type { FieldModel, FileModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import type { InterfaceDeclaration } from "../print/print.ts"
import { type EmitContext, kindOfType, typeOf } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"

/** Types that the doorway declares itself. Generated code uses its form, so that a generated kind is an ApiObject. */
const kitTypes: ReadonlyMap<string, string> = new Map([["meta.v1.ObjectMeta", "ObjectMeta"]])

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
  builder.reserve(...types.map((type) => type.localName))
  for (const type of types) {
    builder.declare(declare(builder, type))
    const kind = kindOfType(context, type)
    if (kind === undefined) continue
    const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`
    builder.declare({
      declare: "function",
      name: `is${type.localName}`,
      doc: `True for an object of kind ${kind.kind} in version ${apiVersion}, neutral form. Called where any object may come, to read it with types.`,
      parameters: [`object: ${builder.runtimeType("ApiObject")}`],
      returns: `object is ${type.localName}`,
      body: [`return object.kind === ${JSON.stringify(kind.kind)} && object.apiVersion === ${JSON.stringify(apiVersion)}`],
    })
  }
  return builder
}

function declare(builder: FileBuilder, type: TypeModel): InterfaceDeclaration {
  const kind = kindOfType(builder.context, type)
  const fields = flattened(builder.context, type)
  const members = fields.map((field) => ({
    name: field.name,
    optional: field.required === false || kind !== undefined,
    type: fieldType(builder, field),
    doc: field.doc,
    deprecated: field.deprecated,
  }))
  const base = kind === undefined ? builder.runtimeType("JsonObject") : builder.runtimeType("ApiObject")
  return { declare: "interface", name: type.localName, extends: base, doc: type.doc, members }
}

/** The fields as in JSON: those of inline types replace the inline field. */
function flattened(context: EmitContext, type: TypeModel): readonly FieldModel[] {
  return type.fields.flatMap((field) =>
    field.inline && "ref" in field.type ? flattened(context, typeOf(context, field.type.ref)) : [field],
  )
}

function fieldType(builder: FileBuilder, field: FieldModel): string {
  const words = field.enum?.filter((word) => typeof word === "string")
  const isText = "scalar" in field.type && field.type.scalar === "string"
  if (!isText || words === undefined || words.length === 0) return typeText(builder, field.type)
  const empty = field.pointer || words.includes("") ? [] : [""]
  return [...words, ...empty].map((word) => JSON.stringify(word)).join(" | ")
}

function typeText(builder: FileBuilder, type: TypeRefModel): string {
  if ("list" in type) return listText(typeText(builder, type.list))
  if ("wrappedList" in type) return listText(typeText(builder, type.wrappedList))
  if ("map" in type) return `{ [key: string]: ${typeText(builder, type.map)} }`
  if ("scalar" in type)
    return scalarTypes[type.scalar] ?? (type.scalar === "any" ? builder.runtimeType("JsonValue") : builder.runtimeType("JsonObject"))
  const known = kitTypes.get(type.ref)
  return known === undefined ? builder.ofType(type.ref, "types", (name) => name, true) : builder.runtimeType(known)
}

function listText(item: string): string {
  return item.includes("|") ? `(${item})[]` : `${item}[]`
}
