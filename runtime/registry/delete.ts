/** Deletion in two phases; specification section 3.1 and the catalog's `deletion` rules. */
import { conflict, notFound } from "../errors.ts"
import { deepEqual } from "../kit/field-path.ts"
import type { ApiObject, ObjectMeta } from "../kit/json.ts"
import { conflictRetries, staleReadTimeoutMs } from "../limits.ts"
import type { CachedObject } from "../storage/cache.ts"
import { commitDelete, commitPut, noRiders, ridersOf, type CommitOutcome, type WriteResult } from "./commit.ts"
import { secondsText } from "./create.ts"
import { parseObject } from "./object-codec.ts"
import { finalizersFor, type Propagation } from "./propagation.ts"
import { awaitFreshness, subjectOf } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { removable } from "./update.ts"

export interface DeleteRequest extends Propagation {
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
  /** Seconds; less than 0 counts as 1. Kinds that do not delete gracefully pass over it. */
  readonly gracePeriodSeconds?: number
  /** Preconditions: 409 unless the stored object has exactly these. An empty one never holds. */
  readonly uid?: string
  readonly resourceVersion?: string
}

/** What a delete request makes of an object. */
interface Step {
  readonly next: ApiObject
  /** Nothing holds the object any more: it is removed, and `next` is what is answered. */
  readonly removes: boolean
}

/** Called by DELETE and, item by item, by deletecollection and namespace emptying. `removed: false`: finalizers or a grace period keep the object. */
export async function deleteObject(registry: Registry, handle: KindHandle, request: DeleteRequest): Promise<WriteResult> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const key = handle.key(request.namespace, request.name)
  for (let attempt = 1; ; attempt++) {
    const current = handle.cache.get(key)
    if (current === undefined) throw notFound(subjectOf(handle, request.name))
    const outcome = await attemptDelete(registry, handle, request, { key, current })
    if (outcome.ok) return outcome.result
    if (attempt >= conflictRetries)
      throw conflict(subjectOf(handle, request.name), "the object kept changing while it was being deleted; try again")
    await handle.cache.waitFor(outcome.revision, staleReadTimeoutMs)
  }
}

async function attemptDelete(
  registry: Registry,
  handle: KindHandle,
  request: DeleteRequest,
  state: { key: string; current: CachedObject },
): Promise<CommitOutcome> {
  const { key, current } = state
  const { dryRun, namespace, name } = request
  const old = handle.fromStored(parseObject(current.json()))
  checkPreconditions(handle, request, old)
  for (const admit of registry.deps.admission) await admit({ operation: "delete", handle, namespace, name, old, dryRun })
  const { next, removes } = stepOf(registry, handle, request, old)
  if (removes) {
    const riders = await ridersOf(handle, { old }, { dryRun })
    return commitDelete(registry, { key, expected: current.modRevision, object: next, riders, dryRun, stamped: true })
  }
  if (deepEqual(next, old)) return { ok: true, result: { object: old, created: false, removed: false } }
  return commitPut(registry, handle, { key, expected: current.modRevision, object: next, riders: noRiders, dryRun, created: false })
}

function checkPreconditions(handle: KindHandle, request: DeleteRequest, old: ApiObject): void {
  const { group, kind, resource } = handle.kind
  // The reference names the kind here, and the resource only where deletion is the kind's own.
  const subject = { group, resource: deletesInSteps(handle) ? resource : kind, name: request.name }
  const { uid = "", resourceVersion = "" } = old.metadata ?? {}
  if (request.uid !== undefined && request.uid !== uid)
    throw conflict(subject, `Precondition failed: UID in precondition: ${request.uid}, UID in object meta: ${uid}`)
  if (request.resourceVersion !== undefined && request.resourceVersion !== resourceVersion) {
    throw conflict(
      subject,
      `Precondition failed: ResourceVersion in precondition: ${request.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    )
  }
}

function deletesInSteps({ behaviours }: KindHandle): boolean {
  return behaviours.some((behaviour) => behaviour.deletesInSteps === true)
}

function stepOf(registry: Registry, handle: KindHandle, request: DeleteRequest, old: ApiObject): Step {
  const metadata = old.metadata ?? {}
  if (deletesInSteps(handle)) {
    if (metadata.deletionTimestamp === undefined) return { next: marked(registry, handle, request, old), removes: false }
    if (!handle.behaviours.every((behaviour) => behaviour.mayRemove?.(old) ?? true)) return { next: old, removes: false }
  }
  const graceful = handle.behaviours.some((behaviour) => behaviour.graceSeconds !== undefined)
  if (!graceful) return plainStep(registry, handle, request, old)
  if (metadata.deletionTimestamp === undefined)
    return heldOrRemoved(handle, marked(registry, handle, request, old, graceOf(handle, request, old)))
  const before = metadata.deletionGracePeriodSeconds ?? 0
  if (before === 0) return plainStep(registry, handle, request, old)
  const asked = askedGrace(request)
  // Only a shorter period is heard; otherwise the request changes nothing, its propagation included.
  if (asked === undefined || asked >= before) return { next: old, removes: false }
  const begunMs = Date.parse(metadata.deletionTimestamp) - before * 1000
  const shortened = { deletionTimestamp: secondsText(begunMs + asked * 1000), deletionGracePeriodSeconds: asked }
  const finalizers = finalizersFor(registry, handle, request, metadata)
  return heldOrRemoved(handle, { ...old, metadata: { ...withFinalizers(metadata, finalizers), ...shortened } })
}

/** Without a grace period: removed as it is, or marked for those whose finalizers hold it. */
function plainStep(registry: Registry, handle: KindHandle, request: DeleteRequest, old: ApiObject): Step {
  const metadata = old.metadata ?? {}
  const finalizers = finalizersFor(registry, handle, request, metadata)
  if (finalizers.length === 0) return { next: old, removes: true }
  if (metadata.deletionTimestamp === undefined) return { next: marked(registry, handle, request, old, 0), removes: false }
  const nowMs = registry.deps.clock.nowMs()
  const ahead = Date.parse(metadata.deletionTimestamp) > nowMs && { deletionTimestamp: secondsText(nowMs) }
  const next = { ...withFinalizers(metadata, finalizers), ...ahead, deletionGracePeriodSeconds: 0 }
  return { next: { ...old, metadata: next }, removes: false }
}

function heldOrRemoved(handle: KindHandle, next: ApiObject): Step {
  return { next, removes: removable(handle, next) }
}

/** A live object as its first delete request leaves it. A copy; without `graceSeconds` no period is named. */
function marked(registry: Registry, handle: KindHandle, request: DeleteRequest, old: ApiObject, graceSeconds?: number): ApiObject {
  const before = old.metadata ?? {}
  const metadata: ObjectMeta = {
    ...withFinalizers(before, finalizersFor(registry, handle, request, before)),
    deletionTimestamp: secondsText(registry.deps.clock.nowMs() + (graceSeconds ?? 0) * 1000),
    ...(graceSeconds !== undefined && { deletionGracePeriodSeconds: graceSeconds }),
    ...((before.generation ?? 0) > 0 && { generation: (before.generation ?? 0) + 1 }),
  }
  const next: ApiObject = { ...old, metadata }
  for (const behaviour of handle.behaviours) behaviour.startDeletion?.(next)
  return next
}

function withFinalizers(metadata: ObjectMeta, finalizers: readonly string[]): ObjectMeta {
  const { finalizers: _before, ...rest } = metadata
  return finalizers.length > 0 ? { ...rest, finalizers: [...finalizers] } : rest
}

function askedGrace({ gracePeriodSeconds: asked }: DeleteRequest): number | undefined {
  return asked !== undefined && asked < 0 ? 1 : asked
}

function graceOf(handle: KindHandle, request: DeleteRequest, old: ApiObject): number {
  const asked = askedGrace(request)
  return Math.max(0, ...handle.behaviours.map((behaviour) => behaviour.graceSeconds?.(old, asked) ?? 0))
}
