/** The pass of `normalize.ts` over a document. */
import { canonicalBase64, canonicalDouble, canonicalInteger, expectedInteger } from "./canonical.ts"
import { DecodeFault, foundText, typeFault } from "./json/decode-fault.ts"
import { hasSurrogate, sortByBytes } from "../base/byte-order.ts"
import { formatDuration, parseDuration } from "../base/duration.ts"
import type { Stages } from "../base/turns.ts"
import { copyFields } from "./field-path.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { pathText, setField } from "./json/text.ts"
import { forceDictionaryMode, manyFields } from "./json/many-fields.ts"
import { canonicalQuantity } from "../base/quantity.ts"
import { objectFieldsMax } from "../base/limits.ts"
import { emptyUnion, memberOf } from "../schema/unions.ts"
import type { AtomicList, SentForms } from "./sent-forms.ts"
import { ownValue } from "./settled.ts"
import { isTypeMeta, shapeItemOf, type ShapeNode, type ShapeOperation, type ShapePlan, type ShapeField, planOfNode } from "./shape-plan.ts"
import { canonicalMicroTime, canonicalTime } from "../base/time.ts"
import { tooManyFields, tooManyValues, unboundedValues } from "./value-bounds.ts"

const typeMetaNames = ["kind", "apiVersion"] as const

/** A list from the item `from` to its end. */
interface ListPart {
  readonly item: ShapeNode
  readonly source: readonly JsonValue[]
  readonly target: JsonValue[]
  readonly from: number
}

/** A map from the field `from` to its end. */
interface MapPart {
  readonly item: ShapeNode
  readonly source: JsonObject
  readonly target: JsonObject
  /** In the order of writing. */
  readonly names: readonly string[]
  readonly from: number
}

/** The part of a container that did not fit into a turn. */
interface PendingPart {
  readonly part: ListPart | MapPart
  readonly steps: readonly (string | number)[]
  readonly quiet: boolean
  readonly list: AtomicList | undefined
}

/** One pass over one document. Keeps the current path for errors. */
export class NormalizeWalk {
  unknownSeen = false
  /** Present fields of the objects from the root to the current one. */
  private readonly present: ShapeField[] = []
  /** Values written so far, and the number at which the turn ends. */
  private written = 0
  private turnEnd = unboundedValues
  private readonly left: PendingPart[] = []
  /** Unknown fields go unnoticed here. */
  private quiet = false
  /** Collects values whose stored form differs from the document's; undefined where no caller needs them. */
  sent: SentForms | undefined

  constructor(
    private readonly maxValues = unboundedValues,
    private steps: (string | number)[] = [],
    private readonly stored = false,
  ) {}

  /** Ends the turn after this many values: containers stay incomplete until `rest`. */
  endTurnAfter(values: number): void {
    this.turnEnd = this.written + values
  }

  /** Whether a turn ended before everything was written. */
  get isLeft(): boolean {
    return this.left.length > 0
  }

  /**
   * Writes the remaining parts, in steps. Errors in them surface after some errors that follow them in the document.
   */
  *rest(pieceValues: number): Stages<void> {
    for (let next = this.left.pop(); next !== undefined; next = this.left.pop()) {
      yield
      const { part } = next
      this.endTurnAfter(pieceValues)
      this.steps = [...next.steps]
      this.quiet = next.quiet
      if (this.sent !== undefined) this.sent.list = next.list
      if ("names" in part) this.fields(part)
      else this.items(part)
    }
  }

  private count(values: number): void {
    this.written += values
    if (this.written > this.maxValues) throw tooManyValues(this.maxValues)
  }

  /** `unchanged`: fields that are copied. */
  object(plan: ShapePlan, source: JsonObject, typeMeta: boolean, unchanged?: ReadonlySet<string>): JsonObject {
    const { present } = this
    const first = present.length
    const unknown = this.gather(plan, source, typeMeta)
    const end = present.length
    this.count(end - first)
    const target: JsonObject = {}
    if (typeMeta) this.typeMeta(source, target)
    const depth = this.steps.length
    this.steps.push("")
    const fills = plan.fills.length
    let filled = 0
    for (let at = first; at < end; at++) {
      const field = present[at]
      if (field === undefined) continue
      if (filled < fills) filled = this.fill(target, { plan, typeMeta, from: filled, until: field.index })
      this.steps[depth] = field.name
      const value = source[field.name]
      const result = unchanged?.has(field.name) === true && value !== undefined ? ownValue(value) : this.field(field, value)
      if (result !== undefined) setKnown(target, field, result)
    }
    if (filled < fills) this.fill(target, { plan, typeMeta, from: filled, until: plan.fields.length })
    this.steps.pop()
    present.length = first
    if (unknown) this.unknownFields({ plan, source, target, typeMeta })
    return target
  }

  /**
   * Appends the object's present fields to the fields of the objects above, sorted as in the plan. Returns whether it
   * has unknown fields.
   */
  private gather(plan: ShapePlan, source: JsonObject, typeMeta: boolean): boolean {
    const { present } = this
    const first = present.length
    let unknown = false
    for (const name in source) {
      // The root handles these two itself, whether or not the shape names them.
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

  /**
   * Writes the default form of absent fields that precede the field `until`. Returns how many of `plan.fills` have been
   * handled.
   */
  private fill(target: JsonObject, range: { plan: ShapePlan; typeMeta: boolean; from: number; until: number }): number {
    const { fills } = range.plan
    let at = range.from
    for (; at < fills.length; at++) {
      const field = fills[at]
      if (field === undefined || field.index > range.until) break
      if (field.index === range.until) return at + 1
      this.count(1)
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

  private unknownFields(at: { plan: ShapePlan; source: JsonObject; target: JsonObject; typeMeta: boolean }): void {
    if (!at.plan.preserveUnknown) {
      if (!this.quiet) this.unknownSeen = true
      return
    }
    for (const name of Object.keys(at.source)) {
      const value = at.source[name]
      if (value === undefined || at.plan.byName.has(name) || (at.typeMeta && isTypeMeta(name))) continue
      setField(at.target, name, value)
    }
  }

  /** The value to write; undefined for none. */
  private field(field: ShapeField, value: JsonValue | undefined): JsonValue | undefined {
    if (value === undefined || value === null) return field.fills ? this.absent(field) : value === null && field.nullable ? null : undefined
    const result = field.isAtomicList && this.sent !== undefined ? this.atomicList(field, value, this.sent) : this.value(field.node, value)
    if (field.pointer) return result === null && !field.fills ? undefined : result
    return isEmpty(field.node.operation, result) ? this.empty(field, result) : result
  }

  private atomicList(field: ShapeField, value: JsonValue, sent: SentForms): JsonValue {
    const outer = sent.list
    sent.list ??= { steps: this.steps.length, isFound: false }
    const result = this.value(field.node, value)
    sent.list = outer
    return result
  }

  private absent(field: ShapeField): JsonValue {
    // The reference keeps no text for an amount that was not sent.
    if (field.node.operation === "Quantity" && !field.pointer) this.sent?.addWithin(this.steps)
    return field.pointer ? null : this.zero(field.node, false)
  }

  /** A zero value that is present and not a pointer: omitted, or written as an absent one would be. */
  private empty(field: ShapeField, result: JsonValue): JsonValue | undefined {
    if (typeof result === "object" || field.node.operation === "bytes") this.sent?.addEmpty(this.steps, field.keepEmpty)
    if (!field.keepEmpty) return undefined
    return field.node.operation === "string" ? result : this.zero(field.node, false)
  }

  /** The empty value of a type: as a field, empty lists, maps and bytes are null; as an item they are [], {} and "". */
  private zero(node: ShapeNode, item: boolean): JsonValue {
    switch (node.operation) {
      case "string":
        return ""
      case "constant":
        return node.constant ?? null
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
      case "list":
        return item ? [] : null
      case "map":
        return item ? {} : null
      case "union":
        return this.value(node, emptyUnion(planOfNode(node).fields))
      default:
        return null
    }
  }

  value(node: ShapeNode, value: JsonValue): JsonValue {
    switch (node.operation) {
      case "string":
        if (typeof value !== "string") throw this.mismatch(value, "string")
        return value
      case "constant":
        if (typeof value !== "string") throw this.mismatch(value, "string")
        return node.constant ?? null
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
      case "union":
        return this.union(node, value)
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

  private special(operation: ShapeOperation, value: JsonValue): JsonValue {
    switch (operation) {
      case "double":
        if (typeof value !== "number" && typeof value !== "bigint") throw this.mismatch(value, "float64")
        return canonicalDouble(value)
      case "bytes":
        return this.bytes(value)
      case "IntOrString":
        if (typeof value === "string") return value
        if (canonicalInteger("int32", value) === undefined)
          throw this.mismatch(value, "IntOrString", `a text or ${expectedInteger("int32")}`)
        return value
      case "Quantity":
        if (typeof value === "object") throw this.mismatch(value, "Quantity", 'a quantity such as "500m" or "1Gi"')
        return this.quantity(value)
      case "Time":
      case "MicroTime":
      case "Duration":
        if (typeof value !== "string") throw this.mismatch(value, operation)
        if (operation === "Duration") return this.read(() => formatDuration(parseDuration(value)))
        return operation === "Time" ? this.time(value) : this.read(() => canonicalMicroTime(value))
      default:
        return value
    }
  }

  private quantity(value: JsonValue): string {
    const read = this.read(() => canonicalQuantity(value))
    this.sent?.addQuantity(this.steps, value, read)
    return read
  }

  private time(value: string): string | null {
    const read = this.read(() => canonicalTime(value))
    if (value.includes(".")) this.sent?.addWithin(this.steps)
    return read
  }

  /**
   * Unknown fields below a union are dropped without notice, as in the reference, whose unions read their members
   * themselves. A stored value that is older than the union, and fits no member, is absent.
   */
  private union(node: ShapeNode, value: JsonValue): JsonValue {
    const members = planOfNode(node).fields
    const member = memberOf(members, value)
    if (member === undefined) {
      if (this.stored) return null
      throw this.mismatch(value, node.typeText(), members.map(({ name }) => name).join(" or "))
    }
    const outer = this.quiet
    this.quiet = true
    const result = this.value(member.node, value)
    this.quiet = outer
    return result
  }

  private bytes(value: JsonValue): string {
    // A typed decoder reads a list of bytes into a bytes field, so this form is valid too.
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

  /** Runs a parser of strings and adds the path to its errors. */
  private read<T>(reader: () => T): T {
    try {
      return reader()
    } catch (error) {
      const field = pathText(this.steps)
      throw new DecodeFault(`${error instanceof Error ? error.message : String(error)} in field ${field}`, field)
    }
  }

  private list(node: ShapeNode, source: JsonValue[]): JsonValue[] {
    const item = shapeItemOf(node)
    if (item.operation === "string" && source.every(isText)) {
      this.count(source.length)
      return source.slice()
    }
    const target: JsonValue[] = []
    this.items({ item, source, target, from: 0 })
    return target
  }

  /**
   * Writes the items from `from` on, up to the end of the turn. Always writes the first item, since the caller may omit
   * a list that is still empty.
   */
  private items(list: ListPart): void {
    const { item, source, target } = list
    const depth = this.steps.length
    this.steps.push(0)
    let index = list.from
    while (index < source.length) {
      this.count(1)
      this.steps[depth] = index
      target.push(this.entry(item, source[index++] ?? null))
      if (this.written >= this.turnEnd) break
    }
    this.steps.pop()
    if (index < source.length) this.leave({ ...list, from: index })
  }

  private map(node: ShapeNode, source: JsonObject): JsonObject {
    const item = shapeItemOf(node)
    const names = Object.keys(source)
    if (names.length > objectFieldsMax && this.maxValues !== unboundedValues) throw tooManyFields()
    if (item.operation === "string" && sortedTexts(source, names)) {
      this.count(names.length)
      return copyFields(source, names)
    }
    sortByBytes(names)
    const target: JsonObject = {}
    if (names.length >= manyFields) forceDictionaryMode(target)
    this.fields({ item, source, target, names, from: 0 })
    return target
  }

  /** Like `items`. */
  private fields(map: MapPart): void {
    const { item, source, target, names } = map
    const depth = this.steps.length
    this.steps.push("")
    let index = map.from
    while (index < names.length) {
      const name = names[index++] ?? ""
      this.count(1)
      this.steps[depth] = name
      const value = source[name]
      if (value !== undefined) setField(target, name, this.entry(item, value))
      if (this.written >= this.turnEnd) break
    }
    this.steps.pop()
    if (index < names.length) this.leave({ ...map, from: index })
  }

  private entry(item: ShapeNode, value: JsonValue): JsonValue {
    if (value !== null) return this.value(item, value)
    if (item.operation === "bytes") this.sent?.addEmpty(this.steps, true)
    if (item.operation === "Quantity") this.sent?.addWithin(this.steps)
    return this.zero(item, true)
  }

  private leave(part: ListPart | MapPart): void {
    this.left.push({ part, steps: [...this.steps], quiet: this.quiet, list: this.sent?.list })
  }

  /** `json: cannot unmarshal string into field spec.containers of type []v1.Container`. */
  mismatch(value: JsonValue, type: string, expected?: string): DecodeFault {
    return typeFault({ found: foundText(value), field: pathText(this.steps), type, expected })
  }
}

function setKnown(target: JsonObject, field: ShapeField, value: JsonValue): void {
  if (field.inherited) setField(target, field.name, value)
  else target[field.name] = value
}

function isText(value: JsonValue): boolean {
  return typeof value === "string"
}

/** True when a map of strings can be copied as it is: all values are strings, and the names are already sorted. */
function sortedTexts(source: JsonObject, names: readonly string[]): boolean {
  let previous = ""
  for (const name of names) {
    if (typeof source[name] !== "string" || name < previous || hasSurrogate(name)) return false
    previous = name
  }
  return true
}

function isEmpty(operation: ShapeOperation, value: JsonValue): boolean {
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
      for (const _name in value as JsonObject) return false // The walk has just built it: an object.
      return true
    default:
      return false
  }
}
