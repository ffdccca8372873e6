/** What a delete request makes of an object (specification section 3.1; catalog resources.yaml: deletion): marked, shortened, or removed. */
import type { ApiObject, ObjectMeta } from "../base/json.ts"
import { timeText } from "../base/time.ts"
import { finalizersFor, type Propagation } from "./propagation.ts"
import type { KindHandle, Registry } from "./registry.ts"

/** The part of a delete request that says how. */
export interface DeletionWords extends Propagation {
  /** Seconds; less than 0 counts as 1. Kinds that do not delete gracefully pass over it. */
  readonly gracePeriodSeconds?: number
}

export interface DeletionStep {
  readonly next: ApiObject
  /** Nothing holds the object any more: it is removed, and `next` is what is answered. */
  readonly removes: boolean
}

/** A terminating object without finalizers and without a grace period left is gone; specification section 3.1. */
export function removable(handle: KindHandle, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata ?? {}
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false
  return handle.behaviours.every((behaviour) => behaviour.mayRemove?.(object) ?? true)
}

/** Whether deletion has a middle; see `Behaviour.deletesInSteps`. */
export function deletesInSteps({ behaviours }: KindHandle): boolean {
  return behaviours.some((behaviour) => behaviour.deletesInSteps === true)
}

/** Called once per attempt of a delete request, with the newest state. Pure but for the clock. */
export function deletionStep(registry: Registry, handle: KindHandle, request: DeletionWords, old: ApiObject): DeletionStep {
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
  const endMs = Date.parse(metadata.deletionTimestamp)
  const begunMs = endMs < lastTimeMs ? endMs - before * 1000 : registry.deps.clock.nowMs()
  const shortened = { deletionTimestamp: timeAfter(begunMs, asked), deletionGracePeriodSeconds: asked }
  const finalizers = finalizersFor(registry, handle, request, metadata)
  return heldOrRemoved(handle, { ...old, metadata: remarked(metadata, finalizers, shortened) })
}

/** Without a grace period: removed as it is, or marked for those whose finalizers hold it. */
function plainStep(registry: Registry, handle: KindHandle, request: DeletionWords, old: ApiObject): DeletionStep {
  const metadata = old.metadata ?? {}
  const finalizers = finalizersFor(registry, handle, request, metadata)
  if (finalizers.length === 0) return { next: old, removes: true }
  if (metadata.deletionTimestamp === undefined) return { next: marked(registry, handle, request, old, 0), removes: false }
  const nowMs = registry.deps.clock.nowMs()
  const ahead = Date.parse(metadata.deletionTimestamp) > nowMs && { deletionTimestamp: timeAfter(nowMs, 0) }
  return { next: { ...old, metadata: remarked(metadata, finalizers, { ...ahead, deletionGracePeriodSeconds: 0 }) }, removes: false }
}

function heldOrRemoved(handle: KindHandle, next: ApiObject): DeletionStep {
  return { next, removes: removable(handle, next) }
}

/** A live object as its first delete request leaves it. A copy; without `graceSeconds` no period is named. */
function marked(registry: Registry, handle: KindHandle, request: DeletionWords, old: ApiObject, graceSeconds?: number): ApiObject {
  const before = old.metadata ?? {}
  const metadata = remarked(before, finalizersFor(registry, handle, request, before), {
    deletionTimestamp: timeAfter(registry.deps.clock.nowMs(), graceSeconds ?? 0),
    ...(graceSeconds !== undefined && { deletionGracePeriodSeconds: graceSeconds }),
    ...((before.generation ?? 0) > 0 && { generation: (before.generation ?? 0) + 1 }),
  })
  const next: ApiObject = { ...old, metadata }
  for (const behaviour of handle.behaviours) behaviour.startDeletion?.(next)
  return next
}

/** The last time that the API can write. A longer period is held in the object all the same. */
const lastTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59)

function timeAfter(ms: number, seconds: number): string {
  return timeText(Math.min(ms + seconds * 1000, lastTimeMs))
}

type Marks = Pick<ObjectMeta, "deletionTimestamp" | "deletionGracePeriodSeconds" | "generation">

/** Fields in the order in which the API publishes them: the object is stored and answered as it stands here. */
function remarked(metadata: ObjectMeta, finalizers: readonly string[], marks: Marks): ObjectMeta {
  const { labels, annotations, ownerReferences, finalizers: _before, managedFields, ...head } = metadata
  return {
    ...head,
    ...marks,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    ...(managedFields !== undefined && { managedFields }),
  }
}

function askedGrace({ gracePeriodSeconds: asked }: DeletionWords): number | undefined {
  return asked !== undefined && asked < 0 ? 1 : asked
}

function graceOf(handle: KindHandle, request: DeletionWords, old: ApiObject): number {
  const asked = askedGrace(request)
  return Math.max(0, ...handle.behaviours.map((behaviour) => behaviour.graceSeconds?.(old, asked) ?? 0))
}
