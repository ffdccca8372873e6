import { type ListPage, type ListRequest, listObjects } from "../../registry/read.ts"
import { answerList } from "./answer-list.ts"
import { checkFormat, listRequest, negotiateResponse, type ObjectRequest, type ResourceRequest } from "../call.ts"
import { listOrder } from "./list-extensions.ts"
import { type ListOptions, readListOptions } from "./list-options.ts"

/** GET of a collection: sends cached bytes, with back-pressure. */
export async function listVerb(call: ResourceRequest): Promise<void> {
  const format = negotiateResponse(call, { list: true, read: true })
  const page = await listOperation(call)
  checkFormat(call, format, { list: true })
  await answerList(call, { format, page })
}

/** Reads a page of a collection as the query asks. Throws 422 for options, and as `listObjects`. */
export function listOperation(call: ObjectRequest): Promise<ListPage> {
  const options = readListOptions(call.request.query, { watch: false, watchList: false, extensions: true })
  const plain = listRequest(call, options)
  const request = options.sortBy === "" && !options.count ? plain : extended(call, plain, options)
  return listObjects(call.registry, call.handle, request)
}

/** Binds the token of a sorted list to its order. */
function extended(call: ObjectRequest, plain: ListRequest, { sortBy, count }: ListOptions): ListRequest {
  if (sortBy === "") return { ...plain, count }
  return { ...plain, order: listOrder(call.handle, sortBy), tokenScope: `${plain.tokenScope}\0sortBy=${sortBy}`, signal: call.request }
}
