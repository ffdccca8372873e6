/** Reads from `managedFields` who owns the one field that several clients write. */
import { type ApiObject, isObject } from "../../../runtime/kit/json.ts"

/** Owners of `data.shared`: a manager who applies and one of the same name who writes otherwise are two. */
export function ownersOf(object: ApiObject | undefined): string[] {
  const owners = new Set<string>()
  for (const { manager, operation, fieldsV1 } of object?.metadata?.managedFields ?? []) {
    const data = isObject(fieldsV1) ? fieldsV1["f:data"] : undefined
    if (isObject(data) && data["f:shared"] !== undefined) owners.add(`${manager}/${operation}`)
  }
  return [...owners]
}

/** As which a manager applies. */
export function applierOf(manager: string): string {
  return `${manager}/Apply`
}
