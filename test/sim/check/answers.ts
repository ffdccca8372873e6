/**
 * Answers about objects of every kind must be true: the object was stored as shown, existed when a create was refused
 * because of it, has the right field managers after a patch, and goes after a delete.
 */
import { deepEqual } from "../../../runtime/encoding/field-path.ts"
import { type ApiObject, isObject } from "../../../runtime/base/json.ts"
import type { LifeHistory, ObjectCall } from "../lives/history.ts"
import { isCustom, lastingPart, lastingSpec } from "../lives/definitions.ts"
import { isWatchedOver } from "../lives/steps.ts"
import { type Place, placeText, type StoredObjects } from "../lives/stored-objects.ts"
import { wasGoing, wasUnserved } from "./definitions.ts"
import { applierOf, ownersOf } from "./field-owners.ts"

export function answerFaults({ calls }: LifeHistory, stored: StoredObjects): string[] {
  const told = calls.flatMap((call) =>
    [faultOf(call, stored), appliedFault(call, { calls, stored })].flatMap((why) =>
      why === undefined ? [] : [`answers: ${call.act} of ${placeText(call)} after ${call.since}, answered ${call.status}, ${why}`],
    ),
  )
  return [...told, ...doubleUids(stored)]
}

/** The answer must be a Scale of the object as stored at its version. */
function scaledFault(call: ObjectCall, stored: StoredObjects): string | undefined {
  const version = Number(call.answer.metadata?.resourceVersion)
  const there = stored.history(call).find(({ revision }) => revision === version)?.object
  const { replicas } = lastingSpec(there?.spec)
  return there?.metadata?.uid === call.answer.metadata?.uid && replicas === call.sets
    ? undefined
    : `but ${replicas} were stored at ${version}`
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
    case 405:
      return wasGoing(call, stored) ? undefined : "but its definition was not going"
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
    case "scale":
      return scaledFault(call, stored)
    case "delete":
      return stored.during(call, call).some((state) => isGoing(state)) ? undefined : "but it was never going"
    default:
      return shownFault(call, stored)
  }
}

/**
 * The answer must show the object as stored at its version. Unless nothing was written, this request made that version.
 */
function shownFault({ act, answer, resource, namespace, since, until }: ObjectCall, stored: StoredObjects): string | undefined {
  const place: Place = { resource, namespace, name: answer.metadata?.name ?? "" }
  const version = Number(answer.metadata?.resourceVersion)
  const there = stored.history(place).find(({ revision }) => revision === version)
  // Removing the last finalizer removes the object, and the answer shows its last state without that finalizer.
  if ((act === "let-go" || act === "force") && stored.during(place, { since, until }).includes(undefined)) return undefined
  if (there?.object === undefined || !isShown(resource, there.object, answer)) return `but what it shows was not there at ${version}`
  const next = stored.history(place).find(({ revision }) => revision > version)
  if (version > until || (next !== undefined && next.revision <= since)) return `but shows version ${version}, which was not there then`
  if (act === "create" && (version <= since || there.before !== undefined)) return `but made nothing at ${version}`
  return undefined
}

/** Two kinds of Events share one stored form. The shown form of a custom object depends on its definition too. */
function isShown(resource: Place["resource"], there: ApiObject, shown: ApiObject): boolean {
  if (isCustom(resource)) return deepEqual(lastingPart(shown), lastingPart(there))
  if (resource === "events") return there.metadata?.uid === shown.metadata?.uid
  const { resourceVersion: _resourceVersion, ...metadata } = shown.metadata ?? {}
  return deepEqual({ ...shown, metadata }, there)
}

/** A successful apply owns its field afterwards; without force it has taken the field from no other manager. */
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
  // An earlier request may already have set the value.
  if (revision <= since || textOf(before) === applied.text || forced) return undefined
  const others = ownersOf(before).filter((other) => other !== self)
  return others.length > 0 ? `but took the field from ${others.join()} without force` : undefined
}

function textOf(object: ApiObject | undefined): unknown {
  const fields = object?.data ?? object?.spec
  return isObject(fields) ? fields.shared : undefined
}

function missingFault(call: ObjectCall, stored: StoredObjects): string | undefined {
  if (wasUnserved(call, stored)) return undefined
  const namespaceMissing = call.namespace !== "" && namespaceWas(call, stored, (namespace) => namespace === undefined)
  if (call.version !== undefined && call.name === "") return "but its definition served it all the time"
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
    // The apply lost too many races, which does not concern field managers.
    return !isOwnerConflict(answer) || (!applied.force && states.some(disputed)) ? undefined : "but no other manager wanted another value"
  }
  // A candidate names the version that it read earlier, and another client may have written before this request began.
  if (resource === "leases") return undefined
  // Otherwise the request lost a race, which needs a winner. A namespace that is being deleted is another reason.
  return states.length > 1 || states.some((state) => isGoing(state)) ? undefined : "but nothing has changed"
}

function isOwnerConflict({ details }: ApiObject): boolean {
  return isObject(details) && Array.isArray(details.causes) && details.causes.length > 0
}

/** Only addresses and ports can be refused here: another service has them. */
function takenFault({ act, answer, since, until }: ObjectCall, stored: StoredObjects): string | undefined {
  // The test of a patch failed.
  if (act === "let-go") return undefined
  const text = JSON.stringify(answer)
  const wanted = /10\.0\.0\.\d+|\b30\d\d\d\b/.exec(text)?.[0] ?? ""
  const revisions = [since, ...stored.changes.map(({ revision }) => revision).filter((revision) => revision > since && revision <= until)]
  const held = revisions.some((revision) =>
    stored.all(revision).some(({ place, object }) => place.resource === "services" && JSON.stringify(object.spec).includes(wanted)),
  )
  return held || /may not change|immutable|required/i.test(text) ? undefined : `but no service had ${wanted}`
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

/** Objects with the label that existed during the whole request must be going or gone. */
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

/** A uid belongs to one object only. */
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
