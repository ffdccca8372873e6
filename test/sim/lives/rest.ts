/** Temporary states, which clients or the server's own controllers must bring to an end. */
import type { ApiObject, OwnerReference } from "../../../runtime/base/json.ts"
import { definitionPlace, isCustom, ownerResource, stateOf } from "./definitions.ts"
import { type Place, placeText, type StoredObjects } from "./stored-objects.ts"

/**
 * Descriptions of the temporary states; empty when there are none. Called when all finalizers of clients have been
 * removed.
 */
export function unrest(stored: StoredObjects): string[] {
  return stored.all().flatMap(({ place, object }) => {
    const text = placeText(place)
    if (object.metadata?.deletionTimestamp !== undefined) return [`${text} is still going`]
    if (place.resource === "customresourcedefinitions") return []
    if ((object.metadata?.finalizers ?? []).length > 0) return [`${text} still has ${object.metadata?.finalizers?.join(" and ")}`]
    return isOrphaned(stored, place, object) ? [`${text} is still there without any of its owners`] : []
  })
}

/**
 * A dependent without any owner. Where the kind of an owner is not defined any more, the owner cannot be looked up: a
 * server that did not see it go keeps the dependent.
 */
function isOrphaned(stored: StoredObjects, place: Place, { metadata }: ApiObject): boolean {
  const owners = metadata?.ownerReferences ?? []
  return (
    owners.length > 0 &&
    owners.every(({ kind }) => isKnown(stored, kind)) &&
    owners.every((owner) => ownerAt(stored, place, owner, Number.POSITIVE_INFINITY) === undefined)
  )
}

function isKnown(stored: StoredObjects, kind: string): boolean {
  const resource = ownerResource(kind)
  return !isCustom(resource) || stateOf(stored.at(definitionPlace(resource), Number.POSITIVE_INFINITY))?.isEstablished === true
}

/**
 * The owner that a reference identifies, at a revision; undefined when it did not exist, or another object had its
 * name.
 */
export function ownerAt(stored: StoredObjects, dependent: Place, reference: OwnerReference, revision: number): ApiObject | undefined {
  const { uid } = reference
  const owner = stored.at(placeOfOwner(dependent, reference), revision)
  return owner?.metadata?.uid === uid ? owner : undefined
}

/** Where the reference says that the owner is. */
export function placeOfOwner({ namespace }: Place, { kind, name }: OwnerReference): Place {
  return { resource: ownerResource(kind), namespace, name }
}
