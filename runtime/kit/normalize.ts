/**
 * What a typed server does by decoding into its types and writing them out again: only fields that the shape knows, in its order,
 * values in canonical form, empty ones left out or written as the shape says. Everything that enters an object of a known kind passes
 * through here: bodies, results of patches and apply, stored values of the compact encoding, converted versions.
 *
 * Rules (catalog, types; the reference's JSON tags): null is absent. A pointer is written when it is there. Without pointer, the zero
 * value is left out unless `keepEmpty`; objects, and the special scalars that are structs there (Time, Quantity, IntOrString,
 * Duration, RawExtension), are always written. Null as a list item or map value is the zero value of the type.
 */
import { canonicalBase64, canonicalInteger, expectedInteger } from "./canonical.ts"
import { DecodeFault, foundText, typeFault } from "./decode-fault.ts"
import { formatDuration, parseDuration } from "./duration.ts"
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "./json.ts"
import { pathText, setField } from "./json-text.ts"
import { canonicalQuantity } from "./quantity.ts"
import type { TypeShape } from "./shape.ts"
import { isTypeMeta, itemOf, type Node, type Operation, type Plan, type PlanField, planOf, planOfNode, shortName } from "./shape-plan.ts"
import { canonicalMicroTime, canonicalTime } from "./time.ts"
import { unknownFields } from "./unknown-fields.ts"

export interface NormalizeOptions {
  /** `apiVersion` and `kind` are known at the top and stand first. Default true; false for a part of an object. */
  readonly typeMeta?: boolean
  /**
   * For run-time definitions: only unknown fields are dropped. Values that do not fit stay for the validator to report, null and empty
   * values stay, nothing is filled in. Metadata is decoded as for any kind.
   */
  readonly structural?: boolean
  /** Name unknown fields. Default true; without it they are only dropped. */
  readonly reportUnknown?: boolean
}

export interface Normalized<T extends JsonObject = ApiObject> {
  readonly object: T
  /** Paths of fields that the shape does not know, in document order, at most `strictErrorsMax`: `spec.containers[0].foo`. */
  readonly unknown: string[]
}

const noUnknown: string[] = []
const typeMetaNames = ["kind", "apiVersion"] as const
const metadataShape = "meta.v1.ObjectMeta"

/**
 * Called after every decode and every change of an object's JSON. Answers a new object that may be changed freely; only
 * values without a type of their own (RawExtension, FieldsV1, any, unknown fields that are kept) are shared with `value`. Throws DecodeFault.
 */
export function normalize(shape: TypeShape, value: JsonValue, options: NormalizeOptions = {}): Normalized {
  const typeMeta = options.typeMeta !== false
  const plan = planOf(shape)
  const walk = new Walk(options.structural === true)
  const source = value ?? {}
  if (!isObject(source)) throw walk.mismatch(source, shortName(plan.name))
  const object = walk.object(plan, source, typeMeta)
  if (!walk.unknownSeen || options.reportUnknown === false) return { object, unknown: noUnknown }
  return { object, unknown: unknownFields(plan, source, typeMeta) }
}

/** Called with a value that nothing will be made of, at a path of its document. Throws DecodeFault when it does not fit the type. */
export function checkValue(node: Node, value: JsonValue, steps: readonly (string | number)[]): void {
  if (value !== null) new Walk(false, [...steps]).value(node, value)
}

/** One pass over one document; holds the path for faults. */
class Walk {
  unknownSeen = false
  /** Fields that are there, of the objects from the root to the one at hand. */
  private readonly present: PlanField[] = []

  constructor(
    private structural: boolean,
    private readonly steps: (string | number)[] = [],
  ) {}

  object(plan: Plan, source: JsonObject, typeMeta: boolean): JsonObject {
    const { present } = this
    const first = present.length
    const unknown = this.gather(plan, source, typeMeta)
    const end = present.length
    const target: JsonObject = {}
    if (typeMeta) this.typeMeta(source, target)
    const depth = this.steps.length
    this.steps.push("")
    const fills = this.structural ? 0 : plan.fills.length
    let filled = 0
    for (let at = first; at < end; at++) {
      const field = present[at]
      if (field === undefined) continue
      if (filled < fills) filled = this.fill(target, { plan, typeMeta, from: filled, until: field.index })
      this.steps[depth] = field.name
      const result = this.field(field, source[field.name])
      if (result !== undefined) setKnown(target, field, result)
    }
    if (filled < fills) this.fill(target, { plan, typeMeta, from: filled, until: plan.fields.length })
    this.steps.pop()
    present.length = first
    if (unknown) this.unknownFields({ plan, source, target, typeMeta })
    return target
  }

  /** Puts the fields that are there behind those of the objects above, in the order of the plan; true when there are others too. */
  private gather(plan: Plan, source: JsonObject, typeMeta: boolean): boolean {
    const { present } = this
    const first = present.length
    let unknown = false
    for (const name in source) {
      // The walk of a root takes these itself, whether or not the shape names them too.
      if (source[name] === undefined || (typeMeta && isTypeMeta(name))) continue
      const field = plan.byName.get(name)
      if (field === undefined) {
        unknown = true
        continue
      }
      let at = present.length
      for (; at > first; at--) {
        const before = present[at - 1]
        if (before === undefined || before.index < field.index) break
        present[at] = before
      }
      present[at] = field
    }
    return unknown
  }

  /** Writes what stands for the absent fields that fill before the field `until`; answers how many of the plan's have been seen. */
  private fill(target: JsonObject, range: { plan: Plan; typeMeta: boolean; from: number; until: number }): number {
    const { fills } = range.plan
    let at = range.from
    for (; at < fills.length; at++) {
      const field = fills[at]
      if (field === undefined || field.index > range.until) break
      if (field.index === range.until) return at + 1
      if (!range.typeMeta || !isTypeMeta(field.name)) setKnown(target, field, this.absent(field))
    }
    return at
  }

  /** Copies `kind` and `apiVersion`, in that order. */
  private typeMeta(source: JsonObject, target: JsonObject): void {
    for (const name of typeMetaNames) {
      const value = source[name]
      if (typeof value === "string") target[name] = value
      else if (value !== undefined && value !== null) {
        this.steps.push(name)
        throw this.mismatch(value, "string")
      }
    }
  }

  private unknownFields(at: { plan: Plan; source: JsonObject; target: JsonObject; typeMeta: boolean }): void {
    for (const name of Object.keys(at.source)) {
      const value = at.source[name]
      if (value === undefined || at.plan.byName.has(name) || (at.typeMeta && isTypeMeta(name))) continue
      if (at.plan.preserveUnknown) setField(at.target, name, value)
      else this.unknownSeen = true
    }
  }

  /** The value to write, undefined for none. */
  private field(field: PlanField, value: JsonValue | undefined): JsonValue | undefined {
    if (this.structural) return value === undefined ? undefined : this.structuralValue(field.node, value)
    if (value === undefined || value === null) return field.fills ? this.absent(field) : undefined
    const result = this.value(field.node, value)
    if (field.pointer) return result === null ? undefined : result
    return isEmpty(field.node.operation, result) ? this.empty(field, result) : result
  }

  private absent(field: PlanField): JsonValue {
    return field.pointer ? null : this.zero(field.node, false)
  }

  /** A present zero value without pointer: left out, or written in the form an absent one would have. */
  private empty(field: PlanField, result: JsonValue): JsonValue | undefined {
    if (!field.keepEmpty) return undefined
    return field.node.operation === "string" ? result : this.zero(field.node, false)
  }

  /** What stands for "nothing": as a field, empty lists, maps and bytes are null; as an item bytes are "". */
  private zero(node: Node, item: boolean): JsonValue {
    switch (node.operation) {
      case "string":
        return ""
      case "boolean":
        return false
      case "int32":
      case "int64":
      case "double":
      case "IntOrString":
        return 0
      case "bytes":
        return item ? "" : null
      case "Quantity":
        return "0"
      case "Duration":
        return "0s"
      case "object":
        return this.object(planOfNode(node), {}, false)
      default:
        return null
    }
  }

  value(node: Node, value: JsonValue): JsonValue {
    switch (node.operation) {
      case "string":
        if (typeof value !== "string") throw this.mismatch(value, "string")
        return value
      case "boolean":
        if (typeof value !== "boolean") throw this.mismatch(value, "bool")
        return value
      case "object":
        if (!isObject(value)) throw this.mismatch(value, node.typeText())
        return this.object(planOfNode(node), value, false)
      case "list":
        if (!Array.isArray(value)) throw this.mismatch(value, node.typeText())
        return this.list(node, value)
      case "map":
        if (!isObject(value)) throw this.mismatch(value, node.typeText())
        return this.map(node, value)
      case "int32":
      case "int64": {
        const integer = canonicalInteger(node.operation, value)
        if (integer === undefined) throw this.mismatch(value, node.operation, expectedInteger(node.operation))
        return integer
      }
      default:
        return this.special(node.operation, value)
    }
  }

  private special(operation: Operation, value: JsonValue): JsonValue {
    switch (operation) {
      case "double":
        if (typeof value !== "number" && typeof value !== "bigint") throw this.mismatch(value, "float64")
        return Number(value)
      case "bytes":
        return this.bytes(value)
      case "IntOrString":
        if (typeof value === "string") return value
        if (canonicalInteger("int32", value) === undefined)
          throw this.mismatch(value, "IntOrString", `a text or ${expectedInteger("int32")}`)
        return value
      case "Quantity":
        if (typeof value === "object") throw this.mismatch(value, "Quantity", 'a quantity such as "500m" or "1Gi"')
        return this.read(() => canonicalQuantity(value))
      case "FieldsV1":
        if (!isObject(value)) throw this.mismatch(value, "FieldsV1")
        return value
      case "Time":
      case "MicroTime":
      case "Duration":
        if (typeof value !== "string") throw this.mismatch(value, operation)
        if (operation === "Duration") return this.read(() => formatDuration(parseDuration(value)))
        return this.read(() => (operation === "Time" ? canonicalTime(value) : canonicalMicroTime(value)))
      default:
        return value
    }
  }

  private bytes(value: JsonValue): string {
    // A list of bytes is what a byte field is to a typed decoder, so it takes that form too.
    if (Array.isArray(value)) return Buffer.from(value.map((item) => this.byte(item))).toString("base64")
    if (typeof value !== "string") throw this.mismatch(value, "bytes", "base64 text")
    const canonical = canonicalBase64(value)
    if (canonical === undefined) throw new DecodeFault(`illegal base64 data in field ${pathText(this.steps)}`, pathText(this.steps))
    return canonical
  }

  private byte(value: JsonValue): number {
    if (value === null) return 0
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255) return value
    throw this.mismatch(value, "bytes", "base64 text, or a list of whole numbers from 0 to 255")
  }

  /** Runs a reader of texts and says where the text stands when it does not take it. */
  private read<T>(reader: () => T): T {
    try {
      return reader()
    } catch (error) {
      const field = pathText(this.steps)
      throw new DecodeFault(`${error instanceof Error ? error.message : String(error)} in field ${field}`, field)
    }
  }

  private list(node: Node, source: JsonValue[]): JsonValue[] {
    const item = itemOf(node)
    if (item.operation === "string" && source.every(isText)) return source.slice()
    const depth = this.steps.length
    this.steps.push(0)
    const target: JsonValue[] = []
    for (let index = 0; index < source.length; index++) {
      this.steps[depth] = index
      const value = source[index] ?? null
      target.push(value === null ? this.zero(item, true) : this.value(item, value))
    }
    this.steps.pop()
    return target
  }

  private map(node: Node, source: JsonObject): JsonObject {
    const item = itemOf(node)
    const names = Object.keys(source)
    if (item.operation === "string" && sortedTexts(source, names)) return { ...source }
    const depth = this.steps.length
    this.steps.push("")
    const target: JsonObject = {}
    for (const name of names.sort()) {
      this.steps[depth] = name
      const value = source[name]
      if (value !== undefined) setField(target, name, value === null ? this.zero(item, true) : this.value(item, value))
    }
    this.steps.pop()
    return target
  }

  /** Run-time definitions: drops unknown fields wherever the value has the type's form, and leaves everything else alone. */
  private structuralValue(node: Node, value: JsonValue): JsonValue {
    if (node.operation === "object" && isObject(value)) {
      const plan = planOfNode(node)
      if (plan.name === metadataShape) return this.metadata(plan, value)
      return this.object(plan, value, false)
    }
    if (node.operation === "list" && Array.isArray(value)) return value.map((item) => this.structuralValue(itemOf(node), item))
    if (node.operation !== "map" || !isObject(value)) return value
    const target: JsonObject = {}
    for (const name of Object.keys(value)) setField(target, name, this.structuralValue(itemOf(node), value[name] ?? null))
    return target
  }

  private metadata(plan: Plan, value: JsonObject): JsonObject {
    this.structural = false
    const metadata = this.object(plan, value, false)
    this.structural = true
    return metadata
  }

  /** `json: cannot unmarshal string into field spec.containers of type []v1.Container`. */
  mismatch(value: JsonValue, type: string, expected?: string): DecodeFault {
    return typeFault({ found: foundText(value), field: pathText(this.steps), type, expected })
  }
}

function setKnown(target: JsonObject, field: PlanField, value: JsonValue): void {
  if (field.inherited) setField(target, field.name, value)
  else target[field.name] = value
}

function isText(value: JsonValue): boolean {
  return typeof value === "string"
}

/** True when a map of texts can be copied as it is: every value a text, names in the order in which maps are written. */
function sortedTexts(source: JsonObject, names: readonly string[]): boolean {
  let previous = ""
  for (const name of names) {
    if (typeof source[name] !== "string" || name < previous) return false
    previous = name
  }
  return true
}

function isEmpty(operation: Operation, value: JsonValue): boolean {
  switch (operation) {
    case "string":
    case "bytes":
      return value === ""
    case "boolean":
      return value === false
    case "int32":
    case "int64":
    case "double":
      return value === 0
    case "list":
      return Array.isArray(value) && value.length === 0
    case "map":
      for (const _name in value as JsonObject) return false // The walk has just made it an object.
      return true
    default:
      return false
  }
}
