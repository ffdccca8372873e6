/** Recognizes the request to clear all managed fields. */
import { type ApiObject, isObject, type JsonValue } from "../base/json.ts"

/**
 * A client clears `metadata.managedFields` with an empty list, but normalization drops empty lists. A list of one empty
 * entry means the same and replaces it. Called with a client's document and the object decoded from it; changes the
 * object.
 */
export function keepManagedFieldsReset(document: JsonValue, object: ApiObject): void {
  const metadata = isObject(document) ? document.metadata : undefined
  const owners = isObject(metadata) ? metadata.managedFields : undefined
  if (Array.isArray(owners) && owners.length === 0 && object.metadata !== undefined) object.metadata.managedFields = [{}]
}
