/** Deletion in two phases; specification section 3.1 and the catalog's `deletion` rules. */
import { conflict, invalid, notFound } from "../errors.ts"
import { deepEqual } from "../kit/field-path.ts"
import type { ApiObject } from "../kit/json.ts"
import { conflictRetries, staleReadTimeoutMs } from "../limits.ts"
import type { CachedObject } from "../storage/cache.ts"
import { commitDelete, commitPut, noRiders, ridersOf, type CommitOutcome, type WriteResult } from "./commit.ts"
import { secondsText } from "./create.ts"
import { parseObject } from "./object-codec.ts"
import { awaitFreshness, subjectOf } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { removable } from "./update.ts"

export type PropagationPolicy = "Orphan" | "Background" | "Foreground"

export interface DeleteRequest {
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
  readonly gracePeriodSeconds?: number
  readonly uid?: string
  readonly resourceVersion?: string
  readonly propagationPolicy?: PropagationPolicy
  /** The deprecated spelling of Orphan and Background. */
  readonly orphanDependents?: boolean
}

const orphanFinalizer = "orphan"
const foregroundFinalizer = "foregroundDeletion"

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
  const next = terminating(registry, handle, request, old)
  if (removable(handle, next)) {
    const riders = await ridersOf(handle, { old }, { dryRun })
    // Kinds that delete gracefully show the mark even when no grace was left, as the reference does.
    const graceful = handle.behaviours.some((behaviour) => behaviour.graceSeconds !== undefined)
    return commitDelete(registry, { key, expected: current.modRevision, object: graceful ? next : old, riders, dryRun })
  }
  if (deepEqual(next, old)) return { ok: true, result: { object: old, created: false, removed: false } }
  return commitPut(registry, handle, { key, expected: current.modRevision, object: next, riders: noRiders, dryRun, created: false })
}

function checkPreconditions(handle: KindHandle, request: DeleteRequest, old: ApiObject): void {
  const subject = { group: handle.kind.group, resource: handle.kind.kind, name: request.name }
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

/** The object as the delete request leaves it: marked, with the finalizers that its propagation asks for. A copy. */
function terminating(registry: Registry, handle: KindHandle, request: DeleteRequest, old: ApiObject): ApiObject {
  const metadata = { ...old.metadata }
  const finalizers = finalizersFor(registry, handle, request, old)
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
  const grace = graceOf(handle, request, old)
  const already = metadata.deletionTimestamp !== undefined
  if (already) {
    if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) Object.assign(metadata, deletionMarks(registry, grace))
    return { ...old, metadata }
  }
  Object.assign(metadata, deletionMarks(registry, grace))
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1
  const next: ApiObject = { ...old, metadata }
  for (const behaviour of handle.behaviours) behaviour.startDeletion?.(next)
  return next
}

function deletionMarks(registry: Registry, graceSeconds: number): { deletionTimestamp: string; deletionGracePeriodSeconds: number } {
  return { deletionTimestamp: secondsText(registry.deps.clock.nowMs() + graceSeconds * 1000), deletionGracePeriodSeconds: graceSeconds }
}

function graceOf(handle: KindHandle, request: DeleteRequest, old: ApiObject): number {
  const asked = request.gracePeriodSeconds === undefined ? undefined : request.gracePeriodSeconds < 0 ? 1 : request.gracePeriodSeconds
  let grace = 0
  for (const behaviour of handle.behaviours) grace = Math.max(grace, behaviour.graceSeconds?.(old, asked) ?? 0)
  return grace
}

/** Explicit policy, else the finalizer that is there, else the kind's default; catalog `deletion.propagation`. */
function finalizersFor(registry: Registry, handle: KindHandle, request: DeleteRequest, old: ApiObject): string[] {
  const present = old.metadata?.finalizers ?? []
  const standard = handle.kind.rules.defaultPropagation
  if (standard === "unsupported" || registry.deps.garbageCollector === false) return [...present]
  const wanted = askedPropagation(request) ?? presentPropagation(present) ?? standard
  const others = present.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  if (wanted === "orphan") return [...others, orphanFinalizer]
  if (wanted === "foreground") return [...others, foregroundFinalizer]
  return others
}

function askedPropagation(request: DeleteRequest): "orphan" | "foreground" | "background" | undefined {
  if (request.orphanDependents !== undefined) return request.orphanDependents ? "orphan" : "background"
  switch (request.propagationPolicy) {
    case "Orphan":
      return "orphan"
    case "Foreground":
      return "foreground"
    case "Background":
      return "background"
    case undefined:
      return undefined
  }
}

function presentPropagation(finalizers: readonly string[]): "orphan" | "foreground" | undefined {
  if (finalizers.includes(orphanFinalizer)) return "orphan"
  return finalizers.includes(foregroundFinalizer) ? "foreground" : undefined
}

/** Both spellings at once contradict each other. Throws 422. Called by the verbs before anything is read. */
export function checkDeleteOptions(request: Pick<DeleteRequest, "propagationPolicy" | "orphanDependents">): void {
  if (request.propagationPolicy === undefined || request.orphanDependents === undefined) return
  throw invalid({ group: "meta.orch.io", resource: "DeleteOptions" }, [
    {
      type: "Invalid",
      field: "propagationPolicy",
      value: request.propagationPolicy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    },
  ])
}
