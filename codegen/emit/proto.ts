/** `proto.ts`: the messages of a schema file in protobufjs's reflection JSON, and the files whose messages they use. */
import type { FieldModel, FileModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { Code, type Literal, literal } from "../print/literal.ts"
import { type EmitContext, leafRef, typeOf } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"

/** The text of `proto.ts`; without declarations when no type of the file has a protobuf message. */
export function emitProto(context: EmitContext, file: FileModel): FileBuilder {
  const builder = new FileBuilder(context, file, "proto")
  const types = file.types.map((name) => typeOf(context, name)).filter((type) => hasMessage(type))
  if (types.length === 0) return builder
  const value: Literal = {
    file: file.path,
    messages: Object.fromEntries(types.flatMap((type) => messages(context, type))),
    imports: imported(builder, types).map(
      (module) => new Code(`() => import(${JSON.stringify(module)}).then((module) => module.descriptor)`),
    ),
  }
  builder.declare({
    declare: "constant",
    name: "descriptor",
    type: builder.runtimeType("DescriptorPart"),
    exported: true,
    value: literal(value),
  })
  return builder
}

/** Whether the type has a protobuf message: it has a numbered field, or no fields at all (`emptyDir: {}`). */
export function hasMessage(type: TypeModel): boolean {
  return type.fields.length === 0 || type.fields.some((field) => field.number !== undefined)
}

function imported(builder: FileBuilder, types: readonly TypeModel[]): string[] {
  const { context, file, path } = builder
  const refs = types.flatMap((type) =>
    type.fields.flatMap((field) => (field.number === undefined ? [] : [leafRef(field.type) ?? []].flat())),
  )
  const files = new Set(
    refs
      .map((ref) => typeOf(context, ref))
      .filter((type) => hasMessage(type) && type.file !== file.path)
      .map((type) => type.file),
  )
  return [...files].sort().map((other) => context.options.importPath(path, other, "proto"))
}

type Message = { readonly fields: { readonly [name: string]: Literal } }

/** The message of a type, then those of its named list types. */
function messages(context: EmitContext, type: TypeModel): [string, Message][] {
  const numbered = type.fields.filter((field) => field.number !== undefined)
  const fields = Object.fromEntries(numbered.map((field) => [field.protoName ?? field.name, protoField(context, type, field)]))
  const wrapped = numbered.flatMap((field): [string, Message][] => {
    const item = wrappedItem(field.type)
    return item === undefined
      ? []
      : [[wrapperName(type, field), { fields: { items: { rule: "repeated", type: messageName(context, item), id: 1 } } }]]
  })
  return [[type.name, { fields }], ...wrapped]
}

/** The message of a named list type: `authentication.orch.io.v1.UserInfo_extra`. */
function wrapperName(type: TypeModel, field: FieldModel): string {
  return `${type.name}_${field.name}`
}

function wrappedItem(type: TypeRefModel): TypeRefModel | undefined {
  if ("wrappedList" in type) return type.wrappedList
  return "map" in type && "wrappedList" in type.map ? type.map.wrappedList : undefined
}

function protoField(context: EmitContext, type: TypeModel, field: FieldModel): Literal {
  const id = field.number
  const ref = field.type
  if ("map" in ref)
    return { keyType: "string", type: "wrappedList" in ref.map ? wrapperName(type, field) : messageName(context, ref.map), id }
  if ("list" in ref) return { rule: "repeated", type: messageName(context, ref.list), id }
  return { type: "wrappedList" in ref ? wrapperName(type, field) : messageName(context, ref), id }
}

const scalarNames: Readonly<Record<string, string>> = { boolean: "bool", any: "Json" }

function messageName(context: EmitContext, type: TypeRefModel): string {
  if ("scalar" in type) return scalarNames[type.scalar] ?? type.scalar
  if ("ref" in type) return typeOf(context, type.ref).name
  throw new Error("lists and maps in each other have no compact form; name the inner list with wrapped<...>")
}
