/** Objects as CEL values, by the types of the schemas: the values that expressions of the dialect read. */
import { Double, isError, listOf, mapOf, MapValue, type Result, type Value } from "../../cel/index.ts"
import { findField } from "../../codegen/emit/expression.ts"
import { celValueOf } from "../../model/expression/library.ts"
import type { FieldModel, Model, TypeRefModel } from "../../model/model.ts"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { duration, nonZero, quantity, time } from "../../runtime/schema/expression.ts"

const zeroes: Readonly<Record<string, Value>> = { string: "", boolean: false, int32: 0, int64: 0, double: new Double(0) }

/** An object of a type: fields that are no pointers read as zero where they are absent, structs as empty. */
export class ObjectValue extends MapValue {
  constructor(
    private readonly model: Model,
    private readonly type: string,
    readonly json: JsonObject,
  ) {
    super()
  }

  get size(): number {
    return this.keys().length
  }

  keys(): readonly Value[] {
    return Object.keys(this.json).filter((key) => isPresent(this.json[key]))
  }

  find(key: Value): Result | undefined {
    const sent = this.findSent(key)
    const field = this.field(key)
    if (sent !== undefined || field === undefined || field.pointer) return sent
    if ("ref" in field.type) return new ObjectValue(this.model, field.type.ref, {})
    return "scalar" in field.type ? zeroes[field.type.scalar] : undefined
  }

  override findSent(key: Value): Result | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.json, key)) return undefined
    return celOf(this.model, this.field(key)?.type, this.json[key])
  }

  override has(key: Value): boolean {
    const field = this.field(key)
    const value = typeof key === "string" && Object.hasOwn(this.json, key) ? this.json[key] : undefined
    return field === undefined || field.pointer ? value !== undefined && value !== null : nonZero(value)
  }

  private field(key: Value): FieldModel | undefined {
    return typeof key === "string" ? findField(this.model, this.type, key) : undefined
  }
}

/** A value of a field; undefined for null, which reads as absent. Without a type: as it is. */
export function celOf(model: Model, type: TypeRefModel | undefined, json: JsonValue | undefined): Result | undefined {
  if (json === undefined || json === null) return undefined
  if (type === undefined || "union" in type) return celValueOf(json)
  if ("scalar" in type) {
    switch (type.scalar) {
      case "Quantity":
        return celValueOf(quantity(json))
      case "Duration":
        return celValueOf(duration(json))
      case "Time":
      case "MicroTime":
        return celValueOf(time(json))
      default:
        return celValueOf(json, type.scalar === "double")
    }
  }
  if ("ref" in type) return isObject(json) ? new ObjectValue(model, type.ref, json) : undefined
  if ("map" in type) {
    const entries = isObject(json) ? Object.entries(json) : []
    return mapOf(entries.filter(([, value]) => isPresent(value)).map(([key, value]) => [key, presentValue(celOf(model, type.map, value))]))
  }
  const item = "list" in type ? type.list : type.wrappedList
  return listOf(Array.isArray(json) ? json.map((one: JsonValue) => presentValue(celOf(model, item, one))) : [])
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null
}

function presentValue(result: Result | undefined): Value {
  return result === undefined || isError(result) ? null : result
}
