import { answerObject } from "./answer.ts"
import { attributesOf } from "./attributes.ts"
import { answerStatus, negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import type { WriteResult } from "../registry/commit.ts"
import { deleteObject } from "../registry/delete.ts"
import { type DeleteOptions, deleteOptions } from "./delete-options.ts"

/** DELETE of one object: removes it, or marks it until its finalizers and its grace period are done. */
export async function deleteVerb(call: ResourceRequest): Promise<void> {
  const { info } = call.request
  const format = negotiateResponse(call, { list: false })
  const options = await deleteOptions(call, { collection: false })
  const result = await deleteOperation(call, options)
  if (!result.removed) {
    return answerObject(call, { format, object: result.object, status: options.orphanDependents === false ? 202 : 200 })
  }
  const { kind } = call.handle
  if (kind.rules.deleteReturns === "object") return answerObject(call, { format, object: result.object, status: 200 })
  const uid = result.object.metadata?.uid
  return answerStatus(call, { name: info.name, group: kind.group, kind: kind.resource, ...(uid !== undefined && { uid }) })
}

/** Called by each deletion: warns a client that may not know what happens to dependents. */
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
