/** NodeRestriction for `persistentvolumeclaims`: a node reports how much a volume holds after it has grown. */
import { type ApiObject, isObject, type JsonObject } from "../../base/json.ts"
import { deepEqual, ownField } from "../../encoding/field-path.ts"
import { refused } from "../refusal.ts"
import { type NodeRequest, refusedTo } from "./node-request.ts"

/** Fields that a node may change, or whose change is ignored. */
const free: ReadonlySet<string> = new Set(["metadata.resourceVersion", "metadata.managedFields", "status.capacity", "status.conditions"])
const parts = ["metadata", "spec", "status"] as const

/** Throws 403. */
export function judgeClaim(request: NodeRequest): undefined {
  const { attributes } = request
  const { object = {}, oldObject = {}, operation, subresource } = attributes
  if (subresource !== "status") throw refused(attributes, "may only update PVC status")
  if (operation !== "UPDATE") throw refused(attributes, `unexpected operation ${JSON.stringify(operation)}`)
  const changed = parts.flatMap((part) => changedFields(part, object, oldObject)).filter((field) => !free.has(field))
  if (changed.length === 0) return
  // The reference prints both values.
  const fields = changed.join(", ")
  throw refusedTo(request, `is not allowed to update fields other than status.quantity and status.conditions: ${fields}`)
}

function changedFields(part: (typeof parts)[number], object: ApiObject, old: ApiObject): string[] {
  const [after, before] = [partOf(object, part), partOf(old, part)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.filter((name) => !deepEqual(ownField(after, name), ownField(before, name))).map((name) => `${part}.${name}`)
}

function partOf(object: ApiObject, part: string): JsonObject {
  const value = ownField(object, part)
  return isObject(value) ? value : {}
}
