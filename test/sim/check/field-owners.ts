/** Reads the managers of the one field that several clients write from `managedFields`. */
import { type ApiObject, isObject } from "../../../runtime/base/json.ts"

/** Managers of `data.shared`: a manager that applies and one of the same name that updates count as two. */
export function ownersOf(object: ApiObject | undefined): string[] {
  const owners = new Set<string>()
  for (const { manager, operation, fieldsV1 } of object?.metadata?.managedFields ?? []) {
    const data = isObject(fieldsV1) ? (fieldsV1["f:data"] ?? fieldsV1["f:spec"]) : undefined
    if (isObject(data) && data["f:shared"] !== undefined) owners.add(`${manager}/${operation}`)
  }
  return [...owners]
}

/** The name of a manager that applies. */
export function applierOf(manager: string): string {
  return `${manager}/Apply`
}
