/**
 * Endings of objects: each has a reason, waits for finalizers, and is final. A namespace that is removed is empty, and
 * no object is created in it once its deletion has begun. Specification sections 2.1 and 3.1.
 */
import type { ApiObject, OwnerReference } from "../../../runtime/base/json.ts"
import type { LifeHistory, ObjectCall } from "../lives/history.ts"
import { holder } from "../lives/clients.ts"
import { definitionPlace, isCustom, statesDuring } from "../lives/definitions.ts"
import { ownerAt, placeOfOwner } from "../lives/rest.ts"
import { isWatchedOver } from "../lives/steps.ts"
import { type ObjectChange, type Place, placeText, type StoredObjects } from "../lives/stored-objects.ts"
import { timeToLiveMs } from "./times-to-live.ts"

export const foreground = "foregroundDeletion"

export function endingFaults({ calls }: LifeHistory, stored: StoredObjects): string[] {
  const scope = { calls, stored }
  return stored.changes.flatMap((change) => {
    if (!isWatchedOver(change)) return []
    const faults = change.before === undefined ? birthFaults(change, scope) : lifeFaults(change, change.before, scope)
    return faults.map((fault) => `endings: ${placeText(change)} at ${change.revision} ${fault}`)
  })
}

interface Scope {
  readonly calls: readonly ObjectCall[]
  readonly stored: StoredObjects
}

/** An object in a namespace was admitted while the namespace existed and its deletion had not begun. */
function birthFaults(change: ObjectChange, { calls, stored }: Scope): string[] {
  if (change.namespace === "") return []
  const namespace = namespaceOf(change)
  const there = stored.at(namespace, change.revision - 1)
  if (there === undefined) return ["was made in a namespace that was not there"]
  const going = stored
    .history(namespace)
    .findLast(({ object, revision }) => revision < change.revision && object?.metadata?.deletionTimestamp === undefined)
  const since = stored.history(namespace).find(({ revision }) => revision > (going?.revision ?? 0))?.revision
  if (since === undefined || since >= change.revision) return []
  const admitted = calls.some((call) => makes(call, change) && call.since < since)
  return admitted ? [] : [`was asked for when its namespace had been going since ${since}`]
}

function lifeFaults(change: ObjectChange, before: ApiObject, scope: Scope): string[] {
  const { object } = change
  const [was, is] = [before.metadata ?? {}, object?.metadata]
  const faults: string[] = []
  const ends = was.deletionTimestamp === undefined && (is === undefined || is.deletionTimestamp !== undefined)
  if (ends && !hasReason(change, before, scope)) faults.push("ended without a reason")
  if (is === undefined) return [...faults, ...removalFaults(change, before, scope)]
  if (is.uid !== was.uid || is.creationTimestamp !== was.creationTimestamp) faults.push("became another object")
  if (was.deletionTimestamp === undefined) return faults
  if (is.deletionTimestamp === undefined) faults.push("was going and came back")
  else if (is.deletionTimestamp > was.deletionTimestamp) faults.push("was going and got longer to live")
  if (is.finalizers?.includes(holder) === true && was.finalizers?.includes(holder) !== true) faults.push("was going and is held again")
  return faults
}

/** No object with a holding finalizer is removed; a namespace is removed after everything in it. */
function removalFaults(change: ObjectChange, { metadata, spec }: ApiObject, { calls, stored }: Scope): string[] {
  const faults: string[] = []
  const finalizers = metadata?.finalizers ?? []
  if (finalizers.length > 1) faults.push(`was removed with the finalizers ${finalizers.join(" and ")}`)
  if (finalizers.length > 0 && metadata?.deletionTimestamp === undefined) faults.push("was removed at once in spite of a finalizer")
  if (finalizers.includes(holder) && !calls.some((call) => call.act === "let-go" && covers(call, change) && isWithin(call, change)))
    faults.push("was removed although its finalizer was never removed")
  if (change.resource !== "namespaces") return faults
  if (metadata?.deletionTimestamp === undefined) faults.push(`was removed at once with ${JSON.stringify(spec)}`)
  const going = stored.history(change).findLast((one) => one.before !== undefined && one.before.metadata?.deletionTimestamp === undefined)
  const when = { since: going?.revision ?? 0, until: change.revision }
  for (const { place } of stored.all(change.revision))
    if (place.namespace === change.name && wasServed(stored, place, when)) faults.push(`left ${placeText(place)} behind`)
  return faults
}

/** Whether servers saw the object all the time: none looks for it after its definition was removed by force. */
export function wasServed(stored: StoredObjects, { resource }: Place, when: { readonly since: number; readonly until: number }): boolean {
  return !isCustom(resource) || statesDuring(stored, resource, when).every((state) => state?.isEstablished === true)
}

function hasReason(change: ObjectChange, before: ApiObject, { calls, stored }: Scope): boolean {
  if (calls.some((call) => isWithin(call, change) && endsIt(call, change, before))) return true
  if (change.namespace !== "" && stored.at(namespaceOf(change), change.revision - 1)?.metadata?.deletionTimestamp !== undefined) return true
  if (isCustom(change.resource) && wasEmptied(stored, definitionPlace(change.resource), change.revision)) return true
  if (change.resource === "events" && hasOutlived(change, { calls, stored })) return true
  const owners = before.metadata?.ownerReferences ?? []
  return owners.length > 0 && owners.every((owner) => isNoOwner(stored, change, owner))
}

/**
 * Whether a definition was being deleted, or was when it last existed: a server that empties it may be about to delete
 * objects when a client removes it by force.
 */
function wasEmptied(stored: StoredObjects, definition: Place, revision: number): boolean {
  const last = stored.history(definition).findLast((one) => one.revision < revision)
  return (last?.object ?? last?.before)?.metadata?.deletionTimestamp !== undefined
}

/** Whether the request deletes this object. */
export function endsIt(call: ObjectCall, change: ObjectChange, before: ApiObject): boolean {
  if (call.act === "delete") return covers(call, change)
  const isSwept = call.act === "sweep" && call.resource === change.resource && call.namespace === change.namespace
  return isSwept && (call.label === undefined || before.metadata?.labels?.in === call.label)
}

/**
 * The owner is gone, or is being deleted in the foreground: it need not wait for dependents that do not block it, and
 * they are deleted too.
 */
function isNoOwner(stored: StoredObjects, change: ObjectChange, owner: OwnerReference): boolean {
  if (ownerAt(stored, change, owner, change.revision - 1) === undefined) return true
  return stored
    .history(placeOfOwner(change, owner))
    .some(({ object, revision }) => revision < change.revision && object?.metadata?.uid === owner.uid && isGoingLast(object))
}

function isGoingLast({ metadata }: ApiObject): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(foreground) === true
}

/** While a clock was stepped, the time to live cannot be checked. */
function hasOutlived(change: ObjectChange, { calls, stored }: Scope): boolean {
  const written = stored.history(change).findLast(({ revision }) => revision < change.revision)
  const call = calls.find((candidate) => written !== undefined && makes(candidate, written))
  if (written === undefined) return false
  if (change.at.steps !== written.at.steps || (call !== undefined && call.at.steps !== written.at.steps)) return true
  return change.at.ms >= Math.min(written.at.ms, call?.at.ms ?? written.at.ms) + timeToLiveMs
}

function makes(call: ObjectCall, change: ObjectChange): boolean {
  const isCreating = call.act === "create" || call.applied !== undefined
  const isNamed = call.generate === true ? change.name.startsWith("g-") : call.name === change.name
  return isCreating && isNamed && call.resource === change.resource && call.namespace === change.namespace && isWithin(call, change)
}

function covers(call: ObjectCall, place: Place): boolean {
  return call.resource === place.resource && call.namespace === place.namespace && call.name === place.name
}

/**
 * Whether the request was, or may have been, in progress at the change. A server tries again a commit whose outcome it
 * does not know. The JSON patch that removes a finalizer then finds it removed, by itself, and is refused with 422.
 */
export function isWithin({ act, since, until, status = 0 }: ObjectCall, { revision }: ObjectChange): boolean {
  const refused = status >= 400 && status < 500
  const mayHaveHappened = act === "let-go" && status === 422
  return (!refused || mayHaveHappened) && since < revision && revision <= until
}

function namespaceOf({ namespace }: Place): Place {
  return { resource: "namespaces", namespace: "", name: namespace }
}
