import type { ApiObject } from "../base/json.ts"
import type { WriteResult } from "../registry/commit.ts"
import { createObject } from "../registry/create.ts"
import { answerObject, answerWrite } from "./answer.ts"
import { answeredOperation } from "./answered.ts"
import { attributesOf } from "./attributes.ts"
import { matchNamespace } from "./match-namespace.ts"
import { readObject } from "./request-body.ts"
import { negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { readWriteOptions, type WriteOptions } from "./write-options.ts"

/** POST of one object. */
export async function createVerb(call: ResourceRequest): Promise<void> {
  const format = negotiateResponse(call, { list: false })
  const options = readWriteOptions(call.request.query, "CreateOptions")
  const object = await readObject(call, options)
  if (call.handle.kind.answeredBy !== undefined)
    return answerObject(call, { format, object: await answeredOperation(call, object, options), status: 201 })
  const result = await createOperation(call, object, options)
  await answerWrite(call, { format, result })
}

/** Creates a decoded object. Throws as `createObject`, and 400 for another namespace than in the path. */
export function createOperation(call: ObjectRequest, object: ApiObject, options: WriteOptions): Promise<WriteResult> {
  const { info } = call.request
  matchNamespace(object, info.namespace)
  return createObject(call.registry, call.handle, {
    attributes: attributesOf(call, "CREATE", options),
    object,
    managedFields: call.request.untracked ? undefined : "tracked",
  })
}
