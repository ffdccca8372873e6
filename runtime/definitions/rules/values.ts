/**
 * Custom objects as values of expressions. JSON is read by its schema when an expression asks for it: `date-time` texts
 * are timestamps, maps and sets by key compare without their order.
 */
import {
  Double,
  Duration,
  type CelType,
  equal,
  ListValue,
  MapValue,
  OpaqueValue,
  opaqueType,
  parseTimestamp,
  Timestamp,
  type Value,
} from "../../../cel/index.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepEqual, ownField } from "../../encoding/field-path.ts"
import type { Structural } from "../structural.ts"
import { durationOf } from "./durations.ts"
import { escapeName } from "./escape.ts"
import { listKey } from "./list-key.ts"
import { withTypeAndNames } from "./with-type.ts"

/**
 * The value of JSON by its schema. What does not fit the schema has the value of its JSON: objects are validated before
 * rules read them.
 */
export function valueOf(json: JsonValue, schema: Structural): Value {
  if (json === null) return null
  switch (typeof json) {
    case "string":
      return schema.intOrString || schema.type !== "string" ? unknownOr(json, schema) : textValue(json, schema)
    case "number":
    case "bigint":
      if (schema.type === "number" && !schema.intOrString) return new Double(Number(json))
      return typeof json === "number" && !Number.isInteger(json) ? new Double(json) : unknownOr(json, schema)
    case "boolean":
      return unknownOr(json, schema)
  }
  if (Array.isArray(json)) return schema.type === "array" && schema.items !== undefined ? listValue(json, schema, schema.items) : preserved(json)
  return schema.type === "object" ? objectValue(json, schema) : preserved(json)
}

function unknownOr(json: string | number | bigint | boolean, schema: Structural): Value {
  return schema.type === undefined && !schema.intOrString ? preserved(json) : json
}

function textValue(text: string, { source: { format } }: Structural): Value {
  switch (format) {
    case "date":
      return timestampOr(`${text}T00:00:00Z`, text)
    case "date-time":
      return text === "" ? new Timestamp(0, 0) : timestampOr(text.toUpperCase(), text)
    case "duration": {
      const nanos = durationOf(text)
      return nanos === undefined ? text : new Duration(nanos)
    }
    case "byte":
      return Buffer.from(text, "base64")
    default:
      return text
  }
}

function timestampOr(time: string, text: string): Value {
  const parsed = parseTimestamp(time)
  return parsed instanceof Timestamp ? parsed : text
}

function listValue(items: readonly JsonValue[], schema: Structural, itemSchema: Structural): ListValue {
  if (schema.listType === "set") return new JsonSet(items, itemSchema)
  if (schema.listType === "map") return new JsonListMap(items, itemSchema, schema.listMapKeys)
  return new JsonList(items, itemSchema)
}

function objectValue(object: JsonObject, schema: Structural): MapValue {
  const complete = schema.embedded ? withTypeAndNames(schema) : schema
  if (complete.properties.size > 0) return new JsonFields(object, complete)
  const { additionalProperties } = complete
  return new JsonMap(object, typeof additionalProperties === "object" ? additionalProperties : undefined)
}

/** A list whose elements are read by one schema. */
class JsonList extends ListValue {
  private values: Value[] | undefined

  constructor(
    protected readonly items: readonly JsonValue[],
    protected readonly itemSchema: Structural,
  ) {
    super()
  }

  get size(): number {
    return this.items.length
  }

  at(index: number): Value {
    return valueOf(this.items[index] ?? null, this.itemSchema)
  }

  toArray(): readonly Value[] {
    this.values ??= this.items.map((item) => valueOf(item, this.itemSchema))
    return this.values
  }
}

/** A set: its order does not matter, and `+` is the union. */
class JsonSet extends JsonList {
  override matches(other: ListValue): boolean {
    const known = new Set(this.items.map(setKey))
    return other.toArray().every((value) => known.has(setKey(plain(value))))
  }

  override join(other: ListValue): ListValue {
    const known = new Set(this.items.map(setKey))
    const more: Value[] = []
    for (const value of other.toArray()) {
      const key = setKey(plain(value))
      if (known.has(key)) continue
      known.add(key)
      more.push(value)
    }
    return new ValueList([...this.toArray(), ...more])
  }
}

/** A list by key: its order does not matter, and `+` replaces the elements with the same keys. */
class JsonListMap extends JsonList {
  constructor(
    items: readonly JsonValue[],
    itemSchema: Structural,
    private readonly keys: readonly string[],
  ) {
    super(items, itemSchema)
  }

  override matches(other: ListValue): boolean {
    const byKey = new Map(this.toArray().map((value) => [this.keyOf(value), value]))
    return other.toArray().every((value) => {
      const own = byKey.get(this.keyOf(value))
      return own !== undefined && equal(own, value)
    })
  }

  override join(other: ListValue): ListValue {
    const byKey = new Map(this.toArray().map((value) => [this.keyOf(value), value]))
    for (const value of other.toArray()) byKey.set(this.keyOf(value), value)
    return new ValueList([...byKey.values()])
  }

  private keyOf(value: Value): string | undefined {
    return value instanceof JsonFields ? listKey(value.object, this.keys) : undefined
  }
}

/** The result of joining sets and lists by key. */
class ValueList extends ListValue {
  constructor(private readonly values: readonly Value[]) {
    super()
  }

  get size(): number {
    return this.values.length
  }

  at(index: number): Value {
    return this.values[index] ?? null
  }

  toArray(): readonly Value[] {
    return this.values
  }
}

/** An object with properties. A field that is null is absent. */
class JsonFields extends MapValue {
  private readonly fields: ReadonlyMap<string, FieldOfObject>

  constructor(
    readonly object: JsonObject,
    schema: Structural,
  ) {
    super()
    this.fields = fieldsOf(schema)
  }

  get size(): number {
    return Object.keys(this.object).length
  }

  find(key: Value): Value | undefined {
    const field = typeof key === "string" ? this.fields.get(key) : undefined
    if (field === undefined) return undefined
    const value = ownField(this.object, field.name)
    return value === undefined || value === null ? undefined : valueOf(value, field.schema)
  }

  keys(): readonly Value[] {
    const keys: Value[] = []
    for (const [escaped, { name }] of this.fields) if (ownField(this.object, name) !== undefined) keys.push(escaped)
    return keys
  }
}

interface FieldOfObject {
  readonly name: string
  readonly schema: Structural
}

const fieldMaps = new WeakMap<Structural, ReadonlyMap<string, FieldOfObject>>()

/** The fields of an object by the names that expressions use. A field without such a name keeps its own. */
function fieldsOf(schema: Structural): ReadonlyMap<string, FieldOfObject> {
  let fields = fieldMaps.get(schema)
  if (fields === undefined) {
    const entries = [...schema.properties].map(([name, property]) => [escapeName(name) ?? name, { name, schema: property }] as const)
    fields = new Map(entries)
    fieldMaps.set(schema, fields)
  }
  return fields
}

/** An object without properties: keys are data. Without a schema no key is found. */
class JsonMap extends MapValue {
  constructor(
    private readonly object: JsonObject,
    private readonly valueSchema: Structural | undefined,
  ) {
    super()
  }

  get size(): number {
    return Object.keys(this.object).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string" || this.valueSchema === undefined) return undefined
    const value = ownField(this.object, key)
    return value === undefined ? undefined : valueOf(value, this.valueSchema)
  }

  keys(): readonly Value[] {
    return this.valueSchema === undefined ? [] : Object.keys(this.object)
  }
}

/** A value without a schema: expressions can only compare it. */
class PreservedValue extends OpaqueValue {
  get type(): CelType {
    return preservedType
  }

  constructor(readonly json: JsonValue) {
    super()
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof PreservedValue && deepEqual(this.json, other.json)
  }
}

const preservedType = opaqueType("unknown")

function preserved(json: JsonValue): Value {
  return new PreservedValue(json)
}

/** Items of sets are scalars, or objects and lists that are compared as a whole. */
function setKey(item: JsonValue): string {
  return typeof item === "object" && item !== null ? JSON.stringify(item) : `${typeof item}:${String(item)}`
}

/** A scalar of an expression as JSON has it. */
function plain(value: Value): JsonValue {
  if (value instanceof Double) return value.value
  if (value === null || typeof value !== "object") return value
  return isObject(value) ? String(value) : null
}
