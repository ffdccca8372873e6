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
import { foregroundFinalizer, orphanFinalizer, type PropagationPolicy } from "../../registry/propagation.ts"
import { awaitFreshness } from "../../registry/read.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import { metadataOf } from "../../registry/stored-metadata.ts"
import { Turns } from "../../base/turns.ts"
import { keyWork, lookWork } from "../../base/work.ts"
import type { Kind } from "../../schema/kind.ts"
import { updateObject } from "../../registry/update.ts"
import { reportForeignOwner } from "./foreign-owner.ts"
import { identityOf, isWaiting, ownerKind, type ObjectIdentity } from "./owner.ts"
import type { OwnerIndex } from "./owner-index.ts"

/** Inputs of decisions. */
export interface CollectorContext {
  readonly registry: Registry
  readonly api: ControllerDeps["api"]
  readonly index: OwnerIndex
  /** Returns the kind of a store key; undefined for kinds that are not collected. */
  readonly handleOf: (key: string) => Promise<KindHandle | undefined>
  /** Queues another key. */
  readonly enqueue: (key: string) => void
  /** Resolves when the index includes everything received before the call. */
  readonly caughtUp: () => Promise<void>
  /** Resolves once deletions of this kind's objects, as they are stored, will be noticed. */
  readonly follow: (kind: Kind) => Promise<void>
  /** Records an object with an owner of an unknown kind. */
  readonly unresolved: (key: string) => void
  /**
   * Uids of waiting owners whose dependents have been queued. Once is enough: dependents that appear later are queued
   * by their own events.
   */
  readonly asked: Set<string>
  /** Uids of absent owners for which all namespaces were searched. */
  readonly nowhere: Set<string>
  /**
   * Uids of owners that were seen to be deleted, alone or with all objects of their kind; kept while they have
   * dependents.
   */
  readonly gone: Set<string>
}

/** An object in its newest state. */
interface CurrentObject extends ObjectIdentity {
  readonly key: string
  /** The version that was read. */
  readonly modRevision: number
  readonly metadata: ObjectMeta
}

/** `waiting`: being deleted in the foreground, so its dependents must go first. `unknown`: cannot be determined. */
type OwnerState = "solid" | "absent" | "waiting" | "unknown"

/** Parallel patches of orphaned dependents: a store writes concurrent commits as one batch. */
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
  const metadata = entry === undefined ? undefined : metadataOf(entry)
  if (entry === undefined || metadata?.name === undefined || metadata.uid === undefined) return undefined
  return {
    handle,
    key,
    modRevision: entry.modRevision,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    uid: metadata.uid,
    metadata,
  }
}

/** Removes the reference from the dependents, then the finalizer from the owner. */
async function orphan(collection: CollectorContext, owner: CurrentObject): Promise<void> {
  await collection.caughtUp()
  await inParallel(collection.index.dependentsOf(owner.uid), { atOnce: patchesAtOnce }, async ({ key }) => {
    const dependent = await findKey(collection, key)
    if (dependent !== undefined) await keepOwners(collection, dependent, (reference) => reference.uid !== owner.uid)
  })
  await removeFinalizer(collection, owner, orphanFinalizer)
}

/** Queues the dependents of a waiting owner. Removes the owner's finalizer once no dependent blocks it. */
async function finishForeground(collection: CollectorContext, owner: CurrentObject): Promise<void> {
  const { asked, enqueue: consider, index } = collection
  await collection.caughtUp()
  const blocked = index.isBlocked(owner)
  const dependents = asked.has(owner.uid) ? [] : index.dependentsOf(owner.uid)
  asked.add(owner.uid)
  const turns = new Turns()
  for (const { key } of dependents) {
    if (key !== owner.key) consider(key)
    if (turns.isOver(lookWork)) await turns.next()
  }
  if (!blocked) await removeFinalizer(collection, owner, foregroundFinalizer)
}

/**
 * A dependent stays while one of its owners exists; references to absent ones are removed. Does nothing while the state
 * of one owner is unknown.
 */
async function processDependent(collection: CollectorContext, dependent: CurrentObject): Promise<void> {
  const owners = await ownersByState(collection, dependent)
  await reportForeignOwner(collection, dependent, [...owners.absent, ...owners.unknown])
  if (owners.unknown.length > 0) return collection.unresolved(dependent.key)
  const gone = new Set([...owners.absent, ...owners.waiting].map(({ uid }) => uid))
  if (gone.size === 0) return
  if (owners.solid.length > 0) return keepOwners(collection, dependent, ({ uid }) => !gone.has(uid))
  if (owners.waiting.length > 0) await collection.caughtUp()
  const waited = owners.waiting.length > 0 && collection.index.hasDependents(dependent.uid)
  if (waited) await breakCycle(collection, dependent)
  await remove(collection, dependent, waited ? "Foreground" : ownPolicy(dependent.metadata))
}

/** Determines the state of each owner, in turns: a user may name ten thousand. */
async function ownersByState(collection: CollectorContext, dependent: CurrentObject): Promise<Record<OwnerState, OwnerReference[]>> {
  const found: Record<OwnerState, OwnerReference[]> = { solid: [], absent: [], waiting: [], unknown: [] }
  const handles = new Map<Kind, KindHandle>()
  const turns = new Turns()
  for (const reference of dependent.metadata.ownerReferences ?? []) {
    const kind = ownerKind(collection.registry, reference)
    if (turns.isOver(lookWork)) await turns.next()
    if (kind === undefined && collection.gone.has(reference.uid)) found.absent.push(reference)
    // A namespaced owner of a cluster-scoped object cannot be looked up; the reference leaves such objects alone too.
    else if (kind === undefined || (kind.namespaced && dependent.namespace === "")) found.unknown.push(reference)
    else {
      const handle = handles.get(kind) ?? (await ownersOfKind(collection, kind))
      handles.set(kind, handle)
      const { state, work } = ownerState(handle, dependent, reference)
      found[state].push(reference)
      if (turns.isOver(work)) await turns.next()
    }
  }
  return found
}

/**
 * Makes the owners of a kind readable in their newest state: a stale cache must never cost an object. Called after the
 * dependent was read, so owners are at least as new. Follows the kind first, so that no deletion of a found owner is
 * missed.
 */
async function ownersOfKind({ follow, registry }: CollectorContext, kind: Kind): Promise<KindHandle> {
  const stored = registry.deps.kinds.stored(kind)
  await follow(stored)
  const handle = await registry.handle(stored)
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  return handle
}

function ownerState(
  handle: KindHandle,
  { namespace }: CurrentObject,
  { name, uid }: OwnerReference,
): { readonly state: OwnerState; readonly work: number } {
  const entry = handle.cache.get(handle.key(namespace, name))
  if (entry === undefined) return { state: "absent", work: lookWork }
  const { identity, work } = identityOf(entry)
  if (identity.uid !== uid) return { state: "absent", work }
  return { state: identity.waiting ? "waiting" : "solid", work }
}

/** Objects that own each other would block each other, so the one being processed stops blocking. */
async function breakCycle(collection: CollectorContext, dependent: CurrentObject): Promise<void> {
  const turns = new Turns()
  for (const { key } of collection.index.dependentsOf(dependent.uid)) {
    if (turns.isOver(keyWork)) await turns.next()
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
  await ignoreNotFound(updateObject(registry, handle, { attributes, uid, transform, put: false }))
}

/**
 * Deletes on the condition that the processed version is current: an object that got a new owner meanwhile is processed
 * again.
 */
async function remove(
  { registry, enqueue: consider }: CollectorContext,
  { handle, key, modRevision, namespace, name, uid, metadata }: CurrentObject,
  propagationPolicy: PropagationPolicy,
): Promise<void> {
  const entry = handle.cache.get(key)
  const current = entry === undefined ? undefined : entry.modRevision === modRevision ? metadata : metadataOf(entry)
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
