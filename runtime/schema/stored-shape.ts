/**
 * What a store remembers of the values of a kind: which fields the numbers of the compact encoding meant when the
 * values were written. A server with another schema compares before it reads them. Plain data and pure functions;
 * `registry/stored-shapes.ts` keeps the records. docs/STORE.md, "Stored shapes".
 */
import { createHash } from "node:crypto"
import type { FieldShape, TypeRef, TypeShape } from "./shape.ts"

/** Fields of a message by number, as `<type> <name>`: `*int32 replicas`, `[]core.v1.Container containers`. */
export type MessageFields = Readonly<Record<string, string>>

/** One version of a kind, as it was when its values were written. Names are neutral. */
export interface StoredForm {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The fingerprint of the kind's shape (`KindStorage.shape`). */
  readonly shape: string
  /** How the server wrote the newest values of this form. */
  readonly format: "compact" | "json"
  /**
   * The kind's own message first, then all that it refers to. Fields that the kind has had and has no more are kept,
   * since old values may hold them. Absent: no value of this form is compact.
   */
  readonly messages?: Readonly<Record<string, MessageFields>>
}

/** A number or name that means something else now. */
export interface ShapeFault {
  /** Where the field is: `spec.template`; "" for the top level. */
  readonly path: string
  /** `number 3, "int32 size"`. */
  readonly wrote: string
  /** `"int32 replicas"`, or `number 5` when the field has moved. */
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
export function storedForm({ group, version, kind }: KindName, shape: TypeShape, format: StoredForm["format"]): Required<StoredForm> {
  const messages: Record<string, Record<string, string>> = {}
  addMessage(messages, shape)
  return { group, version, kind, shape: fingerprintOf(messages, shape.name), format, messages }
}

function addMessage(messages: Record<string, Record<string, string>>, shape: TypeShape): void {
  if (Object.hasOwn(messages, shape.name)) return
  const fields: Record<string, string> = {}
  messages[shape.name] = fields
  for (const field of shape.fields) {
    if (field.number === undefined) continue
    fields[field.number] = fieldText(field)
    const inner = leafOf(field.type)
    if (inner !== undefined) addMessage(messages, inner)
  }
}

function leafOf(type: TypeRef): TypeShape | undefined {
  if ("ref" in type) return type.ref()
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
  readonly number: number
  readonly name: string
  readonly text: string
  /** `~`, `*` or "". */
  readonly mark: string
  readonly type: string
}

function fieldsOf(messages: Readonly<Record<string, MessageFields>>, message: string): readonly RecordedField[] {
  return Object.entries(messages[message] ?? {}).map(([number, text]) => {
    const [written = "", name = ""] = text.split(/ (.*)/s)
    const mark = written.startsWith("~") || written.startsWith("*") ? written.slice(0, 1) : ""
    return { number: Number(number), name, text, mark, type: written.slice(mark.length) }
  })
}

/** `messages` of a form with its compact values; the first one is the kind's own. */
function rootOf(messages: Readonly<Record<string, MessageFields>>): string {
  return Object.keys(messages)[0] ?? ""
}

/**
 * Compares what wrote values with what would read them. Returns the first field that would be misread, or the messages
 * of `now` with the fields that only old values have. Both forms have messages.
 */
export function compareForms(
  before: Required<StoredForm>,
  now: Required<StoredForm>,
): { readonly fault: ShapeFault } | { readonly messages: Required<StoredForm>["messages"] } {
  const comparison = new FormComparison(before.messages, now.messages)
  const fault = comparison.message({ before: rootOf(before.messages), now: rootOf(now.messages), path: "" })
  return fault === undefined ? { messages: comparison.merged } : { fault }
}

interface MessagePair {
  readonly before: string
  readonly now: string
  readonly path: string
}

/** Walks both forms from their roots; messages are paired by place, since their names are not in the values. */
class FormComparison {
  readonly merged: Record<string, Record<string, string>> = {}
  private readonly seen = new Set<string>()
  /** Names that messages of removed fields have in `merged`. */
  private readonly kept = new Map<string, string>()

  constructor(
    private readonly before: Readonly<Record<string, MessageFields>>,
    private readonly now: Readonly<Record<string, MessageFields>>,
  ) {
    for (const [name, fields] of Object.entries(now)) this.merged[name] = { ...fields }
  }

  message(pair: MessagePair): ShapeFault | undefined {
    const id = `${pair.before} ${pair.now}`
    if (this.seen.has(id)) return undefined
    this.seen.add(id)
    const current = fieldsOf(this.now, pair.now)
    const byNumber = new Map(current.map((field) => [field.number, field]))
    const byName = new Map(current.filter(({ mark }) => mark !== "~").map((field) => [field.name, field]))
    for (const old of fieldsOf(this.before, pair.before)) {
      const path = old.mark === "~" ? pair.path : joined(pair.path, old.name)
      const field = byNumber.get(old.number)
      const moved = old.mark === "~" ? undefined : byName.get(old.name)
      if (field === undefined) {
        if (moved !== undefined) return { path, wrote: wroteText(old), reads: `number ${moved.number}` }
        this.keep(pair.now, old)
        continue
      }
      if (!hasSameMeaning(old, field)) return { path, wrote: wroteText(old), reads: JSON.stringify(field.text) }
      const fault = this.type(old.type, field.type, path)
      if (fault === "differs") return { path, wrote: wroteText(old), reads: JSON.stringify(field.text) }
      if (fault !== undefined) return fault
    }
    return undefined
  }

  private type(before: string, now: string, path: string): ShapeFault | "differs" | undefined {
    if (before === now || widening.get(before) === now) {
      if (before in this.before && now in this.now) return this.message({ before, now, path })
      return undefined
    }
    const [outer, inner] = [unwrapped(before), unwrapped(now)]
    if (outer !== undefined && inner !== undefined && outer.around === inner.around)
      return this.type(outer.inside, inner.inside, `${path}[]`)
    return before in this.before && now in this.now ? this.message({ before, now, path }) : "differs"
  }

  /** Remembers a field that the present shape has no more, with the messages that it needs. */
  private keep(message: string, field: RecordedField): void {
    const fields = this.merged[message]
    if (fields === undefined || fields[field.number] !== undefined) return
    fields[field.number] = `${field.mark}${this.keptType(field.type)} ${field.name}`
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
    for (const field of fieldsOf(this.before, type)) fields[field.number] = `${field.mark}${this.keptType(field.type)} ${field.name}`
    return name
  }
}

function wroteText({ number, text }: RecordedField): string {
  return `number ${number}, ${JSON.stringify(text)}`
}

/** Each value of the first has the same bytes and the same meaning in the second. */
const widening: ReadonlyMap<string, string> = new Map([
  ["int32", "int64"],
  ["Time", "MicroTime"],
])

/** Values of fields that are not pointers are written when they are zero; a pointer would take them for present. */
function hasSameMeaning(old: RecordedField, now: RecordedField): boolean {
  if (old.mark === "~" || now.mark === "~") return old.mark === now.mark
  if (now.mark === "*" && old.mark === "" && unwrapped(old.type) === undefined) return false
  return old.name === now.name
}

/** Takes one level of list or map off: `[]T`, `map<T>`, `wrapped<[]T>`. Undefined for other types. */
function unwrapped(type: string): { readonly around: string; readonly inside: string } | undefined {
  if (type.startsWith("[]")) return { around: "[]T", inside: type.slice(2) }
  if (type.startsWith("map<")) return { around: "map<T>", inside: type.slice(4, -1) }
  return type.startsWith("wrapped<[]") ? { around: "wrapped<[]T>", inside: type.slice(10, -1) } : undefined
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`
}

/** The shape that reads the compact values of a form. Called by `store migrate`. Throws for a damaged record. */
export function shapeOfForm({ messages }: Required<StoredForm>): TypeShape {
  const shapes = new Map<string, TypeShape>()
  function shapeOf(name: string): TypeShape {
    const known = shapes.get(name)
    if (known !== undefined) return known
    const shape: TypeShape = { name: name.replaceAll("'", "_"), fields: fieldsOf(messages, name).map(recorded) }
    shapes.set(name, shape)
    return shape
  }
  function recorded({ mark, name, number, type }: RecordedField): FieldShape {
    return { name, number, type: typeOf(type), ...(mark === "~" && { inline: true }), ...(mark === "*" && { pointer: true }) }
  }
  function typeOf(text: string): TypeRef {
    const container = unwrapped(text)
    if (container?.around === "[]T") return { list: typeOf(container.inside) }
    if (container?.around === "map<T>") return { map: typeOf(container.inside) }
    if (container !== undefined) return { wrappedList: typeOf(container.inside) }
    if (text in messages) return { ref: () => shapeOf(text) }
    const scalar = scalars.find((one) => one === text)
    if (scalar === undefined) throw new Error(`the record of the stored shape names the type ${text}, which it does not have`)
    return { scalar }
  }
  return shapeOf(rootOf(messages))
}

const scalars = [
  "string",
  "boolean",
  "int32",
  "int64",
  "double",
  "bytes",
  "Time",
  "MicroTime",
  "Duration",
  "Quantity",
  "IntOrString",
  "RawExtension",
  "FieldsV1",
  "any",
] as const
