/**
 * Constant defaults: their canonical form, and defaults that take a value away from clients. A field that is not a
 * pointer has no absent state, so its default also replaces a zero that a client sends.
 */
import type { JsonValue } from "../../runtime/base/json.ts"
import { DecodeFault } from "../../runtime/encoding/json/decode-fault.ts"
import { canonicalConstant } from "../../model/defaults.ts"
import type { FieldModel } from "../../model/model.ts"
import type { Block } from "./block.ts"
import type { SourceFile } from "./source.ts"
import type { TypeTable } from "./type-table.ts"
import { shownType } from "./type-text.ts"

interface Context {
  readonly block: Block
  readonly source: SourceFile
  readonly table: TypeTable
}

/** Called for each field whose default, if any, has the form of its type. */
export function checkDefault(model: FieldModel, context: Context): void {
  const { block, source } = context
  if (block.has("zero") && (model.default === undefined || model.pointer))
    source.report(block.start("zero"), {
      found: `zero: absent on a field ${model.pointer ? "that is a pointer" : "without a default"}`,
      expected: "a default on a field that is not a pointer",
    })
  if (model.default === undefined) return
  const value = canonical(model, model.default, context)
  if (value !== undefined && !model.pointer) checkZero(model, value, context)
}

/** The field with its default in canonical form; a default that is not valid, which is reported, stays as it is. */
export function withCanonicalDefault(model: FieldModel, table: TypeTable): FieldModel {
  if (model.default === undefined) return model
  try {
    const value = canonicalConstant(model, model.default, table.shapeOf)
    return value === undefined ? model : { ...model, default: value }
  } catch (error) {
    if (error instanceof DecodeFault) return model
    throw error
  }
}

/**
 * The constant list of a default that depends on other fields, in canonical form. Undefined, and reported, if it does
 * not fit.
 */
export function canonicalList(
  value: readonly JsonValue[],
  field: FieldModel | undefined,
  context: Context,
): readonly JsonValue[] | undefined {
  if (field === undefined) return undefined
  const made = canonical(field, [...value], context, "to")
  return Array.isArray(made) ? made : undefined
}

function canonical(model: FieldModel, value: JsonValue, { block, source, table }: Context, word = "default"): JsonValue | undefined {
  const found = `the default ${typeof value === "object" ? `for ${model.name}` : JSON.stringify(value)}`
  try {
    const made = canonicalConstant(model, value, table.shapeOf)
    if (made === undefined)
      source.report(block.start(word), { found: `${found}, which reads as absent`, expected: "another value, or no default" })
    return made
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    source.report(block.start(word), { found: `${found}: ${error.message}`, expected: `a value of type ${shownType(model.type)}` })
    return undefined
  }
}

/** A zero that the schema allows and that no client can set. */
function checkZero(model: FieldModel, value: JsonValue, { block, source }: Context): void {
  const zero = zeroOf(model, value)
  if (zero === undefined || value === zero) return
  const shown = JSON.stringify(value)
  if (zero === false) {
    source.report(block.start("default"), {
      found: "the default true on a boolean that is not a pointer: a client can never set false",
      expected: "pointer: true beside the default",
    })
    return
  }
  if (block.has("zero")) return
  source.warn(block.start("default"), {
    found: `the default ${shown} on a field that is not a pointer: a client that sends ${JSON.stringify(zero)} gets ${shown}`,
    expected: "pointer: true, limits that exclude it, or zero: absent if it is meant",
  })
}

/** The zero value, if the limits of the field allow it. An empty text counts only where the enum lists it. */
function zeroOf({ type, enum: values, minimum, maximum }: FieldModel, value: JsonValue): JsonValue | undefined {
  if (!("scalar" in type)) return undefined
  const within = (minimum === undefined || minimum <= 0) && (maximum === undefined || maximum >= 0)
  const allowed = (zero: JsonValue): JsonValue | undefined => (within && values?.includes(zero) !== false ? zero : undefined)
  switch (type.scalar) {
    case "boolean":
      return allowed(false)
    case "int32":
    case "int64":
    case "double":
      return allowed(0)
    case "IntOrString":
      return typeof value === "string" ? undefined : allowed(0)
    case "Duration":
      return allowed("0s")
    case "Quantity":
      return allowed("0")
    case "string":
      return values?.includes("") === true ? "" : undefined
    default:
      return undefined
  }
}
