import { badRequest } from "../base/errors.ts"
import { booleanParameter } from "../http/request/query.ts"
import { getObject } from "../registry/read.ts"
import type { CachedObject } from "../storage/cache.ts"
import { answerVersion } from "./answer.ts"
import { checkFormat, negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { getFreshness } from "./list/list-options.ts"

/** GET of one object: sends cached bytes. */
export async function getVerb(call: ResourceRequest): Promise<void> {
  const format = negotiateResponse(call, { list: false, read: true })
  if (booleanParameter(call.request.query, "export") === true) throw badRequest("query parameter export: no longer supported, leave it out")
  const found = await getOperation(call)
  checkFormat(call, format, { list: false })
  await answerVersion(call, { format, version: found, status: 200 })
}

/** Reads an object at the freshness that the query requests. Throws 400 or as `getObject`. */
export function getOperation({ registry, handle, request: { info, query, trace } }: ObjectRequest): Promise<CachedObject> {
  const { namespace, name } = info
  return getObject(registry, handle, { namespace, name, freshness: getFreshness(query), trace })
}
