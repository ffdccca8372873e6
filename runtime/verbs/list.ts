import { listObjects } from "../registry/read.ts"
import { answerList } from "./answer-list.ts"
import { type Call, checkForm, listRequest, representation } from "./call.ts"
import { readListOptions } from "./list-options.ts"

/** GET of a collection: cached bytes to the wire, with back-pressure. */
export async function listVerb(call: Call): Promise<void> {
  const wanted = representation(call, { list: true, read: true })
  const request = listRequest(call, readListOptions(call.request.query, { watch: false, watchList: false }))
  const page = await listObjects(call.registry, call.handle, request)
  checkForm(call, wanted, { list: true })
  await answerList(call, { wanted, page })
}
