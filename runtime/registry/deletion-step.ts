/**
 * The step of a delete request on an object: mark it, shorten its grace period, or remove it. Specification section
 * 3.1; catalog resources.yaml: deletion.
 */
import type { ApiObject, JsonObject, ObjectMeta } from "../base/json.ts"
import { timeText } from "../base/time.ts"
import { finalizersFor, type Propagation } from "./propagation.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { copyRemembered } from "./stored-state.ts"

/** The options of a delete request that decide how the object is deleted. */
export interface DeletionPolicy extends Propagation {
  /** In seconds. A negative period counts as 1. Kinds without graceful deletion ignore it. */
  readonly gracePeriodSeconds?: number | undefined
}

export interface DeletionStep {
  readonly next: ApiObject
  /** Nothing keeps the object: it is removed, and the response shows `next`. */
  readonly removes: boolean
}

/** A terminating object is removed once it has no finalizers and no grace period; specification section 3.1. */
export function removable(handle: KindHandle, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata ?? {}
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false
  return handle.behaviours.every((behaviour) => behaviour.mayRemove?.(object) ?? true)
}

/** Whether deletion marks the object first and removes it later; see `Behaviour.deletesInSteps`. */
export function deletesInSteps({ behaviours }: KindHandle): boolean {
  return behaviours.some((behaviour) => behaviour.deletesInSteps === true)
}

/** Called once per attempt of a delete request, with the newest state. Reads the clock and has no side effects. */
export function deletionStep(registry: Registry, handle: KindHandle, request: DeletionPolicy, old: ApiObject): DeletionStep {
  const metadata = old.metadata ?? {}
  if (deletesInSteps(handle)) {
    if (metadata.deletionTimestamp === undefined) return { next: markTerminating(registry, handle, request, old), removes: false }
    if (!handle.behaviours.every((behaviour) => behaviour.mayRemove?.(old) ?? true)) return { next: old, removes: false }
  }
  const graceful = handle.behaviours.some((behaviour) => behaviour.graceSeconds !== undefined)
  if (!graceful) return plainStep(registry, handle, request, old)
  if (metadata.deletionTimestamp === undefined)
    return heldOrRemoved(handle, markTerminating(registry, handle, request, old, graceOf(handle, request, old)))
  const before = metadata.deletionGracePeriodSeconds ?? 0
  if (before === 0) return plainStep(registry, handle, request, old)
  const asked = requestedGrace(request)
  // Only a shorter period has an effect; otherwise the request changes nothing, not even propagation.
  if (asked === undefined || asked >= before) return { next: old, removes: false }
  const endMs = Date.parse(metadata.deletionTimestamp)
  const begunMs = endMs < lastTimeMs ? endMs - before * 1000 : registry.deps.clock.nowMs()
  const shortened = { deletionTimestamp: timeAfter(begunMs, asked), deletionGracePeriodSeconds: asked }
  const finalizers = finalizersFor(registry, handle, request, metadata)
  return heldOrRemoved(handle, marked(old, withMarks(metadata, finalizers, shortened)))
}

/** Deletes without a grace period: removes the object, or marks it if it has finalizers. */
function plainStep(registry: Registry, handle: KindHandle, request: DeletionPolicy, old: ApiObject): DeletionStep {
  const metadata = old.metadata ?? {}
  const finalizers = finalizersFor(registry, handle, request, metadata)
  if (finalizers.length === 0) return { next: old, removes: true }
  if (metadata.deletionTimestamp === undefined) return { next: markTerminating(registry, handle, request, old, 0), removes: false }
  const nowMs = registry.deps.clock.nowMs()
  const ahead = Date.parse(metadata.deletionTimestamp) > nowMs && { deletionTimestamp: timeAfter(nowMs, 0) }
  return { next: marked(old, withMarks(metadata, finalizers, { ...ahead, deletionGracePeriodSeconds: 0 })), removes: false }
}

function heldOrRemoved(handle: KindHandle, next: ApiObject): DeletionStep {
  return { next, removes: removable(handle, next) }
}

/** Returns a copy of a live object with the marks of its first delete request. No `graceSeconds`: no period is set. */
function markTerminating(
  registry: Registry,
  handle: KindHandle,
  request: DeletionPolicy,
  old: ApiObject,
  graceSeconds?: number,
): ApiObject {
  const before = old.metadata ?? {}
  const metadata = withMarks(before, finalizersFor(registry, handle, request, before), {
    deletionTimestamp: timeAfter(registry.deps.clock.nowMs(), graceSeconds ?? 0),
    ...(graceSeconds !== undefined && { deletionGracePeriodSeconds: graceSeconds }),
    // The reference marks objects that are deleted in steps elsewhere, without counting a generation.
    ...((before.generation ?? 0) > 0 && !deletesInSteps(handle) && { generation: (before.generation ?? 0) + 1 }),
  })
  const next = marked(old, metadata)
  for (const behaviour of handle.behaviours) behaviour.startDeletion?.(next)
  return next
}

function marked(old: ApiObject, metadata: ObjectMeta): ApiObject {
  const next: ApiObject = { ...old, metadata }
  copyRemembered(old, next)
  return next
}

/** The last time that the API can represent. The grace period itself may be longer. */
const lastTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59)

function timeAfter(ms: number, seconds: number): string {
  return timeText(Math.min(ms + seconds * 1000, lastTimeMs))
}

type Marks = Pick<ObjectMeta, "deletionTimestamp" | "deletionGracePeriodSeconds" | "generation">

/** Builds metadata in published field order, since objects are stored and returned in the order of their properties. */
function withMarks(before: ObjectMeta, finalizers: readonly string[], marks: Marks): ObjectMeta {
  const fields: JsonObject = before
  const metadata: JsonObject = {}
  for (const name in fields) if (!behindMarks.has(name)) metadata[name] = fields[name]
  Object.assign(metadata, marks)
  for (const name of behindMarks) {
    if (name !== "finalizers") {
      if (fields[name] !== undefined) metadata[name] = fields[name]
    } else if (finalizers.length > 0) metadata.finalizers = [...finalizers]
  }
  return metadata
}

/** Fields of metadata that follow the marks, in their order. */
const behindMarks = new Set(["labels", "annotations", "ownerReferences", "finalizers", "managedFields"])

function requestedGrace({ gracePeriodSeconds: asked }: DeletionPolicy): number | undefined {
  return asked !== undefined && asked < 0 ? 1 : asked
}

function graceOf(handle: KindHandle, request: DeletionPolicy, old: ApiObject): number {
  const asked = requestedGrace(request)
  return Math.max(0, ...handle.behaviours.map((behaviour) => behaviour.graceSeconds?.(old, asked) ?? 0))
}
