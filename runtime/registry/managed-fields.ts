/** `metadata.managedFields` on the way of a write through the registry: in which versions sets may be, and whom a change makes an owner. */
import type { RequestAttributes } from "../admission/plugin.ts"
import { managerName } from "../apply/managed-fields/manager-name.ts"
import { setOfPath } from "../apply/managed-fields/scale-managed-fields.ts"
import { trackingStages, trackUpdate } from "../apply/managed-fields/track-update.ts"
import type { TypedVersion, Versions } from "../apply/managed-fields/versions.ts"
import { type FieldSet, union } from "../apply/ownership/field-set.ts"
import { ApiError, invalid } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Kind } from "../schema/kind.ts"
import { timeText } from "../base/time.ts"
import { managersMax } from "../base/limits.ts"
import { inTurns, takesTurns } from "../base/turns.ts"
import { StoreError } from "../storage/store.ts"
import type { KindHandle, Registry } from "./registry.ts"

/**
 * How the owners of the next object come about. `tracked`: by comparison with the stored one, in the name of the request's field manager. `given`:
 * the next object has them already (apply, scale).
 */
export type FieldManager = "tracked" | "given"

/** The name under which a request changes fields: the `fieldManager` that it gives, else the client's program. */
export function managerOf({ options, userAgent }: RequestAttributes): string {
  return managerName(options.fieldManager ?? "", userAgent === "" ? undefined : userAgent)
}

interface KnownVersions {
  /** Of the table of kinds, when they were found. */
  readonly revision: number
  readonly versions: Versions
}

const knownVersions = new WeakMap<KindHandle, Map<string, KnownVersions>>()

/** All served versions of the kind, as the sub-resource ("": the object itself) writes them. Found once per handle. */
export async function versionsOf(registry: Registry, handle: KindHandle, subresource: string): Promise<Versions> {
  const { kinds } = registry.deps
  const known = versionsAtHand(registry, handle, subresource)
  if (known !== undefined) return known
  const ofHandle = knownVersions.get(handle) ?? new Map<string, KnownVersions>()
  knownVersions.set(handle, ofHandle)
  const { revision } = kinds
  const others = kinds.all().filter((kind) => kind !== handle.kind && kind.storage.path === handle.kind.storage.path)
  const found = new Map<string, TypedVersion>()
  for (const kind of others) {
    const other = typedVersion(await registry.handle(kind), subresource)
    found.set(other.apiVersion, other)
  }
  const versions: Versions = { current: typedVersion(handle, subresource), find: (apiVersion) => found.get(apiVersion) }
  ofHandle.set(subresource, { revision, versions })
  return versions
}

/** What every write but the first finds, without waiting. */
function versionsAtHand(registry: Registry, handle: KindHandle, subresource: string): Versions | undefined {
  const known = knownVersions.get(handle)?.get(subresource)
  return known?.revision === registry.deps.kinds.revision ? known.versions : undefined
}

function typedVersion(handle: KindHandle, subresource: string): TypedVersion {
  return {
    apiVersion: handle.apiVersion,
    shape: handle.parts.shape,
    reset: resetFields(handle.kind, subresource),
    toStored: (object) => handle.toStored(object),
    fromStored: (object) => handle.fromStored(object),
  }
}

/**
 * What writes take from the stored object, and therefore nobody comes to own by sending it: whole parts of the object, and metadata. Who sends
 * a field of spec or status that the server keeps for itself is still its owner, as in the reference.
 */
function resetFields(kind: Kind, subresource: string): FieldSet {
  const kept = subresource === "" ? kind.rules.updateKeeps : kind.subresources.find(({ name }) => name === subresource)?.keeps
  let reset: FieldSet = {}
  for (const path of kept ?? []) if (!path.includes(".") || path.startsWith("metadata.")) reset = union(reset, setOfPath(path))
  return reset
}

/**
 * Throws 422 when a write would leave an object with more than `managersMax` entries of `managedFields`, unless it has as many already. Called before
 * anything is done with the entries that a client sent, and with those that an apply has made.
 */
export function checkManagers(handle: KindHandle, name: string, next: ApiObject, old?: ApiObject): void {
  const count = next.metadata?.managedFields?.length ?? 0
  if (count <= managersMax || count <= (old?.metadata?.managedFields?.length ?? 0)) return
  const detail = `must have at most ${managersMax} entries; leave metadata.managedFields out of what you send, or let fewer managers write the object`
  throw invalid({ group: handle.kind.group, resource: handle.kind.kind, name }, [
    { type: "TooMany", field: "metadata.managedFields", value: count, detail },
  ])
}

export interface OwnedChange {
  readonly manager: string
  /** "" for the object itself. */
  readonly subresource: string
  readonly next: ApiObject
  /** Absent for a creation. */
  readonly old?: ApiObject
  /** Of the larger one, about. */
  readonly bytes: number
}

/**
 * The `managedFields` of a next object. Called by create and update for writes of clients, before anything is prepared. A promise only until
 * the versions of the kind are known, and for large objects.
 */
export function updateManagedFields(
  registry: Registry,
  handle: KindHandle,
  change: OwnedChange,
): JsonObject[] | undefined | Promise<JsonObject[] | undefined> {
  const known = versionsAtHand(registry, handle, change.subresource)
  if (known !== undefined) return tracked(registry, known, change)
  return versionsOf(registry, handle, change.subresource).then((versions) => tracked(registry, versions, change))
}

function tracked(
  registry: Registry,
  versions: Versions,
  { manager, subresource, next, old, bytes }: OwnedChange,
): JsonObject[] | undefined | Promise<JsonObject[] | undefined> {
  const now = timeText(registry.deps.clock.nowMs())
  const update = { versions, now, manager, subresource, next, old }
  return takesTurns(bytes) ? inTurns(trackingStages(update)) : trackUpdate(update)
}

/** True for an object that the store found too large: without its owners it may fit. What could not even be encoded has no room to gain. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof StoreError && error.cause.code === "too-large"
}
