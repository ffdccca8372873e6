/**
 * Effects of an owner's deletion on its dependents. Other checks cover that dependents without owners are deleted in
 * the end, and no others.
 */
import type { ApiObject } from "../../../runtime/base/json.ts"
import type { LifeHistory } from "../lives/history.ts"
import { isWatchedOver } from "../lives/steps.ts"
import { type ObjectChange, placeText, type StoredObjects } from "../lives/stored-objects.ts"
import { endsIt, foreground, isWithin, wasServed } from "./endings.ts"

export function ownerFaults({ calls }: LifeHistory, stored: StoredObjects): string[] {
  return stored.changes.flatMap((change) => {
    const { before, object } = change
    if (!isWatchedOver(change) || before === undefined || object !== undefined) return []
    // A later delete with another propagation policy takes precedence.
    return calls.some((call) => isWithin(call, change) && endsIt(call, change, before)) ? [] : removedOwner(change, stored)
  })
}

/**
 * An owner that orphans its dependents is removed after they dropped their references; one that is deleted in the
 * foreground is removed after the dependents that block it.
 */
function removedOwner(change: ObjectChange, stored: StoredObjects): string[] {
  const [finalizer] = change.before?.metadata?.finalizers ?? []
  if (finalizer !== "orphan" && finalizer !== foreground) return []
  const mark = stored
    .history(change)
    .findLast(({ before, object, revision }) => revision < change.revision && !has(before, finalizer) && has(object, finalizer))
  const uid = change.before?.metadata?.uid ?? ""
  if (mark === undefined) return []
  const namespace = { resource: "namespaces", namespace: "", name: change.namespace } as const
  const emptied = stored.during(namespace, { since: mark.revision, until: change.revision }).some((state) => has(state, undefined))
  if (emptied) return []
  return stored.all(change.revision).flatMap(({ place, object }) => {
    if (!refersTo(object, uid, finalizer) || !refersTo(stored.at(place, mark.revision), uid, finalizer)) return []
    if (!wasServed(stored, place, { since: mark.revision, until: change.revision })) return []
    return [`owners: ${placeText(change)} went at ${change.revision} (${finalizer}), but ${placeText(place)} still belongs to it`]
  })
}

/** Being deleted, with this finalizer or, for undefined, with any. */
function has(object: ApiObject | undefined, finalizer: string | undefined): boolean {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {}
  return deletionTimestamp !== undefined && (finalizer === undefined || finalizers.includes(finalizer))
}

function refersTo(object: ApiObject | undefined, uid: string, finalizer: string): boolean {
  const owners = object?.metadata?.ownerReferences ?? []
  return owners.some((owner) => owner.uid === uid && (finalizer === "orphan" || owner.blockOwnerDeletion === true))
}
