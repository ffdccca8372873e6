/** What answers about objects of every kind say was so: written as told, there when refused for being there, owned as patched, gone when deleted. */
import { deepEqual } from "../../../runtime/kit/field-path.ts"
import { type ApiObject, isObject } from "../../../runtime/kit/json.ts"
import type { LifeHistory, ObjectCall } from "../lives/history.ts"
import { isWatchedOver } from "../lives/steps.ts"
import { type Place, placeText, type StoredObjects } from "../lives/stored-objects.ts"
import { applierOf, ownersOf } from "./field-owners.ts"

export function answerFaults({ calls }: LifeHistory, stored: StoredObjects): string[] {
  const told = calls.flatMap((call) =>
    [faultOf(call, stored), appliedFault(call, { calls, stored })].flatMap((why) =>
      why === undefined ? [] : [`answers: ${call.act} of ${placeText(call)} after ${call.since}, answered ${call.status}, ${why}`],
    ),
  )
  return [...told, ...doubleUids(stored)]
}

function faultOf(call: ObjectCall, stored: StoredObjects): string | undefined {
  switch (call.status) {
    case 200:
    case 201:
      return doneFault(call, stored)
    case 403:
      return namespaceWas(call, stored, (namespace) => isGoing(namespace)) ? undefined : "but its namespace was not going"
    case 404:
      return missingFault(call, stored)
    case 409:
      return conflictFault(call, stored)
    case 422:
      return takenFault(call, stored)
    default:
      return undefined
  }
}

function doneFault(call: ObjectCall, stored: StoredObjects): string | undefined {
  switch (call.act) {
    case "list":
      return listFault(call, stored)
    case "sweep":
      return sweepFault(call, stored)
    case "delete":
      return stored.during(call, call).some((state) => isGoing(state)) ? undefined : "but it was never going"
    default:
      return shownFault(call, stored)
  }
}

/** The answer is what was stored at its version; unless nothing was written, that version is of this very request. */
function shownFault({ act, answer, resource, namespace, since, until }: ObjectCall, stored: StoredObjects): string | undefined {
  const place: Place = { resource, namespace, name: answer.metadata?.name ?? "" }
  const version = Number(answer.metadata?.resourceVersion)
  const there = stored.history(place).find(({ revision }) => revision === version)
  // The last finalizer that goes takes the object with it, and the answer shows the object as it was last, without that.
  if (act === "let-go" && stored.during(place, { since, until }).includes(undefined)) return undefined
  if (there?.object === undefined || !isShown(resource, there.object, answer)) return `but what it shows was not there at ${version}`
  const next = stored.history(place).find(({ revision }) => revision > version)
  if (version > until || (next !== undefined && next.revision <= since)) return `but shows version ${version}, which was not there then`
  if (act === "create" && (version <= since || there.before !== undefined)) return `but made nothing at ${version}`
  return undefined
}

/** Two kinds of Events share what is stored. */
function isShown(resource: Place["resource"], there: ApiObject, shown: ApiObject): boolean {
  if (resource === "events") return there.metadata?.uid === shown.metadata?.uid
  const { resourceVersion: _resourceVersion, ...metadata } = shown.metadata ?? {}
  return deepEqual({ ...shown, metadata }, there)
}

/** An apply that was taken owns its field afterwards; one that was not forced has taken it from nobody. */
function appliedFault(call: ObjectCall, { calls, stored }: { calls: readonly ObjectCall[]; stored: StoredObjects }): string | undefined {
  const { applied, answer, manager = "", since, status = 0 } = call
  if (applied === undefined || status >= 300) return undefined
  const revision = Number(answer.metadata?.resourceVersion)
  const change = stored.history(call).find((candidate) => candidate.revision === revision)
  if (change === undefined) return undefined
  const { before, object } = change
  const self = applierOf(manager)
  if (!ownersOf(object).includes(self)) return `but ${self} does not own what it applied`
  const forced = calls.some(
    (other) => other.applied?.force === true && other.manager === manager && other.since < revision && revision <= other.until,
  )
  // It may have found what it wanted, as it was left by an earlier request.
  if (revision <= since || textOf(before) === applied.text || forced) return undefined
  const others = ownersOf(before).filter((other) => other !== self)
  return others.length > 0 ? `but took the field from ${others.join()} without force` : undefined
}

function textOf(object: ApiObject | undefined): unknown {
  return isObject(object?.data) ? object.data.shared : undefined
}

function missingFault(call: ObjectCall, stored: StoredObjects): string | undefined {
  const namespaceMissing = call.namespace !== "" && namespaceWas(call, stored, (namespace) => namespace === undefined)
  if (namespaceMissing || (call.act !== "create" && stored.during(call, call).includes(undefined))) return undefined
  return "but it was there all the time"
}

function conflictFault(call: ObjectCall, stored: StoredObjects): string | undefined {
  const { act, answer, applied, manager = "", resource } = call
  const states = stored.during(call, call)
  if (act === "create") {
    if (call.generate === true) return "but it left the name to the server"
    return states.some((state) => state !== undefined) ? undefined : "but it was never there"
  }
  if (applied !== undefined) {
    const disputed = (state: ApiObject | undefined): boolean =>
      textOf(state) !== applied.text && ownersOf(state).some((other) => other !== applierOf(manager))
    // Somebody else was faster too often: that says nothing of owners.
    return !isOwnerConflict(answer) || (!applied.force && states.some(disputed)) ? undefined : "but nobody else wanted the field otherwise"
  }
  // A candidate names the version that it has read before, and somebody may have been faster before it even asked.
  if (resource === "leases") return undefined
  // Otherwise it lost a race, which takes somebody who won it; a namespace on its way says so too.
  return states.length > 1 || states.some((state) => isGoing(state)) ? undefined : "but nothing has changed"
}

function isOwnerConflict({ details }: ApiObject): boolean {
  return isObject(details) && Array.isArray(details.causes) && details.causes.length > 0
}

/** Only addresses and ports can be refused here: somebody has them. */
function takenFault({ answer, since, until }: ObjectCall, stored: StoredObjects): string | undefined {
  const text = JSON.stringify(answer)
  const wanted = /10\.0\.0\.\d+|\b30\d\d\d\b/.exec(text)?.[0] ?? ""
  const revisions = [since, ...stored.changes.map(({ revision }) => revision).filter((revision) => revision > since && revision <= until)]
  const held = revisions.some((revision) =>
    stored.all(revision).some(({ place, object }) => place.resource === "services" && JSON.stringify(object.spec).includes(wanted)),
  )
  return held || /may not change|immutable|required/i.test(text) ? undefined : `but nobody had ${wanted}`
}

function listFault({ answer, resource, namespace, since, until }: ObjectCall, stored: StoredObjects): string | undefined {
  const version = Number(answer.metadata?.resourceVersion)
  if (version < since || (version > until && until !== Number.POSITIVE_INFINITY)) return `but shows version ${version}, not one of its time`
  const due = stored
    .all(version)
    .filter(({ place }) => place.resource === resource && place.namespace === namespace)
    .filter(({ place }) => resource !== "namespaces" || isWatchedOver(place))
    .map(({ place, object }) => `${place.name} ${object.metadata?.uid}`)
  const shown = (Array.isArray(answer.items) ? answer.items : [])
    .map((item) => (isObject(item) && isObject(item.metadata) ? item.metadata : {}))
    .filter(({ name }) => resource !== "namespaces" || isWatchedOver({ resource, namespace, name: String(name) }))
    .map(({ name, uid }) => `${name} ${uid}`)
  return deepEqual(due.sort(), shown.sort()) ? undefined : `but shows ${shown.join()} at ${version}, there were ${due.join()}`
}

/** What was there all the time and has the label is going or gone. */
function sweepFault({ resource, namespace, label, since, until }: ObjectCall, stored: StoredObjects): string | undefined {
  const left = stored.all(since).filter(({ place, object }) => {
    if (place.resource !== resource || place.namespace !== namespace) return false
    const states = stored.during(place, { since, until })
    const stays = states.every((state) => state?.metadata?.uid === object.metadata?.uid && !isGoing(state))
    return stays && states.every((state) => label === undefined || state?.metadata?.labels?.in === label)
  })
  return left.length === 0 ? undefined : `but left ${left.map(({ place }) => place.name).join()}`
}

function namespaceWas(call: ObjectCall, stored: StoredObjects, holds: (namespace: ApiObject | undefined) => boolean): boolean {
  return stored.during({ resource: "namespaces", namespace: "", name: call.namespace }, call).some(holds)
}

function isGoing(object: ApiObject | undefined): boolean {
  return object === undefined || object.metadata?.deletionTimestamp !== undefined
}

/** One uid, one life. */
function doubleUids(stored: StoredObjects): string[] {
  const seen = new Map<string, string>()
  return stored.changes.flatMap((change) => {
    const uid = change.object?.metadata?.uid
    if (uid === undefined || change.before !== undefined) return []
    const other = seen.get(uid)
    seen.set(uid, placeText(change))
    return other === undefined ? [] : [`answers: ${placeText(change)} has the uid that ${other} had`]
  })
}
