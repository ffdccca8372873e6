/** The fields of owners that the garbage collector reads. */
import type { Kind } from "../../schema/kind.ts"
import type { ObjectMeta, OwnerReference } from "../../base/json.ts"
import { foregroundFinalizer } from "../../registry/propagation.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import { readMetadata } from "../../registry/stored-metadata.ts"
import { lookWork } from "../../base/work.ts"
import type { CachedObject } from "../../storage/cache.ts"

/** An object, identified by kind, namespace, name and uid. */
export interface ObjectIdentity {
  readonly handle: KindHandle
  /** "" for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The properties of an owner that its dependents need. */
export interface OwnerIdentity {
  readonly uid: string
  /** Whether it is being deleted in the foreground. */
  readonly waiting: boolean
}

/** Caches the result, so that the owner of ten thousand objects is read once. */
const identities = new WeakMap<CachedObject, OwnerIdentity>()

/** Called for each reference of each dependent. Also returns the work done. */
export function identityOf(entry: CachedObject): { readonly identity: OwnerIdentity; readonly work: number } {
  const known = identities.get(entry)
  if (known !== undefined) return { identity: known, work: lookWork }
  const { metadata, work } = readMetadata(entry)
  const identity = { uid: metadata.uid ?? "", waiting: isWaiting(metadata, foregroundFinalizer) }
  identities.set(entry, identity)
  return { identity, work }
}

/** Whether the object is being deleted and held by this finalizer. */
export function isWaiting({ deletionTimestamp, finalizers = [] }: ObjectMeta, finalizer: string): boolean {
  return deletionTimestamp !== undefined && finalizers.includes(finalizer)
}

/** Returns the kind that a reference names, in any served version; undefined if none is served. */
export function ownerKind(registry: Registry, reference: OwnerReference): Kind | undefined {
  const { group, version } = ownerVersion(registry, reference)
  return registry.deps.kinds.findKind(group, version, reference.kind)
}

/** The neutral group and the version of a reference. */
export function ownerVersion({ deps: { vendor } }: Registry, { apiVersion }: OwnerReference): { group: string; version: string } {
  const neutral = vendor.neutralApiVersion(apiVersion)
  const slash = neutral.indexOf("/")
  return { group: neutral.slice(0, Math.max(0, slash)), version: neutral.slice(slash + 1) }
}
