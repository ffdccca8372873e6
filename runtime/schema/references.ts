/**
 * Fields that name another object, which must exist when the name is written. Validation does no I/O: it notes the
 * references, and the registry looks them up before the commit (`registry/references.ts`).
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { CheckContext } from "./validate.ts"

/** The kind of the objects that a field names. Names are neutral; any version of the kind will do. */
export interface ReferenceTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The field of the same type that names the namespace. Absent: the namespace of the object itself. */
  readonly namespace?: string
}

/**
 * Called by generated validators for each field with `references`, with the object that has the field. Notes the names
 * that the stored object does not have in this field; a name that stays is not checked again, so that an object whose
 * reference has become dangling can still be changed and deleted. Absent, null and empty names refer to nothing.
 */
export function references(self: JsonObject, name: string, context: CheckContext, target: ReferenceTarget): void {
  const value = self[name]
  if (value === undefined || value === null || value === "") return
  const namespace = namespaceOf(self, context.root.metadata?.namespace, target)
  const old = isObject(context.old) ? context.old : {}
  const before = namespaceOf(old, context.oldRoot?.metadata?.namespace, target) === namespace ? old[name] : undefined
  if (!Array.isArray(value)) return note(value, before === value, name)
  const stays = new Set(Array.isArray(before) ? before : [])
  for (const [index, item] of value.entries()) note(item, stays.has(item), `${name}[${index}]`)

  function note(item: JsonValue, isStored: boolean, below: string): void {
    if (typeof item !== "string" || item === "" || isStored) return
    const failure = { type: "NotFound", field: context.at(below), value: item, detail: "" } as const
    context.failures.addUnlessExists({ target, namespace, name: item }, failure)
  }
}

function namespaceOf(holder: JsonObject, own: string | undefined, target: ReferenceTarget): string {
  const named = target.namespace === undefined ? undefined : holder[target.namespace]
  return typeof named === "string" && named !== "" ? named : (own ?? "")
}
