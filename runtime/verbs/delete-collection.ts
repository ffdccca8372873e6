import { ApiError } from "../base/errors.ts"
import { inParallel } from "../base/in-parallel.ts"
import { deleteObject } from "../registry/delete.ts"
import { keyWork, readWork } from "../base/work.ts"
import { metadataOf } from "../registry/stored-metadata.ts"
import { type ListPage, listObjects } from "../registry/read.ts"
import type { CachedObject } from "../storage/cache.ts"
import { answerList } from "./list/answer-list.ts"
import { attributesOf } from "./attributes.ts"
import { listRequest, negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { remindOfDependents } from "./delete.ts"
import { type DeleteOptions, deleteOptions } from "./delete-options.ts"
import { listFreshness, readListOptions } from "./list/list-options.ts"

/** DELETE of a collection. Responds with the list of the deleted objects. */
export async function deleteCollectionVerb(call: ResourceRequest): Promise<void> {
  const format = negotiateResponse(call, { list: true })
  const options = await deleteOptions(call, { collection: true })
  await answerList(call, { format, page: await deleteCollectionOperation(call, options) })
}

/**
 * Lists the selected objects, deletes each of them, and returns the list. Objects created
 * after the list was taken stay, even if one has the name of a listed object. Objects deleted meanwhile count as
 * deleted. Runs `--delete-collection-workers` deletions at a time; the first failure ends the request.
 */
export async function deleteCollectionOperation(call: ObjectRequest, options: DeleteOptions): Promise<ListPage> {
  const { query, signal } = call.request
  remindOfDependents(call, options)
  const listOptions = readListOptions(query, { watch: false, watchList: false })
  // The reference always lists in pages here, for which a bare version means that exact version.
  const freshness = listFreshness({ ...listOptions, limit: Math.max(listOptions.limit, 1) })
  const request = { ...listRequest(call, listOptions), freshness }
  const page = await listObjects(call.registry, call.handle, request)
  const items = [...page.items]
  // A deletion reads the whole object.
  const limits = { atOnce: call.parts.options["delete-collection-workers"], signal, cost: (item: CachedObject) => keyWork + readWork(item) }
  await inParallel(items, limits, (item) => deleteListed(call, options, item))
  return { ...page, items }
}

async function deleteListed(call: ObjectRequest, options: DeleteOptions, item: CachedObject): Promise<void> {
  const { registry, handle } = call
  const [namespace, name] = [item.field("metadata.namespace"), item.field("metadata.name")]
  const uid = uidOf(item)
  try {
    await deleteObject(registry, handle, {
      ...(uid !== "" && { uid }),
      ...options,
      attributes: attributesOf(call, "DELETE", options),
      name,
    })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const now = handle.cache.get(handle.key(namespace, name))
    const isGone =
      error.code === 404 || (options.uid === undefined && error.reason === "Conflict" && (now === undefined || uidOf(now) !== uid))
    if (!isGone) throw error
  }
}

function uidOf(object: CachedObject): string {
  return metadataOf(object).uid ?? ""
}
