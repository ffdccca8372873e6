import { ApiError } from "../errors.ts"
import { inParallel } from "../kit/in-parallel.ts"
import { deleteObject } from "../registry/delete.ts"
import { listObjects } from "../registry/read.ts"
import { answerList } from "./answer-list.ts"
import { type Call, listRequest, representation } from "./call.ts"
import { deleteOptions } from "./delete-options.ts"
import { listFreshness, readListOptions } from "./list-options.ts"

/**
 * DELETE of a collection: lists by selector, deletes each, answers what was listed. What is made after the list was taken stays, what went
 * meanwhile counts as deleted. `--delete-collection-workers` delete at once; the first that fails ends the request.
 */
export async function deleteCollectionVerb(call: Call): Promise<void> {
  const { query, signal } = call.request
  const wanted = representation(call, { list: true })
  const options = await deleteOptions(call, { collection: true })
  const listOptions = readListOptions(query, { watch: false, watchList: false })
  // The reference always lists by pages here, for which a bare version means that very version.
  const freshness = listFreshness({ ...listOptions, limit: Math.max(listOptions.limit, 1) })
  const request = { ...listRequest(call, listOptions), freshness }
  const page = await listObjects(call.registry, call.handle, request)
  const items = [...page.items]
  await inParallel(items, { atOnce: call.parts.settings.deleteCollectionWorkers ?? 1, signal }, async (item) => {
    const [namespace, name] = [item.field("metadata.namespace"), item.field("metadata.name")]
    try {
      await deleteObject(call.registry, call.handle, { ...options, namespace, name })
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) throw error
    }
  })
  await answerList(call, { wanted, page: { ...page, items } })
}
