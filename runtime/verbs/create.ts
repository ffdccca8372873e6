import { badRequest } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { cut } from "../base/quote.ts"
import type { WriteResult } from "../registry/commit.ts"
import { createObject } from "../registry/create.ts"
import { answerWrite } from "./answer.ts"
import { attributesOf } from "./attributes.ts"
import { readObject } from "./request-body.ts"
import { negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { readWriteOptions, type WriteOptions } from "./write-options.ts"

/** POST of one object. */
export async function createVerb(call: ResourceRequest): Promise<void> {
  const format = negotiateResponse(call, { list: false })
  const options = readWriteOptions(call.request.query, "CreateOptions")
  const object = await readObject(call, options)
  const result = await createOperation(call, object, options)
  await answerWrite(call, { format, result })
}

/** Creates a decoded object. Throws as `createObject`, and 400 for a namespace other than that of the path. */
export function createOperation(call: ObjectRequest, object: ApiObject, options: WriteOptions): Promise<WriteResult> {
  const { info, warnings, bodyBytes } = call.request
  matchNamespace(object, info.namespace)
  return createObject(call.registry, call.handle, {
    attributes: attributesOf(call, "CREATE", options),
    object,
    warn: (text) => warnings.push(text),
    bytes: bodyBytes,
    managedFields: call.request.untracked === true ? undefined : "tracked",
  })
}

/**
 * Sets the namespace of `object` to that of the path. For cluster-scoped objects (`ofPath` is "") it removes a
 * namespace, as the reference does, since charts set one there. Throws 400 if object and path name different ones.
 * Create, update, patch and sub-resources call it before any rule of the kind.
 */
export function matchNamespace({ metadata }: ApiObject, ofPath: string): void {
  if (metadata === undefined) return
  const { namespace = "" } = metadata
  if (ofPath === "") {
    if (metadata.namespace !== undefined) delete metadata.namespace
  } else if (namespace === "") metadata.namespace = ofPath
  else if (namespace !== ofPath) throw badRequest(`${otherNamespaceText}: ${shown(namespace)} in the body, ${shown(ofPath)} in the path`)
}

const otherNamespaceText = "the namespace of the provided object does not match the namespace sent on the request"

function shown(namespace: string): string {
  return JSON.stringify(cut(namespace))
}
