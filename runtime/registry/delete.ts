/** Deletion in two phases; specification section 3.1 and the `deletion` rules of the catalog. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { type ApiError, conflict, deletionPreconditionText, notFound, preconditionText, unknownPath } from "../base/errors.ts"
import { deepEqual } from "../encoding/field-path.ts"
import type { ApiObject } from "../base/json.ts"
import { staleReadTimeoutMs } from "../base/limits.ts"
import { type CachedObject, UndecodableError } from "../storage/cache.ts"
import { admitDeletion } from "./admit.ts"
import { commitDelete, commitPut, noTransactionOps, type CommitOutcome, type WriteResult } from "./commit.ts"
import { deletesInSteps, deletionStep, type DeletionPolicy } from "./deletion-step.ts"
import { Pace } from "../base/pace.ts"
import { awaitFreshness, objectRefOf } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { repeatedOnRelease } from "./released-kind.ts"
import { removalOps } from "./removal.ts"
import { settleHooks } from "./settle-hooks.ts"
import { readToChange } from "./stored-object.ts"
import { keepsStoredOnly, rememberStored } from "./stored-state.ts"
import { tryWriteFromCache } from "./write-from-cache.ts"
import { writeInTurn } from "./write-in-turn.ts"

export interface DeleteRequest extends DeletionPolicy {
  /** Operation DELETE. */
  readonly attributes: OpenAttributes
  /** Absent: the name in the attributes. Deletions of a collection set it, since their attributes name no object. */
  readonly name?: string
  /** The deletion is part of a request that was admitted as a whole (eviction). */
  readonly admitted?: boolean
  /**
   * Removes an object whose stored value cannot be decoded, ignoring finalizers and transaction operations. An object
   * that can be decoded is deleted as usual.
   */
  readonly ignoreReadError?: boolean | undefined
  /** Preconditions: 409 unless the stored object has exactly these values. An empty one never matches. */
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}

/**
 * Deletes one object. Called by DELETE, and per object by deletecollection and the namespace controller.
 * `removed: false`: finalizers or a grace period keep the object.
 */
export async function deleteObject(registry: Registry, handle: KindHandle, request: DeleteRequest): Promise<WriteResult> {
  let newest = handle
  return repeatedOnRelease(async () => {
    if (registry.opened(newest.kind) !== newest) newest = await reopened(registry, newest)
    return deleteUnder(registry, newest, request)
  })
}

/** A deletion decodes no input, so it continues with the kind's current record. Throws 404. */
async function reopened(registry: Registry, { kind }: KindHandle): Promise<KindHandle> {
  const current = registry.deps.kinds.current(kind)
  if (current === undefined) throw unknownPath()
  return registry.handle(current)
}

async function deleteUnder(registry: Registry, handle: KindHandle, request: DeleteRequest): Promise<WriteResult> {
  const key = handle.key(request.attributes.namespace, nameOf(request))
  const triesAtOnce = !registry.writes.isContended(key)
  const cached = triesAtOnce ? handle.cache.get(key) : undefined
  if (cached !== undefined) {
    const written = await tryWriteFromCache(registry, request.attributes, (attributes) =>
      attemptDelete(registry, handle, { ...request, attributes }, { key, current: cached }),
    )
    if (written !== undefined) return written
  }
  const { trace } = request.attributes
  await awaitFreshness(registry, handle, { mode: "most-recent" }, trace)
  const objectRef = objectRefOf(handle, nameOf(request))
  const outrun = (): ApiError => conflict(objectRef, "the object kept changing while it was being deleted; try again")
  return writeInTurn(registry, { key, attributes: request.attributes, triesAtOnce, outrun }, async () => {
    const current = handle.cache.get(key)
    if (current === undefined) throw notFound(objectRef)
    const outcome = await attemptDelete(registry, handle, request, { key, current })
    if (outcome.ok) return outcome.result
    await trace.during("etcd", handle.cache.waitFor(outcome.revision, staleReadTimeoutMs))
    return undefined
  })
}

async function attemptDelete(
  registry: Registry,
  handle: KindHandle,
  request: DeleteRequest,
  state: { key: string; current: CachedObject },
): Promise<CommitOutcome> {
  const { key, current } = state
  const { attributes } = request
  const { dryRun, trace } = attributes
  const pace = new Pace(current.sizeBytes)
  await pace.turn()
  const storedOld = registry.recent.findToDelete(key, current.modRevision)?.object ?? (await readable(handle, request, current))
  if (storedOld === undefined) return removeUnread(registry, handle, request, state)
  const old = handle.fromStored(storedOld)
  if (keepsStoredOnly(handle)) rememberStored(old, storedOld)
  checkPreconditions(handle, request, old)
  if (request.admitted !== true) await admitDeletion(registry, attributes, old)
  const { next, removes } = deletionStep(registry, handle, request, old)
  if (removes) {
    const ops = await removalOps(registry, handle, old, { dryRun })
    const kept = current.hasJson && hasSameFields(next, storedOld) ? current : undefined
    const removal = { key, expected: current.modRevision, object: next, current: kept, ops, dryRun, stamped: true, trace }
    return commitDelete(registry, handle, removal)
  }
  if (handle.hasOwnHooks) await settleHooks(handle, next, pace)
  if (deepEqual(next, old)) return { ok: true, result: { object: old, created: false, removed: false } }
  const change = { key, expected: current.modRevision, object: next, ops: noTransactionOps, dryRun, pace, trace }
  return commitPut(registry, handle, { ...change, created: false })
}

/** Whether an object has the fields of another one, apart from its metadata. */
function hasSameFields(next: ApiObject, old: ApiObject): boolean {
  for (const name in next) if (name !== "metadata" && next[name] !== old[name]) return false
  return true
}

function nameOf({ name, attributes }: DeleteRequest): string {
  return name ?? attributes.name
}

/**
 * The stored object, in the stored version unless another server converts it. Returns undefined for an undecodable
 * object if the request ignores that. Otherwise throws UndecodableError.
 */
async function readable(
  { conversion, settled }: KindHandle,
  { ignoreReadError }: DeleteRequest,
  current: CachedObject,
): Promise<ApiObject | undefined> {
  try {
    return readToChange((conversion === undefined ? current : await conversion.one(current)).json(), settled)
  } catch (error) {
    if (error instanceof UndecodableError && ignoreReadError === true) return undefined
    throw error
  }
}

/** Removes an undecodable object by key and version. Its uid is unknown, so a precondition on it fails. */
function removeUnread(
  registry: Registry,
  handle: KindHandle,
  request: DeleteRequest,
  { key, current }: { key: string; current: CachedObject },
): Promise<CommitOutcome> {
  const { dryRun, trace, namespace } = request.attributes
  const metadata = { name: nameOf(request), ...(namespace !== "" && { namespace }), resourceVersion: String(current.modRevision) }
  const object: ApiObject = { kind: handle.kind.kind, apiVersion: handle.apiVersion, metadata }
  checkPreconditions(handle, request, object)
  return commitDelete(registry, handle, { key, expected: current.modRevision, object, ops: noTransactionOps, dryRun, trace })
}

function checkPreconditions(handle: KindHandle, request: DeleteRequest, old: ApiObject): void {
  const { group, kind, resource } = handle.kind
  // The reference names the kind here, and the resource only for kinds that delete in steps.
  const inSteps = deletesInSteps(handle)
  const objectRef = { group, resource: inSteps ? resource : kind, name: nameOf(request) }
  const text = inSteps ? preconditionText : deletionPreconditionText
  const { uid = "", resourceVersion = "" } = old.metadata ?? {}
  if (request.uid !== undefined && request.uid !== uid) throw conflict(objectRef, text("UID", request.uid, uid))
  if (request.resourceVersion !== undefined && request.resourceVersion !== resourceVersion) {
    throw conflict(objectRef, text("ResourceVersion", request.resourceVersion, resourceVersion))
  }
}
