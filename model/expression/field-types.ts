/** From the types of a model's fields to the types of expressions. */
import { type CelType, dynType, listType, mapType, stringType } from "../../cel/index.ts"
import type { Scalar } from "../../runtime/schema/shape.ts"
import type { FieldModel, FieldReading, TypeRefModel } from "../model.ts"
import type { ValueInfo } from "./checked.ts"
import { type SimpleType, simpleTypes, structType } from "./types.ts"

const scalarTypes: Readonly<Record<Scalar, SimpleType>> = {
  string: "string",
  boolean: "bool",
  int32: "int",
  int64: "int",
  double: "double",
  bytes: "bytes",
  Time: "timestamp",
  MicroTime: "timestamp",
  Duration: "duration",
  Quantity: "quantity",
  IntOrString: "intOrString",
  RawExtension: "dyn",
  FieldsV1: "dyn",
  any: "dyn",
}

/** The type of an expression that reads a value of `type`; absent: any value. */
export function expressionType(type: TypeRefModel | undefined): CelType {
  if (type === undefined) return dynType
  if ("scalar" in type) return simpleTypes[scalarTypes[type.scalar]]
  if ("ref" in type) return structType(type.ref)
  if ("union" in type) return dynType
  if ("map" in type) return mapType(stringType, expressionType(type.map))
  return listType(expressionType("list" in type ? type.list : type.wrappedList))
}

const zeroes: Partial<Readonly<Record<Scalar, "" | false | 0>>> = { string: "", boolean: false, int32: 0, int64: 0, double: 0 }

/** How expressions read a field: scalars that are not pointers have a zero value, other fields are absent. */
export function readingOf({ pointer, type }: FieldModel): FieldReading {
  const zero = pointer || !("scalar" in type) ? undefined : zeroes[type.scalar]
  return { pointer, ...(zero !== undefined && { zero }) }
}

/** The facts about a field that expressions use. */
export function valueInfo(field: FieldModel): ValueInfo {
  const reads = readingOf(field)
  return {
    type: expressionType(field.type),
    absence: reads.zero === undefined ? "absent" : "zero",
    reads,
    words: field.enum,
    itemWords: field.items?.enum ?? field.values?.enum,
    keyWords: field.keys?.enum,
  }
}
