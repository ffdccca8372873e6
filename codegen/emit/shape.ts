/** `shape.ts`: one TypeShape constant per type, as runtime/schema/shape.ts describes it. */
import type { FieldModel, FileModel, TypeModel, TypeRefModel } from "../../model/model.ts"
import { Code, type Literal, literal } from "../print/literal.ts"
import { type EmitContext, typeOf } from "./context.ts"
import { FileBuilder } from "./file-builder.ts"
import { shapeName } from "./names.ts"

/** The text of `shape.ts`. */
export function emitShape(context: EmitContext, file: FileModel): FileBuilder {
  const builder = new FileBuilder(context, file, "shape")
  const types = file.types.map((name) => typeOf(context, name))
  builder.reserve(...types.map((type) => shapeName(type.localName)))
  for (const type of types) {
    builder.declare({
      declare: "constant",
      name: shapeName(type.localName),
      type: builder.runtimeType("TypeShape"),
      exported: true,
      value: literal(shape(builder, type)),
    })
  }
  return builder
}

function shape(builder: FileBuilder, type: TypeModel): Literal {
  return {
    name: type.name,
    preserveUnknown: type.preserveUnknown || undefined,
    struct: type.structType,
    fields: type.fields.map((field) => fieldShape(builder, field)),
  }
}

function fieldShape(builder: FileBuilder, field: FieldModel): Literal {
  return {
    name: field.name,
    type: typeRef(builder, field.type),
    number: field.number,
    protoName: field.protoName,
    inline: field.inline || undefined,
    pointer: field.pointer || undefined,
    nullable: field.nullable,
    keepEmpty: field.keepEmpty || undefined,
    required: field.required !== false || undefined,
    listType: field.listType,
    mapKeys: field.mapKeys,
    mapType: field.mapType,
    structType: field.structType,
    patch: field.patch,
    mergeKey: field.mergeKey,
    constant: field.constant,
    gate: field.gate,
    gatedValue: field.gatedValue === undefined ? undefined : plain(field.gatedValue),
    gateExempts: field.gateExempts,
    default: field.default === undefined ? undefined : plain(field.default),
    selfContained: field.selfContained,
  }
}

/** A JSON value as a literal. */
export function plain(value: NonNullable<FieldModel["default"]> | null): Literal {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, one === undefined ? undefined : plain(one)]))
}

function typeRef(builder: FileBuilder, type: TypeRefModel): Literal {
  if ("scalar" in type) return { scalar: type.scalar }
  if ("list" in type) return { list: typeRef(builder, type.list) }
  if ("map" in type) return { map: typeRef(builder, type.map) }
  if ("wrappedList" in type) return { wrappedList: typeRef(builder, type.wrappedList) }
  if ("union" in type) return { union: new Code(`() => ${builder.ofType(type.union, "shape", shapeName)}`) }
  return { ref: new Code(`() => ${builder.ofType(type.ref, "shape", shapeName)}`) }
}
