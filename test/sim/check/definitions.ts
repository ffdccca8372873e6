/**
 * Definitions and their objects. Objects exist only under the definition that they were made under, none is made while
 * that is being deleted, each is stored by the schema and in the storage version of that moment, and
 * `status.storedVersions` names every version in which objects are stored.
 */
import { definitionPlace, isCustom, markIn, marksOf, stateOf, statesDuring } from "../lives/definitions.ts"
import type { LifeHistory, ObjectCall } from "../lives/history.ts"
import { type ObjectChange, placeText, type StoredObjects } from "../lives/stored-objects.ts"

export function definitionFaults({ calls }: LifeHistory, stored: StoredObjects): string[] {
  return stored.changes.flatMap((change) => {
    const faults = isCustom(change.resource) ? writeFaults(change, stored) : removalFaults(change, stored, calls)
    return faults.map((fault) => `definitions: ${placeText(change)} at ${change.revision} ${fault}`)
  })
}

/** A write of a custom object. */
function writeFaults(change: ObjectChange, stored: StoredObjects): string[] {
  const { resource, revision, object, before } = change
  if (object === undefined || !isCustom(resource)) return []
  const definition = stateOf(stored.at(definitionPlace(resource), revision - 1))
  if (definition === undefined || !definition.isEstablished) return ["was written without a definition"]
  const faults: string[] = []
  if (before === undefined && definition.isGoing) faults.push("was made while its definition was going")
  const version = object.apiVersion?.split("/")[1] ?? ""
  if (version !== definition.storage) faults.push(`was stored in ${version}, which was not the storage version`)
  if (!definition.storedVersions.includes(version)) faults.push(`was stored in ${version}, which is none of the stored versions`)
  const marks = marksOf(object).join()
  const due = markIn(definition.mark, definition.storage)
  if (marks !== due) faults.push(`was stored by the schema ${marks}, but ${due} held`)
  return faults
}

/**
 * A definition that is removed is empty, unless a client removed its finalizers, and forgets no version in which its
 * objects are stored. Objects of an earlier definition are not its own until they are written again.
 */
function removalFaults(change: ObjectChange, stored: StoredObjects, calls: readonly ObjectCall[]): string[] {
  const { resource, name, revision, object } = change
  if (resource !== "customresourcedefinitions") return []
  const state = stateOf(object)
  const isForced = calls.some((call) => call.act === "force" && call.name === name && call.since < revision)
  const born = stored.history(change).findLast((one) => one.before === undefined && one.revision <= revision)?.revision ?? 0
  return stored.all(revision).flatMap(({ place, object: { apiVersion = "" } }) => {
    if (!isCustom(place.resource) || definitionPlace(place.resource).name !== name) return []
    if (state === undefined) return isForced ? [] : [`went and left ${placeText(place)}`]
    const written = stored.history(place).findLast((one) => one.revision <= revision)?.revision ?? 0
    if (written < born) return []
    const version = apiVersion.split("/")[1] ?? ""
    return state.storedVersions.includes(version) ? [] : [`does not say that ${placeText(place)} is stored in ${version}`]
  })
}

/**
 * Whether the definition may not have served the version of a request, on a server that may lag. A process serves the
 * definitions that existed at its start before it answers with 404.
 */
export function wasUnserved(call: ObjectCall, stored: StoredObjects): boolean {
  const { resource, version, startedAt = 0, until } = call
  if (version === undefined || !isCustom(resource)) return false
  const states = statesDuring(stored, resource, { since: startedAt, until })
  return states.some((state) => state?.isEstablished !== true || !state.served.includes(version))
}

/** Whether the definition was being deleted during the request, on a server that may lag. */
export function wasGoing({ resource, startedAt = 0, until }: ObjectCall, stored: StoredObjects): boolean {
  return isCustom(resource) && statesDuring(stored, resource, { since: startedAt, until }).some((state) => state?.isGoing === true)
}
