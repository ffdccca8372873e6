import { badRequest } from "../base/errors.ts"
import { booleanParameter } from "../http/request/query.ts"
import { getObject } from "../registry/read.ts"
import { answerVersion } from "./answer.ts"
import { type ResourceRequest, checkFormat, negotiateResponse } from "./call.ts"
import { getFreshness } from "./list/list-options.ts"

/** GET of one object: sends cached bytes. */
export async function getVerb(call: ResourceRequest): Promise<void> {
  const { info, query } = call.request
  const format = negotiateResponse(call, { list: false, read: true })
  if (booleanParameter(query, "export") === true) throw badRequest("query parameter export: no longer supported, leave it out")
  const found = await getObject(call.registry, call.handle, { namespace: info.namespace, name: info.name, freshness: getFreshness(query) })
  checkFormat(call, format, { list: false })
  await answerVersion(call, { format, version: found, status: 200 })
}
