import { badRequest } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import type { Subresource } from "../schema/kind.ts"
import type { WriteResult } from "../registry/commit.ts"
import { dedupOwnerReferences } from "../registry/owner-references.ts"
import { updateObject } from "../registry/update.ts"
import { answerWrite } from "./answer.ts"
import { attributesOf } from "./attributes.ts"
import { creationRight } from "./creation-right.ts"
import { readObject } from "./request-body.ts"
import { negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { matchNamespace } from "./match-namespace.ts"
import { readWriteOptions, type WriteOptions } from "./write-options.ts"

/**
 * The sub-resource that a write is for. `next` makes the next object from the body, or patched object, and the stored
 * one.
 */
export interface WriteScope {
  readonly subresource?: Subresource
  /** Absent: the body is the next object. */
  readonly next?: (body: ApiObject, old: ApiObject) => ApiObject
}

/** PUT of an object, or of a sub-resource with the same kind of body. */
export async function updateVerb(call: ResourceRequest, scope: WriteScope = {}): Promise<void> {
  const format = negotiateResponse(call, { list: false })
  const options = readWriteOptions(call.request.query, "UpdateOptions")
  const body = await readObject(call, options, writtenObject(call))
  const result = await updateOperation(call, body, { options, scope })
  await answerWrite(call, { format, result })
}

/** The object that a PUT replaces, if this process has written it last in the version of the path. */
function writtenObject({ registry, handle, request }: ResourceRequest): ApiObject | undefined {
  if (handle.kind !== handle.stored) return undefined
  const current = handle.cache.get(handle.key(request.info.namespace, request.info.name))
  return current === undefined ? undefined : registry.recent.find(current.key, current.modRevision)?.object
}

/** Replaces an object by a decoded one. Throws as `updateObject`, and 400 if the body names another object. */
export function updateOperation(
  call: ObjectRequest,
  body: ApiObject,
  { options, scope: { subresource, next } }: { options: WriteOptions; scope: WriteScope },
): Promise<WriteResult> {
  const { warnings } = call.request
  matchPath(call, body)
  // Before the look-up of the object: a 404 also carries the warning.
  dedupOwnerReferences(body, (text) => warnings.push(text))
  return updateObject(call.registry, call.handle, {
    attributes: attributesOf(call, "UPDATE", options),
    ...(subresource !== undefined && { subresource }),
    transform: (old) => (old === undefined || next === undefined ? body : next(body, old)),
    put: true,
    creation: { by: "put", authorize: creationRight(call) },
    managedFields: call.request.untracked ? undefined : "tracked",
  })
}

/** Throws 400 if an object has another name or namespace than the path; fills in an absent namespace. */
export function matchPath(call: ObjectRequest, body: ApiObject): void {
  const { info } = call.request
  matchNamespace(body, info.namespace)
  const name = body.metadata?.name ?? ""
  if (name === "")
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided in metadata.name`)
  if (name !== info.name) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
}
