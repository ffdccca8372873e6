import { getObject } from "../registry/read.ts"
import { answerVersion } from "./answer.ts"
import { type Call, representation } from "./call.ts"
import { getFreshness } from "./list-options.ts"

/** GET of one object: cached bytes to the wire. */
export async function getVerb(call: Call): Promise<void> {
  const { info, query } = call.request
  const wanted = representation(call, { list: false })
  const found = await getObject(call.registry, call.handle, { namespace: info.namespace, name: info.name, freshness: getFreshness(query) })
  await answerVersion(call, { wanted, version: found, status: 200 })
}
