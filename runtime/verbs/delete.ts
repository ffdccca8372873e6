import { answerVersion } from "./answer.ts"
import { attributesOf } from "./attributes.ts"
import { answerStatus, negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import type { WriteResult } from "../registry/commit.ts"
import { deleteObject } from "../registry/delete.ts"
import { type DeleteOptions, deleteOptions } from "./delete-options.ts"
import { freshVersion } from "./represent.ts"

/** DELETE of one object: removes it, or marks it until its finalizers and its grace period are done. */
export async function deleteVerb(call: ResourceRequest): Promise<void> {
  const { info } = call.request
  const format = negotiateResponse(call, { list: false })
  const options = await deleteOptions(call, { collection: false })
  const result = await deleteOperation(call, options)
  const { kind } = call.handle
  if (!result.removed || kind.rules.deleteReturns === "object") {
    const status = !result.removed && options.orphanDependents === false ? 202 : 200
    return answerVersion(call, { format, version: freshVersion(call.handle, result), status })
  }
  const uid = result.object.metadata?.uid
  return answerStatus(call, { name: info.name, group: kind.group, kind: kind.resource, ...(uid !== undefined && { uid }) })
}

/** Called by each deletion: warns a client that may not expect the effect on dependents. */
export function remindOfDependents({ handle, request }: ObjectRequest, { orphanDependents, propagationPolicy }: DeleteOptions): void {
  const { propagationReminder } = handle.kind.rules
  if (propagationReminder === undefined || orphanDependents !== undefined || propagationPolicy !== undefined) return
  request.warnings.push(propagationReminder)
}

/** Deletes an object, or begins its deletion. Throws as `deleteObject`. */
export function deleteOperation(call: ObjectRequest, options: DeleteOptions): Promise<WriteResult> {
  remindOfDependents(call, options)
  return deleteObject(call.registry, call.handle, { attributes: attributesOf(call, "DELETE", options), ...options })
}
