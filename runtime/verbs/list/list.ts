import { type ListRequest, listObjects } from "../../registry/read.ts"
import { answerList } from "./answer-list.ts"
import { type ResourceRequest, checkFormat, listRequest, negotiateResponse } from "../call.ts"
import { listOrder } from "./list-extensions.ts"
import { type ListOptions, readListOptions } from "./list-options.ts"

/** GET of a collection: sends cached bytes, with back-pressure. */
export async function listVerb(call: ResourceRequest): Promise<void> {
  const format = negotiateResponse(call, { list: true, read: true })
  const options = readListOptions(call.request.query, { watch: false, watchList: false, extensions: true })
  const plain = listRequest(call, options)
  const request = options.sortBy === "" && !options.count ? plain : extended(call, plain, options)
  const page = await listObjects(call.registry, call.handle, request)
  checkFormat(call, format, { list: true })
  await answerList(call, { format, page })
}

/** Binds the token of a sorted list to its order. */
function extended(call: ResourceRequest, plain: ListRequest, { sortBy, count }: ListOptions): ListRequest {
  if (sortBy === "") return { ...plain, count }
  return { ...plain, order: listOrder(call.handle, sortBy), tokenScope: `${plain.tokenScope}\0sortBy=${sortBy}`, signal: call.request }
}
