/**
 * Sub-resources of custom objects: the object is written without its status, the status without the rest, the scale
 * changes the number of replicas alone, and the generation counts the changes of the spec.
 */
import type { ApiObject, JsonObject } from "../../../runtime/base/json.ts"
import { deepEqual } from "../../../runtime/encoding/field-path.ts"
import { stray } from "../lives/clients.ts"
import { isCustom, lastingPart, lastingSpec } from "../lives/definitions.ts"
import { isWithin } from "./endings.ts"
import type { LifeHistory, ObjectCall } from "../lives/history.ts"
import { type ObjectChange, placeText, type StoredObjects } from "../lives/stored-objects.ts"

export function subresourceFaults({ calls }: LifeHistory, stored: StoredObjects): string[] {
  const written = stored.changes.flatMap((change) =>
    storedFaults(change, calls).map((fault) => `subresources: ${placeText(change)} at ${change.revision} ${fault}`),
  )
  return [...written, ...calls.flatMap((call) => writeFaults(call, stored))]
}

function storedFaults(change: ObjectChange, calls: readonly ObjectCall[]): string[] {
  const { resource, before, object } = change
  if (!isCustom(resource) || object === undefined) return []
  const faults: string[] = []
  if (JSON.stringify([object.metadata?.labels, object.spec, object.status]).includes(stray))
    faults.push("has what its request may not write")
  const generation = object.metadata?.generation ?? 0
  if (before === undefined || before.metadata?.uid !== object.metadata?.uid) {
    if (object.status !== undefined) faults.push("was made with a status")
    if (generation !== 1) faults.push(`was made as generation ${generation}`)
    return faults
  }
  const counted = generation - (before.metadata?.generation ?? 0)
  const begins = before.metadata?.deletionTimestamp === undefined && object.metadata?.deletionTimestamp !== undefined
  const isChanged = !deepEqual(lastingSpec(before.spec), lastingSpec(object.spec))
  // Differences that another definition makes in the spec count as well, and those that the version of a request makes,
  // though they are not stored.
  const mayCount = begins || !deepEqual(before.spec, object.spec) || calls.some((call) => isOfOtherVersion(call, change))
  if (counted < (isChanged ? 1 : 0) || counted > (mayCount ? 1 : 0))
    faults.push(`went from generation ${generation - counted} to ${generation}`)
  return faults
}

function isOfOtherVersion(call: ObjectCall, change: ObjectChange): boolean {
  const isSame = call.resource === change.resource && call.namespace === change.namespace && call.name === change.name
  return isSame && call.version !== change.object?.apiVersion?.split("/")[1] && isWithin(call, change)
}

/** Faults of a successful write of a sub-resource, where it was the one that made the version of its answer. */
function writeFaults(call: ObjectCall, stored: StoredObjects): string[] {
  const { act, answer, sets, since, status = 0 } = call
  if ((act !== "status" && act !== "scale" && act !== "change") || status >= 300 || !isCustom(call.resource)) return []
  const revision = Number(answer.metadata?.resourceVersion)
  const change = stored.history(call).find((one) => one.revision === revision)
  if (change?.before === undefined || change.object === undefined || revision <= since) return []
  const [was, is] = [partsOf(change.before), partsOf(change.object)]
  const touched = act === "status" ? "status" : act === "scale" ? "replicas" : "spec"
  const faults = Object.keys(is).filter(
    (part) => part !== touched && !(touched === "spec" && part === "replicas") && !deepEqual(was[part], is[part]),
  )
  const isSet = act === "change" || deepEqual(is[touched], act === "status" ? { state: sets ?? "" } : (sets ?? 0))
  if (!isSet) faults.push(`not to ${sets}`)
  return faults.length === 0 ? [] : [`subresources: a write of ${touched} of ${placeText(call)} at ${revision} changed ${faults.join()}`]
}

/** The parts of an object that only one kind of write may change; `null` for an absent part. */
function partsOf(object: ApiObject): JsonObject {
  const { replicas = null, ...spec } = lastingSpec(object.spec)
  const { metadata = null, status = null } = lastingPart({ ...object, metadata: { ...object.metadata, generation: 0 } })
  return { metadata, replicas, spec, status }
}
