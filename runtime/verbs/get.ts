import { badRequest } from "../errors.ts"
import { booleanParameter } from "../query.ts"
import { getObject } from "../registry/read.ts"
import { answerVersion } from "./answer.ts"
import { type Call, checkForm, representation } from "./call.ts"
import { getFreshness } from "./list-options.ts"

/** GET of one object: cached bytes to the wire. */
export async function getVerb(call: Call): Promise<void> {
  const { info, query } = call.request
  const wanted = representation(call, { list: false, read: true })
  if (booleanParameter(query, "export") === true) throw badRequest("query parameter export: no longer supported, leave it out")
  const found = await getObject(call.registry, call.handle, { namespace: info.namespace, name: info.name, freshness: getFreshness(query) })
  checkForm(call, wanted, { list: false })
  await answerVersion(call, { wanted, version: found, status: 200 })
}
