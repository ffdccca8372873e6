/**
 * Constant defaults as a server holds them: in the form that decoding gives every value, so that a default reads the
 * same before and after a restart.
 */
import type { JsonValue } from "../runtime/base/json.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import { equals, nonZero } from "../runtime/schema/expression.ts"
import type { TypeShape } from "../runtime/schema/shape.ts"
import type { DefaultRuleModel, FieldModel } from "./model.ts"
import { fieldShape } from "./shapes.ts"

/** From the unique name of a type to its shape. */
export type ShapeOf = (name: string) => TypeShape

/**
 * Returns `value`, a constant of the field's type, in canonical form: `1h` becomes `1h0m0s`, and a struct gets the
 * fields that are always written. Undefined when decoding reads it as absent (the zero time). Throws DecodeFault when
 * it does not fit.
 */
export function canonicalConstant(field: FieldModel, value: JsonValue, shapeOf: ShapeOf): JsonValue | undefined {
  return decoded({ ...field, pointer: true }, value, shapeOf)
}

/** Whether a default that depends on other fields is a constant list, not an expression. */
export function isConstantList(to: DefaultRuleModel["to"]): to is readonly JsonValue[] {
  return Array.isArray(to)
}

/** How a default is applied. */
export interface AppliedDefault {
  readonly value: JsonValue
  /** The value of an absent field that is not a pointer, where that is not empty: `0s`, `0`, a struct. */
  readonly zero?: JsonValue
}

/**
 * Called for each field when defaults are emitted. Undefined when there is no default, or when an absent field reads as
 * it anyway: such a default is only published.
 */
export function appliedDefault(field: FieldModel, shapeOf: ShapeOf): AppliedDefault | undefined {
  if (field.default === undefined) return undefined
  const value = decoded(field, field.default, shapeOf)
  const zero = decoded(field, undefined, shapeOf)
  if (value === undefined || value === null || equals(value, zero)) return undefined
  return { value, ...(zero !== undefined && nonZero(zero) && { zero }) }
}

/** The field's value in an object with this field alone; undefined is absent. */
function decoded(field: FieldModel, value: JsonValue | undefined, shapeOf: ShapeOf): JsonValue | undefined {
  const shape: TypeShape = { name: "default", fields: [fieldShape({ ...field, inline: false }, shapeOf)] }
  return normalize(shape, value === undefined ? {} : { [field.name]: value }, { typeMeta: false }).object[field.name]
}
