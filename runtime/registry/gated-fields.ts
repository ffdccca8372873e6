/**
 * Fields of features that are off. A write drops them before validation and without an error, as the reference does;
 * fields that an object already uses stay. Managed fields are computed before: a manager owns every field that it sent.
 */
import type { FieldGate } from "../base/feature-gates.ts"
import { isObject, type ApiObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { deepEqual } from "../encoding/field-path.ts"
import type { TypeRef, TypeShape } from "../schema/shape.ts"

/** The fields of one type that have a gate that is off, or such fields below them. Computed once per kind. */
export type GatedFields = readonly GatedField[]

interface GatedField {
  readonly name: string
  readonly gate?: FieldGate
  /** Replaces the field's value; absent: the field is dropped. */
  readonly value?: JsonValue
  /** Writes of this sub-resource set the field whatever the gate says. */
  readonly exempts?: string | undefined
  /** The fields below, of the struct or of each item. */
  readonly below: GatedFields
}

/** Returns the fields of `shape`, at every depth, whose gate is off. Absent: there are none, as in most kinds. */
export function gatedFieldsOf(shape: TypeShape, isOff: (gate: FieldGate) => boolean): GatedFields | undefined {
  const found = fieldsOf(shape, isOff, new Set())
  return found.length === 0 ? undefined : found
}

// Bounded: once per kind, and a type that is part of itself is not entered again.
function fieldsOf(shape: TypeShape, isOff: (gate: FieldGate) => boolean, above: ReadonlySet<TypeShape>): GatedField[] {
  // A whole kind that is part of another one, such as the claims of a stateful set, loses its fields once it is made.
  if (above.has(shape) || (above.size > 0 && isKind(shape))) return []
  const within = new Set([...above, shape])
  return shape.fields.flatMap(({ name, type, inline, gate, gatedValue, gateExempts: exempts }): GatedField[] => {
    const struct = structOf(type)
    const below = struct === undefined || !reachesGate(struct) ? [] : fieldsOf(struct, isOff, within)
    if (inline === true) return below
    if (gate !== undefined && isOff(gate))
      return [{ name, gate, exempts, ...(gatedValue !== undefined && { value: gatedValue }), below: [] }]
    return below.length === 0 ? [] : [{ name, below }]
  })
}

/** Whether a type has a field with a gate, at any depth. Types belong to the program: each is looked through once. */
const gateReached = new WeakMap<TypeShape, boolean>()

function reachesGate(shape: TypeShape): boolean {
  const known = gateReached.get(shape)
  if (known !== undefined) return known
  const seen = new Set([shape])
  // Bounded: each type once.
  for (const { fields } of seen)
    for (const { type, gate } of fields) {
      const below = structOf(type)
      if (gate !== undefined || (below !== undefined && gateReached.get(below) === true)) {
        gateReached.set(shape, true)
        return true
      }
      if (below !== undefined && gateReached.get(below) !== false) seen.add(below)
    }
  // `seen` also holds every type below each of them.
  for (const each of seen) gateReached.set(each, false)
  return false
}

const isKind = ({ fields }: TypeShape): boolean =>
  ["apiVersion", "kind", "metadata"].every((name) => fields.some((field) => field.name === name))

/** Of a struct or a list of them. No field with a gate is below a map or a union. */
function structOf(type: TypeRef): TypeShape | undefined {
  if ("ref" in type) return type.ref()
  if ("list" in type) return structOf(type.list)
  return undefined
}

/**
 * Drops the fields of `object` whose gates are off, in place; values below its own fields are replaced and not changed,
 * since other objects may share them. Called once per attempt of a write, before the behaviours of the kind. `old` is
 * the stored object: fields of a gate that it uses are kept. `subresource`: the one that the request writes.
 */
export function dropGated(fields: GatedFields, object: ApiObject, old?: ApiObject, subresource?: string): void {
  const isDropped = ({ exempts }: GatedField): boolean => exempts === undefined || exempts !== subresource
  const gates = gatesOf(fields, object, isDropped)
  if (gates.size === 0) return
  if (old !== undefined) {
    for (const gate of gatesOf(fields, old, ({ exempts }) => exempts === undefined)) gates.delete(gate)
    if (gates.size === 0) return
  }
  const goes = (field: GatedField): boolean => field.gate !== undefined && gates.has(field.gate) && isDropped(field)
  const next = without(fields, object, goes) as ApiObject // Without some of its fields it is still an object.
  for (const { name } of fields) {
    if (next[name] === undefined) delete object[name]
    else object[name] = next[name]
  }
}

/** The gates of the fields that `value` has and for which `counts` holds. */
function gatesOf(fields: GatedFields, value: JsonValue, counts: (field: GatedField) => boolean): Set<FieldGate> {
  const gates = new Set<FieldGate>()
  collect(fields, value, counts, gates)
  return gates
}

function collect(fields: GatedFields, value: JsonValue, counts: (field: GatedField) => boolean, gates: Set<FieldGate>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(fields, item, counts, gates)
  } else if (isObject(value)) {
    for (const field of fields) {
      const own = value[field.name]
      if (own === undefined) continue
      if (field.gate === undefined) collect(field.below, own, counts, gates)
      else if (counts(field) && (field.value === undefined || !deepEqual(own, field.value))) gates.add(field.gate)
    }
  }
}

/** Returns `value` without the fields for which `goes` holds; shares all other parts with `value`. */
function without(fields: GatedFields, value: JsonValue, goes: (field: GatedField) => boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => without(fields, item, goes))
  if (!isObject(value)) return value
  const next: JsonObject = { ...value }
  for (const field of fields) {
    const own = value[field.name]
    if (own === undefined) continue
    if (field.gate === undefined) next[field.name] = without(field.below, own, goes)
    else if (!goes(field)) continue
    else if (field.value === undefined) delete next[field.name]
    else next[field.name] = field.value
  }
  return next
}
