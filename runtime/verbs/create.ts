import { badRequest } from "../errors.ts"
import { cut } from "../kit/quote.ts"
import { createObject } from "../registry/create.ts"
import { answerWrite } from "./answer.ts"
import { readObject } from "./body.ts"
import { type Call, representation, writerOf } from "./call.ts"
import { readWriteOptions } from "./write-options.ts"

/** POST of one object. */
export async function createVerb(call: Call): Promise<void> {
  const { info, query, warnings } = call.request
  const wanted = representation(call, { list: false })
  const options = readWriteOptions(query, "CreateOptions")
  const object = await readObject(call, options)
  checkNamespace(object.metadata?.namespace ?? "", info.namespace)
  const result = await createObject(call.registry, call.handle, {
    namespace: info.namespace,
    object,
    dryRun: options.dryRun,
    warn: (text) => warnings.push(text),
    bytes: call.request.bodyBytes,
    owners: writerOf(call, options),
  })
  await answerWrite(call, { wanted, result })
}

/** Throws 400 when body and path name two namespaces. Used by create and update alike. */
export function checkNamespace(ofBody: string, ofPath: string): void {
  if (ofBody !== "" && ofBody !== ofPath) {
    throw badRequest(
      `the namespace of the provided object does not match the namespace sent on the request: ${JSON.stringify(cut(ofBody))} in the body, ${JSON.stringify(cut(ofPath))} in the path`,
    )
  }
}
