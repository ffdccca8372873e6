import { badRequest } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import type { Subresource } from "../schema/kind.ts"
import { updateObject } from "../registry/update.ts"
import { answerWrite } from "./answer.ts"
import { attributesOf } from "./attributes.ts"
import { readObject } from "./request-body.ts"
import { type ResourceRequest, negotiateResponse } from "./call.ts"
import { matchNamespace } from "./create.ts"
import { readWriteOptions } from "./write-options.ts"

/**
 * PUT of an object, or of a sub-resource with the same kind of body. `next` makes the next object from the body and the
 * stored one.
 */
export async function updateVerb(
  call: ResourceRequest,
  subresource?: Subresource,
  next: (body: ApiObject, old: ApiObject) => ApiObject = (body) => body,
): Promise<void> {
  const { query, warnings } = call.request
  const format = negotiateResponse(call, { list: false })
  const options = readWriteOptions(query, "UpdateOptions")
  const body = await readObject(call, options)
  checkBody(call, body)
  const result = await updateObject(call.registry, call.handle, {
    attributes: attributesOf(call, "UPDATE", options),
    ...(subresource !== undefined && { subresource }),
    warn: (text) => warnings.push(text),
    transform: (old) => (old === undefined ? body : next(body, old)),
    put: true,
    bytes: call.request.bodyBytes,
    managedFields: "tracked",
  })
  await answerWrite(call, { format, result })
}

/** Throws 400 if the body names another object than the path; fills in an absent namespace. */
function checkBody(call: ResourceRequest, body: ApiObject): void {
  const { info } = call.request
  const name = body.metadata?.name ?? ""
  if (name === "")
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided in metadata.name`)
  if (name !== info.name) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
  matchNamespace(body, info.namespace)
}
