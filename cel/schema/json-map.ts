import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { equal } from "../values/equal.ts"
import { isError, noSuchOverload } from "../values/error.ts"
import { type ErrorValue, MapValue, type Result, type Value } from "../values/value.ts"
import { escapeName, unescapeName } from "./escape.ts"
import type { FieldReader, Reader } from "./reader.ts"
import { sameJson } from "./same-json.ts"
import { chargeWork } from "../work.ts"

/** Names that are visited in the time of a unit of work; more than a few count. */
const namesPerUnit = 4
const fewNames = 16

/** Base of maps and objects over JSON. */
abstract class JsonKeyed extends MapValue {
  constructor(readonly json: JsonObject) {
    super()
  }

  /** Fields that the schema does not declare count too. */
  get size(): number {
    let size = 0
    for (const _ in this.json) size++
    if (size > fewNames) chargeWork(size / namesPerUnit)
    return size
  }

  /** The JSON under a property's own name. */
  protected own(property: string): JsonValue | undefined {
    return Object.hasOwn(this.json, property) ? this.json[property] : undefined
  }

  /** The value of a property, by its own name; undefined when the schema does not declare it. */
  abstract readProperty(property: string): Result | undefined

  override matches(other: MapValue): boolean | ErrorValue {
    if (this.size !== other.size) return false
    for (const property of Object.keys(this.json)) {
      const same = this.sameAt(property, other)
      if (same !== true) return same
    }
    return true
  }

  private sameAt(property: string, other: MapValue): boolean | ErrorValue {
    const value = this.readProperty(property)
    if (value === undefined) return this.sameUnknown(property, other)
    const otherValue = other.find(property)
    if (otherValue === undefined) return false
    if (isError(value)) return value
    return isError(otherValue) ? otherValue : equal(value, otherValue)
  }

  /** Fields without a schema are compared as JSON. A field that the other object lacks is ignored. */
  private sameUnknown(property: string, other: MapValue): boolean | ErrorValue {
    if (!(other instanceof JsonKeyed)) return noSuchOverload()
    const json = other.own(property)
    return json === undefined || sameJson(this.json[property] ?? null, json)
  }
}

/** A map whose values have one schema. */
export class JsonMap extends JsonKeyed {
  constructor(
    json: JsonObject,
    private readonly read: Reader,
  ) {
    super(json)
  }

  find(key: Value): Result | undefined {
    return typeof key === "string" ? this.readProperty(key) : undefined
  }

  readProperty(property: string): Result | undefined {
    const json = this.own(property)
    return json === undefined ? undefined : this.read(json)
  }

  keys(): readonly string[] {
    const keys = Object.keys(this.json)
    if (keys.length > fewNames) chargeWork(keys.length / namesPerUnit)
    return keys
  }
}

/** An object with named fields. A field that is null is absent. */
export class JsonObjectValue extends JsonKeyed {
  constructor(
    json: JsonObject,
    private readonly fields: ReadonlyMap<string, FieldReader>,
  ) {
    super(json)
  }

  find(key: Value): Result | undefined {
    if (typeof key !== "string") return undefined
    const field = this.fields.get(key) ?? this.fieldNamed(unescapeName(key))
    if (field === undefined) return undefined
    const json = this.own(field.property)
    return json === undefined || json === null ? undefined : field.read(json)
  }

  /** Finds a field by the property's own name. */
  private fieldNamed(property: string | undefined): FieldReader | undefined {
    return property === undefined ? undefined : this.fields.get(escapeName(property) ?? property)
  }

  readProperty(property: string): Result | undefined {
    const json = this.own(property)
    return json === undefined ? undefined : this.fieldNamed(property)?.read(json)
  }

  keys(): readonly string[] {
    if (this.fields.size > fewNames) chargeWork(this.fields.size / namesPerUnit)
    const keys: string[] = []
    for (const [name, { property }] of this.fields) if (Object.hasOwn(this.json, property)) keys.push(name)
    return keys
  }
}
