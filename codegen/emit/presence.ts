/**
 * Which fields of a type are present in a decoded object, as `runtime/encoding/normalize.ts` fills them in, and which of
 * these a client may leave out.
 */
import type { FieldModel, KindModel, TypeModel } from "../../model/model.ts"

/** Types that the doorway declares itself. Generated code uses its form, so that a generated kind is an ApiObject. */
export const kitTypes: ReadonlyMap<string, string> = new Map([["meta.v1.ObjectMeta", "ObjectMeta"]])

const alwaysWritten: ReadonlySet<string> = new Set(["Time", "MicroTime", "Duration", "Quantity", "IntOrString", "RawExtension"])
const nullWhenZero: ReadonlySet<string> = new Set(["bytes", "Time", "MicroTime", "RawExtension", "FieldsV1"])

/** Whether decoding writes the field even when it was absent. */
function isFilledIn({ type, keepEmpty, pointer }: FieldModel): boolean {
  return keepEmpty || (!pointer && ("ref" in type || ("scalar" in type && alwaysWritten.has(type.scalar))))
}

/** Whether the field is the kind or the version of an object, which the path of a request implies. */
export function isTypeMeta(field: FieldModel, kind: KindModel | undefined): boolean {
  return kind !== undefined && (field.name === "kind" || field.name === "apiVersion")
}

/** Whether every decoded, valid object has the field. */
export function isPresent(field: FieldModel, kind: KindModel | undefined): boolean {
  return field.required !== false || isFilledIn(field) || isTypeMeta(field, kind)
}

/** Whether a decoded object may have null as the value. */
export function isNullable(field: FieldModel): boolean {
  const { type } = field
  if (field.nullable === true) return true
  if (!isFilledIn(field) || field.required === true || field.nonEmpty) return false
  return field.pointer || ("scalar" in type ? nullWhenZero.has(type.scalar) : !("ref" in type))
}

/** Whether decoded objects have the field although a client may leave it out. */
export function differs(field: FieldModel, kind: KindModel | undefined): boolean {
  return isTypeMeta(field, kind) || (isPresent(field, kind) && (field.required === false || field.default !== undefined))
}

/** Whether something in the type itself may be left out by clients. Types that contain it have an input form, too. */
export function differsItself(type: TypeModel, kind: KindModel | undefined): boolean {
  return !kitTypes.has(type.name) && type.fields.some((field) => !field.inline && differs(field, kind))
}
