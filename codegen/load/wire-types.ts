/**
 * Which changes of a field's type leave stored and sent values readable under the same number. Types are compared as
 * their texts in the lock.
 */
import type { TypeRefModel } from "../../model/model.ts"
import { scalarNames } from "../../runtime/schema/shape.ts"
import type { LockedField } from "./numbers-lock.ts"

/** Fields of a type by its unique name, with removed fields: before or after the change. Absent for an unknown type. */
export type FieldsOf = (type: string) => readonly LockedField[] | undefined

/** Both sides of a change. */
export interface WireChange {
  readonly before: FieldsOf
  readonly after: FieldsOf
}

/**
 * The compact encoding has one level of list or map, and in a map a named list type. Other types have no number, and a
 * kind that holds them is stored as JSON.
 */
export function fitsCompact(type: TypeRefModel): boolean {
  const item = "list" in type ? type.list : "wrappedList" in type ? type.wrappedList : "map" in type ? type.map : type
  const inner = "map" in type && "wrappedList" in item ? item.wrappedList : item
  return "scalar" in inner || "ref" in inner || "union" in inner
}

/** The named type in a type text: `core.v1.Container` in `[]core.v1.Container`; absent for scalars. */
export function leafName(wire: string): string | undefined {
  const [leaf = ""] = wire.replace(/^(?:\[\]|map<|wrapped<)+/, "").split(">", 1)
  return scalars.has(leaf) ? undefined : leaf
}

const scalars: ReadonlySet<string> = new Set(scalarNames)
/** Each value of the first has the same meaning, and the same bytes, in the second. */
const widening: ReadonlyMap<string, string> = new Map([
  ["int32", "int64"],
  ["Time", "MicroTime"],
])

/**
 * Whether values written as `old` read the same as `now`. Named types with different names are compared field by field,
 * since a message carries no name. The new type must know every number that the old one ever had, so that it cannot
 * assign one of them again.
 */
export function isReadable(old: string, now: string, change: WireChange, seen: ReadonlySet<string> = new Set()): boolean {
  if (old === now || widening.get(old) === now) return true
  for (const [open, close] of containers) {
    if (!old.startsWith(open) || !now.startsWith(open)) continue
    return isReadable(inside(old, open, close), inside(now, open, close), change, seen)
  }
  if (leafName(old) !== old || leafName(now) !== now) return false
  const pair = `${old} ${now}`
  if (seen.has(pair)) return true
  const [before, after] = [change.before(old), change.after(now)]
  if (before === undefined || after === undefined) return false
  const byNumber = new Map(after.map((field) => [field.number, field]))
  return before.every((was) => {
    const field = byNumber.get(was.number)
    return field?.name === was.name && isReadable(was.wire, field.wire, change, new Set([...seen, pair]))
  })
}

const containers = [
  ["[]", ""],
  ["map<", ">"],
  ["wrapped<", ">"],
] as const

function inside(wire: string, open: string, close: string): string {
  return wire.slice(open.length, wire.length - close.length)
}
