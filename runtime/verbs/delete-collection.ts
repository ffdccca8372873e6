import { ApiError } from "../errors.ts"
import { deleteObject } from "../registry/delete.ts"
import { listObjects } from "../registry/read.ts"
import { answerList } from "./answer-list.ts"
import { readOptions } from "./body.ts"
import { type Call, listRequest, representation } from "./call.ts"
import { readListOptions } from "./list-options.ts"
import { readDeleteOptions } from "./write-options.ts"

/** DELETE of a collection: lists by selector, deletes each, answers what was listed. An object that went meanwhile counts as deleted. */
export async function deleteCollectionVerb(call: Call): Promise<void> {
  const { query, signal } = call.request
  const wanted = representation(call, { list: true })
  const options = readDeleteOptions(query, await readOptions(call))
  const request = listRequest(call, readListOptions(query, { watch: false, watchList: false }))
  const page = await listObjects(call.registry, call.handle, request)
  const items = [...page.items]
  for (const item of items) {
    if (signal.aborted) return
    try {
      await deleteObject(call.registry, call.handle, {
        ...options,
        namespace: item.field("metadata.namespace"),
        name: item.field("metadata.name"),
      })
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error
    }
  }
  await answerList(call, { wanted, page: { ...page, items } })
}
