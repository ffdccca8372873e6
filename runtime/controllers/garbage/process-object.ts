/**
 * Processes one object (catalog resources.yaml: deletion.propagation; the reference's controller). Decisions use the
 * newest state and every write is conditional on the uid that was read, so processing an object twice or on two servers
 * does no harm.
 */
import { serverAttributes } from "../../admission/server-identity.ts"
import type { ControllerDeps } from "../controller.ts"
import { garbageCollectorUser } from "../identities.ts"
import { ApiError } from "../../base/errors.ts"
import { inParallel } from "../../base/in-parallel.ts"
import type { ApiObject, ObjectMeta, OwnerReference } from "../../base/json.ts"
import { deleteObject } from "../../registry/delete.ts"
import { parseObject } from "../../registry/object-codec.ts"
import { foregroundFinalizer, orphanFinalizer, type PropagationPolicy } from "../../registry/propagation.ts"
import { awaitFreshness } from "../../registry/read.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import type { Kind } from "../../schema/kind.ts"
import { updateObject } from "../../registry/update.ts"
import { reportForeignOwner } from "./foreign-owner.ts"
import { identityOf, isWaiting, ownerKind, type ObjectIdentity } from "./owner.ts"
import type { OwnerIndex } from "./owner-index.ts"

/** What decisions are based on. */
export interface CollectorContext {
  readonly registry: Registry
  readonly api: ControllerDeps["api"]
  readonly index: OwnerIndex
  /** Returns the kind that a store key belongs to; undefined for kinds that are not collected. */
  readonly handleOf: (key: string) => Promise<KindHandle | undefined>
  /** Queues another key. */
  readonly enqueue: (key: string) => void
  /** Resolves when the deletion of an object of this kind, as it is stored, will be noticed. */
  readonly follow: (kind: Kind) => Promise<void>
  /** Records an object with an owner of an unknown kind. */
  readonly unresolved: (key: string) => void
  /**
   * Uids of waiting owners whose dependents have been queued. Once is enough: dependents that appear later are queued
   * by their own events.
   */
  readonly asked: Set<string>
  /** Uids of absent owners that were searched for in all namespaces. */
  readonly nowhere: Set<string>
  /** Uids of owners that were seen to go, themselves or with all objects of their kind, while they have dependents. */
  readonly gone: Set<string>
}

/** An object in its newest state. */
interface CurrentObject extends ObjectIdentity {
  readonly key: string
  readonly metadata: ObjectMeta
}

/** `waiting`: being deleted in the foreground, so its dependents must go first. `unknown`: cannot be determined. */
type OwnerState = "solid" | "absent" | "waiting" | "unknown"

/** Parallel patches of dependents that are orphaned: a store writes concurrent commits as one batch. */
const patchesAtOnce = 16

/** Called for every object with a relevant change, as a waiting owner or as a dependent. */
export async function processObject(collection: CollectorContext, key: string): Promise<void> {
  const found = await findKey(collection, key)
  if (found === undefined) return
  if (isWaiting(found.metadata, orphanFinalizer)) return orphan(collection, found)
  if (isWaiting(found.metadata, foregroundFinalizer)) return finishForeground(collection, found)
  if (found.metadata.deletionTimestamp === undefined && (found.metadata.ownerReferences ?? []).length > 0)
    await processDependent(collection, found)
}

async function findKey(collection: CollectorContext, key: string): Promise<CurrentObject | undefined> {
  const handle = await collection.handleOf(key)
  return handle === undefined ? undefined : find(collection.registry, handle, key)
}

async function find(registry: Registry, handle: KindHandle, key: string): Promise<CurrentObject | undefined> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const entry = handle.cache.get(key)
  const metadata = entry === undefined ? undefined : parseObject(entry.json()).metadata
  if (metadata?.name === undefined || metadata.uid === undefined) return undefined
  return { handle, key, namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid, metadata }
}

/** Removes the reference from the dependents, then the finalizer from the owner. */
async function orphan(collection: CollectorContext, owner: CurrentObject): Promise<void> {
  await inParallel(collection.index.dependentsOf(owner.uid), { atOnce: patchesAtOnce }, async ({ key }) => {
    const dependent = await findKey(collection, key)
    if (dependent !== undefined) await keepOwners(collection, dependent, (reference) => reference.uid !== owner.uid)
  })
  await removeFinalizer(collection, owner, orphanFinalizer)
}

/** Queues the dependents of a waiting owner. Removes the owner's finalizer once no dependent blocks it. */
async function finishForeground(collection: CollectorContext, owner: CurrentObject): Promise<void> {
  const { asked, enqueue: consider, index } = collection
  const blocked = index.isBlocked(owner)
  if (!asked.has(owner.uid)) for (const { key } of index.dependentsOf(owner.uid)) if (key !== owner.key) consider(key)
  asked.add(owner.uid)
  if (!blocked) await removeFinalizer(collection, owner, foregroundFinalizer)
}

/**
 * A dependent stays while one of its owners exists; references to absent ones are removed. Does nothing while the state
 * of one owner is unknown.
 */
async function processDependent(collection: CollectorContext, dependent: CurrentObject): Promise<void> {
  const references = dependent.metadata.ownerReferences ?? []
  const states = new Map<OwnerReference, OwnerState>()
  for (const reference of references) states.set(reference, await ownerState(collection, dependent, reference))
  const of = (wanted: OwnerState): OwnerReference[] => references.filter((reference) => states.get(reference) === wanted)
  const [absent, waiting] = [of("absent"), of("waiting")]
  for (const reference of [...absent, ...of("unknown")]) await reportForeignOwner(collection, dependent, reference)
  if (of("unknown").length > 0) return collection.unresolved(dependent.key)
  const gone = new Set([...absent, ...waiting].map(({ uid }) => uid))
  if (gone.size === 0) return
  if (of("solid").length > 0) return keepOwners(collection, dependent, ({ uid }) => !gone.has(uid))
  const waited = waiting.length > 0 && collection.index.hasDependents(dependent.uid)
  if (waited) await breakCycle(collection, dependent)
  await remove(collection, dependent, waited ? "Foreground" : ownPolicy(dependent.metadata))
}

/**
 * Determines the state of an owner by a consistent read: a stale cache must never cost an object. Its kind is followed
 * first: the deletion of an owner that was found must not go unnoticed.
 */
async function ownerState(collection: CollectorContext, dependent: CurrentObject, reference: OwnerReference): Promise<OwnerState> {
  const { registry } = collection
  const kind = ownerKind(registry, reference)
  if (kind === undefined && collection.gone.has(reference.uid)) return "absent"
  // A namespaced owner of a cluster-scoped object cannot be looked up; the reference leaves such objects alone too.
  if (kind === undefined || (kind.namespaced && dependent.namespace === "")) return "unknown"
  const stored = registry.deps.kinds.stored(kind)
  await collection.follow(stored)
  const handle = await registry.handle(stored)
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const entry = handle.cache.get(handle.key(dependent.namespace, reference.name))
  const owner = entry === undefined ? undefined : identityOf(entry)
  if (owner === undefined || owner.uid !== reference.uid) return "absent"
  return owner.waiting ? "waiting" : "solid"
}

/** Objects that own each other would block each other, so the one being processed stops blocking. */
async function breakCycle(collection: CollectorContext, dependent: CurrentObject): Promise<void> {
  for (const { key } of collection.index.dependentsOf(dependent.uid)) {
    const below = await findKey(collection, key)
    if (below === undefined || !isWaiting(below.metadata, foregroundFinalizer)) continue
    return change(collection, dependent, (metadata) => ({
      ...metadata,
      ownerReferences: (metadata.ownerReferences ?? []).map((reference) =>
        reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
      ),
    }))
  }
}

function ownPolicy({ finalizers = [] }: ObjectMeta): PropagationPolicy {
  if (finalizers.includes(orphanFinalizer)) return "Orphan"
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background"
}

async function keepOwners(
  collection: CollectorContext,
  dependent: CurrentObject,
  keep: (reference: OwnerReference) => boolean,
): Promise<void> {
  await change(collection, dependent, ({ ownerReferences = [], ...metadata }) =>
    withList(metadata, "ownerReferences", ownerReferences.filter(keep)),
  )
}

async function removeFinalizer(collection: CollectorContext, owner: CurrentObject, finalizer: string): Promise<void> {
  await change(collection, owner, ({ finalizers = [], ...metadata }) =>
    withList(
      metadata,
      "finalizers",
      finalizers.filter((one) => one !== finalizer),
    ),
  )
}

function withList<Name extends "ownerReferences" | "finalizers">(
  metadata: ObjectMeta,
  name: Name,
  list: NonNullable<ObjectMeta[Name]>,
): ObjectMeta {
  return list.length === 0 ? metadata : { ...metadata, [name]: list }
}

async function change(
  { registry }: CollectorContext,
  { handle, namespace, name, uid }: CurrentObject,
  next: (metadata: ObjectMeta) => ObjectMeta,
): Promise<void> {
  const transform = (old: ApiObject | undefined): ApiObject => ({ ...old, metadata: next(old?.metadata ?? {}) })
  const attributes = serverAttributes(garbageCollectorUser(registry), "UPDATE", { kind: handle.kind, namespace, name })
  await ignoreNotFound(updateObject(registry, handle, { attributes, uid, transform, put: false, warn: () => {} }))
}

/**
 * Deletes on the condition that the processed version is current: an object that got a new owner meanwhile is processed
 * again.
 */
async function remove(
  { registry, enqueue: consider }: CollectorContext,
  { handle, key, namespace, name, uid, metadata }: CurrentObject,
  propagationPolicy: PropagationPolicy,
): Promise<void> {
  const entry = handle.cache.get(key)
  const current = entry === undefined ? undefined : parseObject(entry.json()).metadata
  const same = current?.uid === uid && sameOwners(current, metadata)
  if (!same || current.resourceVersion === undefined) return consider(key)
  try {
    const attributes = serverAttributes(garbageCollectorUser(registry), "DELETE", { kind: handle.kind, namespace, name })
    await deleteObject(registry, handle, { attributes, uid, resourceVersion: current.resourceVersion, propagationPolicy })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 409) consider(key)
    else if (error.code !== 404) throw error
  }
}

/** Whether both name the same owners. Breaking a circle changes only `blockOwnerDeletion`. */
function sameOwners(left: ObjectMeta, right: ObjectMeta): boolean {
  const uids = ({ ownerReferences = [] }: ObjectMeta): string => ownerReferences.map(({ uid }) => uid).join(" ")
  return uids(left) === uids(right)
}

/** Ignores that the object is gone or was replaced by another one of the same name. */
async function ignoreNotFound(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ApiError && (error.code === 404 || (error.code === 409 && error.message.includes("Precondition failed")))))
      throw error
  }
}
