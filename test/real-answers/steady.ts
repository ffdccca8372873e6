/** Parts of an answer that depend on its moment, or on an order that is random in the real server. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { Facts } from "./compared.ts"
import { canonical, fieldOf, isList, ordered } from "./values.ts"

/** Kinds whose status controllers of the real server write a moment later. */
const controlled = ["FlowSchema", "FlowSchema.v1beta3", "APIService", "CustomResourceDefinition"]

/** The answer to a case of this id without such values. Never changes its argument. */
export function steady(facts: Facts, id: string): Facts {
  const [group = "", operation] = id.split("/")
  const isControlled = controlled.includes(group)
  const result: { -readonly [Field in keyof Facts]: Facts[Field] } = { ...facts }
  if (isObject(facts.object)) result.object = steadyObject(facts.object, isControlled && operation !== "status")
  if (facts.table !== undefined) {
    const { columns, rows } = JSON.parse(
      JSON.stringify(facts.table)
        .replace(/:3[0-3]\d{3}\//g, ":<port>/")
        .replace(/\d+y\d+d ago/g, "<age> ago"),
    ) as NonNullable<Facts["table"]> // The same.
    result.table = isControlled ? { columns } : { columns, ...(rows && { rows }) }
  }
  if (isControlled && isList(facts.events)) result.events = facts.events.length
  if (facts.names !== undefined) result.names = isControlled ? [] : facts.names.filter((name) => name !== "rc")
  return result
}

function steadyObject(object: JsonObject, withoutStatus: boolean): JsonObject {
  const { status, ...rest } = structuredClone(object)
  const metadata = rest["metadata"]
  if (isObject(metadata) && isList(metadata["managedFields"])) {
    const entries = metadata["managedFields"].filter((entry) => !withoutStatus || fieldOf(entry, "subresource") !== "status")
    metadata["managedFields"] = inOrderOfManagers(entries)
  }
  if (status === undefined || withoutStatus) return rest
  return { ...rest, status: steadyStatus(status) }
}

/** Orders entries of the same second by their managers. */
function inOrderOfManagers(entries: readonly JsonValue[]): JsonValue[] {
  const key = (entry: JsonValue): string =>
    canonical(["manager", "operation", "apiVersion", "subresource"].map((name) => fieldOf(entry, name) ?? ""))
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Sorts the rules of a review, which come in random order, and hides which of the allowing bindings is named. */
function steadyStatus(status: JsonValue): JsonValue {
  if (!isObject(status)) return status
  const result = { ...status }
  for (const name of ["resourceRules", "nonResourceRules"]) {
    const rules = result[name]
    if (isList(rules)) result[name] = ordered(rules)
  }
  const allowed = "RBAC: allowed by"
  if (String(result["reason"] ?? "").startsWith(allowed)) result["reason"] = allowed
  return result
}
