/** Temporary states, which clients or the server's own controllers must bring to an end. */
import type { ApiObject, OwnerReference } from "../../../runtime/base/json.ts"
import { definitionPlace, isCustom, ownerResource, stateOf } from "./definitions.ts"
import { type Place, placeText, type StoredObjects } from "./stored-objects.ts"

/**
 * Descriptions of the temporary states; empty when there are none. Called when all finalizers of clients have been
 * removed. `steadySince`: since that revision the same process has been the leader.
 */
export function unrest(stored: StoredObjects, steadySince: number): string[] {
  return stored.all().flatMap(({ place, object }) => {
    const text = placeText(place)
    if (object.metadata?.deletionTimestamp !== undefined) return [`${text} is still going`]
    if (place.resource === "customresourcedefinitions") return []
    if ((object.metadata?.finalizers ?? []).length > 0) return [`${text} still has ${object.metadata?.finalizers?.join(" and ")}`]
    return isOrphaned(stored, place, { object, steadySince }) ? [`${text} is still there without any of its owners`] : []
  })
}

/**
 * A dependent without any owner. If the definition of an owner's kind is gone, servers cannot look up the owner: a
 * server that did not see it removed with its definition keeps the dependent.
 */
function isOrphaned(
  stored: StoredObjects,
  place: Place,
  { object, steadySince }: { readonly object: ApiObject; readonly steadySince: number },
): boolean {
  const owners = object.metadata?.ownerReferences ?? []
  return (
    owners.length > 0 &&
    owners.every((owner) => isKnown(stored, owner.kind) || wasSeenToGo(stored, place, { object, owner, steadySince })) &&
    owners.every((owner) => ownerAt(stored, place, owner, Number.POSITIVE_INFINITY) === undefined)
  )
}

/** Whether the present leader saw the end of the owner, with the dependent and its definition in place. */
function wasSeenToGo(
  stored: StoredObjects,
  place: Place,
  { object, owner, steadySince }: { readonly object: ApiObject; readonly owner: OwnerReference; readonly steadySince: number },
): boolean {
  const went = stored
    .history(placeOfOwner(place, owner))
    .find(({ before, object: after }) => before?.metadata?.uid === owner.uid && after === undefined)
  if (went === undefined || steadySince >= went.revision) return false
  const dependent = stored.at(place, went.revision - 1)
  return (
    isKnown(stored, owner.kind, went.revision) &&
    dependent?.metadata?.uid === object.metadata?.uid &&
    dependent?.metadata?.ownerReferences?.some(({ uid }) => uid === owner.uid) === true
  )
}

function isKnown(stored: StoredObjects, kind: string, revision = Number.POSITIVE_INFINITY): boolean {
  const resource = ownerResource(kind)
  return !isCustom(resource) || stateOf(stored.at(definitionPlace(resource), revision))?.isEstablished === true
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

/** The place of the owner that the reference names. */
export function placeOfOwner({ namespace }: Place, { kind, name }: OwnerReference): Place {
  return { resource: ownerResource(kind), namespace, name }
}
