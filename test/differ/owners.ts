/** Names the class of a difference in the owners of fields. */
import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import type { Difference } from "../real-answers/compare.ts"
import type { Facts } from "../real-answers/compared.ts"
import { canonical, fieldOf, isList } from "../real-answers/values.ts"

/** Whether a difference is in managed fields. One fault there makes several differences. */
export const isOfOwners = ({ class: name }: Difference): boolean => name.startsWith("object .metadata.managedFields")

/**
 * The same name for the differences that one fault makes: the first field whose owners differ, two levels deep. The
 * place within a list or map does not depend on the fault.
 */
export function ownersClass(real: Facts, ours: Facts): string {
  const [theirs, own] = [real, ours].map((facts) => fieldOf(facts.object, "metadata", "managedFields"))
  if (!isList(theirs) || !isList(own)) return `managed fields: none ${isList(theirs) ? "here" : "there"}`
  const [there, here] = [ownedFields(theirs), ownedFields(own)]
  const differing = [...there, ...here].filter((one) => !(there.has(one) && here.has(one)))
  const fields = differing.map((one) => one.slice(one.indexOf("\n") + 1)).sort()
  return `managed fields: ${fields[0] ?? "what is said of a manager"}`
}

/** A line for each field of each manager. */
function ownedFields(entries: readonly JsonValue[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const entry of entries) {
    const manager = canonical(["manager", "operation", "apiVersion", "subresource"].map((name) => fieldOf(entry, name) ?? ""))
    const walk = (set: JsonValue | undefined, path: readonly string[]): void => {
      const inner = isObject(set) ? Object.entries(set).filter(([element]) => element !== ".") : []
      if (path.length > 0) found.add(`${manager} ${path.join(".")}${isObject(set) && "." in set ? " itself" : ""}\n${generalPath(path)}`)
      for (const [element, below] of inner) walk(below, [...path, element])
    }
    walk(fieldOf(entry, "fieldsV1"), [])
    if (fieldOf(entry, "time") === undefined) found.add(`${manager} without time\ntime`)
  }
  return found
}

function generalPath(path: readonly string[]): string {
  const [first = "", second] = path
  return second === undefined || !/^f:(?:metadata|spec|status)$/.test(first) ? first : `${first}.${second}`
}
