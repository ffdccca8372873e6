/** Temporary states, which clients or the server's own controllers must bring to an end. */
import type { ApiObject, OwnerReference } from "../../../runtime/base/json.ts"
import { type Place, placeText, type StoredObjects } from "./stored-objects.ts"

/**
 * Descriptions of the temporary states; empty when there are none. Called when all finalizers of clients have been
 * removed.
 */
export function unrest(stored: StoredObjects): string[] {
  return stored.all().flatMap(({ place, object }) => {
    const text = placeText(place)
    if (object.metadata?.deletionTimestamp !== undefined) return [`${text} is still going`]
    if ((object.metadata?.finalizers ?? []).length > 0) return [`${text} still has ${object.metadata?.finalizers?.join(" and ")}`]
    return isOrphaned(stored, place, object) ? [`${text} is still there without any of its owners`] : []
  })
}

function isOrphaned(stored: StoredObjects, place: Place, { metadata }: ApiObject): boolean {
  const owners = metadata?.ownerReferences ?? []
  return owners.length > 0 && owners.every((owner) => ownerAt(stored, place, owner, Number.POSITIVE_INFINITY) === undefined)
}

/**
 * The owner that a reference identifies, at a revision; undefined when it did not exist, or another object had its
 * name.
 */
export function ownerAt(stored: StoredObjects, dependent: Place, { name, uid }: OwnerReference, revision: number): ApiObject | undefined {
  const owner = stored.at({ ...dependent, resource: "configmaps", name }, revision)
  return owner?.metadata?.uid === uid ? owner : undefined
}
