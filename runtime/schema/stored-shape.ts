/**
 * Record of the values that a store holds of a kind: which fields the numbers of the compact encoding meant when the
 * values were written, and which types the fields had. A server with another schema compares before it reads them.
 * Plain data and pure functions; `registry/stored-shapes.ts` keeps the records. docs/STORE.md, "Stored shapes".
 */
import { createHash } from "node:crypto"
import { type FieldShape, scalarNames, type TypeRef, type TypeShape } from "./shape.ts"

/**
 * Fields of a message as `<type> <name>`: `*int32 replicas`, `[]core.v1.Container containers`. The key is the number;
 * `.<name>` for a field that is only JSON.
 */
export type MessageFields = Readonly<Record<string, string>>

/** One version of a kind, as it was when its values were written. Names are neutral. */
export interface StoredForm {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The fingerprint of the kind's shape (`KindStorage.shape`). */
  readonly shape: string
  /** Values of this form may be compact. Otherwise all are JSON, which has the names of the fields. */
  readonly compact: boolean
  /**
   * The kind's own message first, then all that it refers to. Fields that the kind has had and has no more are kept,
   * since old values may hold them.
   */
  readonly messages: Readonly<Record<string, MessageFields>>
}

/** A number or name that means something else now. */
export interface ShapeFault {
  /** Where the field is: `spec.template`; "" for the top level. */
  readonly path: string
  /** `number 3, "int32 size"`; without the number for a field that is only JSON. */
  readonly wrote: string
  /** `"int32 replicas"`, or `number 5` when the field has moved, or `no number`. */
  readonly reads: string
}

interface KindName {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * The form of a kind with this shape. Called by the generator for the fingerprint, and by a server before it writes the
 * first value of the kind.
 */
export function storedForm({ group, version, kind }: KindName, shape: TypeShape, compact: boolean): StoredForm {
  const messages: Record<string, Record<string, string>> = {}
  addMessage(messages, shape)
  return { group, version, kind, shape: fingerprintOf(messages, shape.name), compact, messages }
}

function addMessage(messages: Record<string, Record<string, string>>, shape: TypeShape): void {
  if (Object.hasOwn(messages, shape.name)) return
  const fields: Record<string, string> = {}
  messages[shape.name] = fields
  for (const field of shape.fields) {
    fields[field.number ?? `.${field.name}`] = fieldText(field)
    const inner = leafOf(field.type)
    if (inner !== undefined) addMessage(messages, inner)
  }
}

function leafOf(type: TypeRef): TypeShape | undefined {
  if ("ref" in type) return type.ref()
  if ("union" in type) return type.union()
  if ("list" in type) return leafOf(type.list)
  if ("map" in type) return leafOf(type.map)
  return "wrappedList" in type ? leafOf(type.wrappedList) : undefined
}

/** `~` marks an inline type, whose field has no name in JSON; `*` a field whose zero value differs from absence. */
function fieldText(field: FieldShape): string {
  const mark = field.inline === true ? "~" : field.pointer === true ? "*" : ""
  return `${mark}${typeText(field.type)} ${field.name}`
}

function typeText(type: TypeRef): string {
  if ("scalar" in type) return type.scalar
  if ("ref" in type) return type.ref().name
  if ("list" in type) return `[]${typeText(type.list)}`
  if ("union" in type) return `union<${type.union().name}>`
  return "map" in type ? `map<${typeText(type.map)}>` : `wrapped<[]${typeText(type.wrappedList)}>`
}

/** Covers everything that `messages` has, in an order of its own. Length: 16 hexadecimal digits. */
function fingerprintOf(messages: Readonly<Record<string, MessageFields>>, root: string): string {
  const hash = createHash("sha256").update(root)
  for (const name of Object.keys(messages).sort()) hash.update(`\n${name} ${JSON.stringify(messages[name])}`)
  return hash.digest("hex").slice(0, fingerprintDigits)
}

const fingerprintDigits = 16

/** A field of a recorded message, taken apart. */
interface RecordedField {
  /** Undefined: the field is only JSON. */
  readonly number: number | undefined
  readonly name: string
  readonly text: string
  /** `~`, `*` or "". */
  readonly mark: string
  readonly type: string
}

function fieldsOf(messages: Readonly<Record<string, MessageFields>>, message: string): readonly RecordedField[] {
  return Object.entries(messages[message] ?? {}).map(([key, text]) => {
    const [written = "", name = ""] = text.split(/ (.*)/s)
    const mark = written.startsWith("~") || written.startsWith("*") ? written.slice(0, 1) : ""
    return { number: key.startsWith(".") ? undefined : Number(key), name, text, mark, type: written.slice(mark.length) }
  })
}

/** The kind's own message, which is the first of a form's `messages`. */
function rootOf(messages: Readonly<Record<string, MessageFields>>): string {
  return Object.keys(messages)[0] ?? ""
}

/**
 * Compares the form that wrote values with the form that would read them. Returns the first field that would be
 * misread, or the messages of `now` with the fields that only old values have.
 */
export function compareForms(
  before: StoredForm,
  now: StoredForm,
): { readonly fault: ShapeFault } | { readonly messages: StoredForm["messages"] } {
  const comparison = new FormComparison(before, now)
  const roots = { before: rootOf(before.messages), now: rootOf(now.messages), path: "" }
  const fault = (before.compact ? comparison.byNumber(roots) : undefined) ?? comparison.byName(roots)
  return fault === undefined ? { messages: comparison.merged } : { fault }
}

interface MessagePair {
  readonly before: string
  readonly now: string
  readonly path: string
  /** The present message around inline ones: its JSON has all their fields. Absent: `now` itself. */
  readonly around?: string
}

type Differences = ShapeFault | "differs" | undefined

/** Walks both forms from their roots; messages are paired by place, since their names are not in the values. */
class FormComparison {
  readonly merged: Record<string, Record<string, string>> = {}
  private readonly seen = { byNumber: new Set<string>(), byName: new Set<string>() }
  /** Names that messages of removed fields have in `merged`. */
  private readonly kept = new Map<string, string>()
  private readonly before: StoredForm["messages"]
  private readonly now: StoredForm["messages"]

  constructor(
    private readonly old: StoredForm,
    current: StoredForm,
  ) {
    this.before = old.messages
    this.now = current.messages
    for (const [name, fields] of Object.entries(this.now)) this.merged[name] = { ...fields }
  }

  /** Compact values: numbers must mean the same fields. */
  byNumber(pair: MessagePair): ShapeFault | undefined {
    if (this.wasSeen("byNumber", pair)) return undefined
    const current = fieldsOf(this.now, pair.now)
    const byNumber = new Map(current.map((field) => [field.number, field]))
    const around = pair.around ?? pair.now
    const byName = new Map(flatFieldsOf(this.now, around).map((field) => [field.name, field]))
    for (const old of fieldsOf(this.before, pair.before)) {
      if (old.number === undefined) continue
      const path = pathOf(pair, old)
      const field = byNumber.get(old.number)
      if (field === undefined) {
        const gone = old.mark === "~" ? flatFieldsOf(this.before, old.type) : [old]
        const moved = gone.map(({ name }) => byName.get(name)).find((one) => one !== undefined)
        if (moved !== undefined) return { path: joined(pair.path, moved.name), wrote: wroteText(old), reads: numberText(moved) }
        this.keep(pair.now, old)
        continue
      }
      const types = { before: old.type, now: field.type, path, ...(old.mark === "~" && { around }) }
      const fault = hasSameMeaning(old, field) ? this.type("byNumber", types) : "differs"
      if (fault !== undefined) return fault === "differs" ? { path, wrote: wroteText(old), reads: JSON.stringify(field.text) } : fault
    }
    return undefined
  }

  /** JSON values: names must have types that accept the old values. */
  byName(pair: MessagePair): ShapeFault | undefined {
    if (this.wasSeen("byName", pair)) return undefined
    const byName = new Map(flatFieldsOf(this.now, pair.now).map((field) => [field.name, field]))
    for (const old of flatFieldsOf(this.before, pair.before)) {
      const path = pathOf(pair, old)
      const field = byName.get(old.name)
      if (field === undefined) {
        if (!this.old.compact || old.number === undefined) this.keep(pair.now, { ...old, number: undefined })
        continue
      }
      const fault = this.type("byName", { before: old.type, now: field.type, path })
      if (fault !== undefined) return fault === "differs" ? { path, wrote: wroteText(old), reads: JSON.stringify(field.text) } : fault
    }
    return undefined
  }

  private wasSeen(by: "byNumber" | "byName", pair: MessagePair): boolean {
    const id = `${pair.before} ${pair.now} ${pair.around ?? ""}`
    if (this.seen[by].has(id)) return true
    this.seen[by].add(id)
    return false
  }

  private type(by: "byNumber" | "byName", pair: MessagePair): Differences {
    const { before, now, path } = pair
    if (before in this.before && now in this.now) return this[by](pair)
    const [outer, inner] = [unwrapped(before), unwrapped(now)]
    if (outer !== undefined && inner !== undefined) {
      const isSame = by === "byName" ? jsonForm(outer) === jsonForm(inner) : outer.around === inner.around
      return isSame ? this.type(by, { before: outer.inside, now: inner.inside, path: `${path}[]` }) : "differs"
    }
    if (before === now || widening.get(before) === now) return undefined
    return by === "byName" && fitsJson(before, now) ? undefined : "differs"
  }

  /** Remembers a field that the present shape has no more, with the messages that it needs. */
  private keep(message: string, field: RecordedField): void {
    const fields = this.merged[message]
    const key = field.number ?? `.${field.name}`
    if (fields === undefined || fields[key] !== undefined) return
    fields[key] = `${field.mark}${this.keptType(field.type)} ${field.name}`
  }

  private keptType(type: string): string {
    const container = unwrapped(type)
    if (container !== undefined) return container.around.replace("T", this.keptType(container.inside))
    if (!(type in this.before)) return type
    const known = this.kept.get(type)
    if (known !== undefined) return known
    let name = type
    while (name in this.merged) name = `${name}'`
    this.kept.set(type, name)
    const fields: Record<string, string> = {}
    this.merged[name] = fields
    for (const field of fieldsOf(this.before, type))
      fields[field.number ?? `.${field.name}`] = `${field.mark}${this.keptType(field.type)} ${field.name}`
    return name
  }
}

/** Fields by their place in JSON, where the fields of inline types belong to the parent. */
function flatFieldsOf(messages: StoredForm["messages"], message: string, seen: ReadonlySet<string> = new Set()): readonly RecordedField[] {
  if (seen.has(message)) return []
  return fieldsOf(messages, message).flatMap((field) =>
    field.mark === "~" ? flatFieldsOf(messages, field.type, new Set([...seen, message])) : [field],
  )
}

function pathOf(pair: MessagePair, { mark, name }: RecordedField): string {
  return mark === "~" ? pair.path : joined(pair.path, name)
}

function wroteText({ number, text }: RecordedField): string {
  return number === undefined ? JSON.stringify(text) : `number ${number}, ${JSON.stringify(text)}`
}

function numberText({ number }: RecordedField): string {
  return number === undefined ? "no number" : `number ${number}`
}

/** Each value of the first has the same bytes and the same meaning in the second. */
const widening: ReadonlyMap<string, string> = new Map([
  ["int32", "int64"],
  ["Time", "MicroTime"],
])

/** Types whose JSON values another type accepts with the same meaning. */
const jsonWidening: ReadonlyMap<string, readonly string[]> = new Map([
  ["int32", ["double", "IntOrString", "Quantity"]],
  ["string", ["IntOrString"]],
  ["FieldsV1", ["RawExtension"]],
])

function fitsJson(before: string, now: string): boolean {
  // Any value became a union: fields of a stored value that the union lacks are dropped, as unknown fields are.
  if (before === "any" && now.startsWith("union<")) return true
  if (now === "any" || jsonWidening.get(before)?.includes(now) === true) return true
  // Structs and maps are objects, and have no scalar's name.
  return now === "RawExtension" && (before.startsWith("map<") || before.includes("."))
}

/** In JSON a named list is a list. */
function jsonForm({ around }: { readonly around: string }): string {
  return around === "wrapped<[]T>" ? "[]T" : around
}

/** Values of fields that are not pointers are written when they are zero; a pointer would take them for present. */
function hasSameMeaning(old: RecordedField, now: RecordedField): boolean {
  if (old.mark === "~" || now.mark === "~") return old.mark === now.mark
  if (now.mark === "*" && old.mark === "" && unwrapped(old.type) === undefined) return false
  return old.name === now.name
}

/** Takes one level off: `[]T`, `map<T>`, `wrapped<[]T>`, `union<T>`. Undefined for other types. */
function unwrapped(type: string): { readonly around: string; readonly inside: string } | undefined {
  if (type.startsWith("[]")) return { around: "[]T", inside: type.slice(2) }
  if (type.startsWith("map<")) return { around: "map<T>", inside: type.slice(4, -1) }
  if (type.startsWith("union<")) return { around: "union<T>", inside: type.slice(6, -1) }
  return type.startsWith("wrapped<[]") ? { around: "wrapped<[]T>", inside: type.slice(10, -1) } : undefined
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`
}

/** The shape that reads the compact values of a form. Called by `store migrate`. Throws for a damaged record. */
export function shapeOfForm({ messages }: StoredForm): TypeShape {
  const shapes = new Map<string, TypeShape>()
  function shapeOf(name: string): TypeShape {
    const known = shapes.get(name)
    if (known !== undefined) return known
    const shape: TypeShape = { name: name.replaceAll("'", "_"), fields: fieldsOf(messages, name).flatMap(recorded) }
    shapes.set(name, shape)
    return shape
  }
  function recorded({ mark, name, number, type }: RecordedField): FieldShape[] {
    if (number === undefined) return []
    return [{ name, number, type: typeOf(type), ...(mark === "~" && { inline: true }), ...(mark === "*" && { pointer: true }) }]
  }
  function typeOf(text: string): TypeRef {
    const container = unwrapped(text)
    if (container?.around === "[]T") return { list: typeOf(container.inside) }
    if (container?.around === "map<T>") return { map: typeOf(container.inside) }
    if (container?.around === "union<T>") return { union: () => shapeOf(container.inside) }
    if (container !== undefined) return { wrappedList: typeOf(container.inside) }
    if (text in messages) return { ref: () => shapeOf(text) }
    const scalar = scalarNames.find((one) => one === text)
    if (scalar === undefined) throw new Error(`the record of the stored shape names the type ${text}, which it does not have`)
    return { scalar }
  }
  return shapeOf(rootOf(messages))
}
