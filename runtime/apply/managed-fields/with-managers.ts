/** Objects with other managedFields. */
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { setField } from "../../encoding/json/text.ts"

/**
 * A copy of the object with these managedFields, or with none; everything else is shared. Copies field by field: to
 * spread the object and then set its metadata costs several times as much, and V8 makes a hidden class for each copy.
 */
export function withManagers(object: ApiObject, managedFields: JsonObject[] | undefined): ApiObject {
  const metadata: JsonObject = {}
  const before: JsonObject = object.metadata ?? {}
  for (const name in before) if (name !== "managedFields") metadata[name] = before[name]
  if (managedFields !== undefined) metadata.managedFields = managedFields
  const copy: ApiObject = {}
  for (const name in object) setField(copy, name, name === "metadata" ? metadata : object[name])
  copy.metadata = metadata
  return copy
}
