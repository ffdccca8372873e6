/** What a client writes into `metadata.managedFields` to have all owners of fields forgotten. */
import { type ApiObject, isObject, type JsonValue } from "./json.ts"

/**
 * An empty list says so, but normalization drops it: one empty entry, which says the same, takes its place. Called with a document that a
 * client made and with the object that was made of it; changes the latter.
 */
export function keepOwnersReset(document: JsonValue, object: ApiObject): void {
  const metadata = isObject(document) ? document.metadata : undefined
  const owners = isObject(metadata) ? metadata.managedFields : undefined
  if (Array.isArray(owners) && owners.length === 0 && object.metadata !== undefined) object.metadata.managedFields = [{}]
}
