/** Updates `metadata.managedFields` when a write passes the registry. */
import type { RequestAttributes } from "../admission/plugin.ts"
import { managerName } from "../apply/managed-fields/manager-name.ts"
import { setOfPath } from "../apply/managed-fields/scale-managed-fields.ts"
import { trackingStages, trackUpdate } from "../apply/managed-fields/track-update.ts"
import type { TypedVersion, Versions } from "../apply/managed-fields/versions.ts"
import { type FieldSet, union } from "../apply/ownership/field-set.ts"
import { ApiError, invalid } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { SentForm } from "../encoding/sent-forms.ts"
import type { Kind } from "../schema/kind.ts"
import { timeText } from "../base/time.ts"
import { managersMax } from "../base/limits.ts"
import type { Pace } from "../base/pace.ts"
import { inTurns } from "../base/turns.ts"
import { StoreError } from "../storage/store.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { withConversions } from "./version-conversion.ts"

/**
 * How a write gets its managed fields. `tracked`: by comparing the next object with the stored one, on behalf of the
 * request's field manager. `provided`: the next object already has them (apply, scale).
 */
export type ManagedFieldsMode = "tracked" | "provided"

/** The field manager of a request: its `fieldManager` parameter, else the program name in the User-Agent. */
export function managerOf({ options, userAgent }: RequestAttributes): string {
  return managerName(options.fieldManager ?? "", userAgent === "" ? undefined : userAgent)
}

interface CachedVersions {
  /** Revision of the kind table when `versions` was computed. */
  readonly revision: number
  readonly versions: Versions
}

const versionsCache = new WeakMap<KindHandle, Map<string, CachedVersions>>()

/** All served versions of the kind, as the sub-resource ("": the object itself) writes them. Cached per handle. */
export async function versionsOf(registry: Registry, handle: KindHandle, subresource: string): Promise<Versions> {
  const { kinds } = registry.deps
  const known = cachedVersions(registry, handle, subresource)
  if (known !== undefined) return known
  const ofHandle = versionsCache.get(handle) ?? new Map<string, CachedVersions>()
  versionsCache.set(handle, ofHandle)
  const { revision } = kinds
  const others = kinds.sharing(handle.kind.storage.path).filter((kind) => kind !== handle.kind)
  const found = new Map<string, TypedVersion>()
  // Bounded: a kind has few versions.
  for (const kind of others) {
    const other = typedVersion(await registry.handle(kind), subresource)
    found.set(other.apiVersion, other)
  }
  const versions: Versions = { current: typedVersion(handle, subresource), find: (apiVersion) => found.get(apiVersion) }
  ofHandle.set(subresource, { revision, versions })
  return versions
}

/** The cached versions. Undefined until a write has computed them, and after a kind was added. */
function cachedVersions(registry: Registry, handle: KindHandle, subresource: string): Versions | undefined {
  const known = versionsCache.get(handle)?.get(subresource)
  return known?.revision === registry.deps.kinds.revision ? known.versions : undefined
}

function typedVersion(handle: KindHandle, subresource: string): TypedVersion {
  return {
    apiVersion: handle.apiVersion,
    shape: handle.parts.shape,
    reset: resetFields(handle.kind, subresource),
    toStored: (object) => handle.toStored(object),
    fromStored: (object) => handle.conversion?.now(object) ?? handle.fromStored(object),
  }
}

/**
 * The fields that writes take from the stored object: whole parts of the object, and metadata. A client that sends them
 * does not own them. A client that sends a field of spec or status which only the server sets still owns it, as in the
 * reference.
 */
function resetFields(kind: Kind, subresource: string): FieldSet {
  const written = subresource === "" ? undefined : kind.subresources.find(({ name }) => name === subresource)
  const kept = subresource === "" ? kind.rules.updateKeeps : written?.keeps
  if (written?.unowned !== undefined) return resetOf([...(kept ?? []), ...written.unowned])
  if (kept !== undefined && wholeMetadata.every((path) => kept.includes(path)))
    return resetOf([...kept.filter((path) => !path.startsWith("metadata.")), "metadata"])
  return resetOf(kept ?? [])
}

/** A status write that keeps all of these changes no metadata, so it owns none of the metadata. */
const wholeMetadata = ["metadata.labels", "metadata.annotations", "metadata.finalizers", "metadata.ownerReferences"]

function resetOf(kept: readonly string[]): FieldSet {
  let reset: FieldSet = {}
  for (const path of kept) if (!path.includes(".") || path.startsWith("metadata.")) reset = union(reset, setOfPath(path))
  return reset
}

/**
 * Throws 422 if a write would leave more than `managersMax` entries in `managedFields`, unless the stored object
 * already has as many. Called before the entries that a client sent are processed, and after an apply has computed its
 * own.
 */
export function checkManagers(handle: KindHandle, name: string, next: ApiObject, old?: ApiObject): void {
  const count = next.metadata?.managedFields?.length ?? 0
  if (count <= managersMax || count <= (old?.metadata?.managedFields?.length ?? 0)) return
  const detail = `must have at most ${managersMax} entries; leave metadata.managedFields out of what you send, or let fewer managers write the object`
  throw invalid({ group: handle.kind.group, resource: handle.kind.kind, name }, [
    { type: "TooMany", field: "metadata.managedFields", value: count, detail },
  ])
}

export interface TrackedChange {
  readonly manager: string
  /** "": the object itself. */
  readonly subresource: string
  readonly next: ApiObject
  /** Absent: a creation. */
  readonly old?: ApiObject
  /** Values of `next` whose sent form differs from the stored form. */
  readonly forms: readonly SentForm[] | undefined
  readonly pace: Pace
}

/**
 * Computes `managedFields` for the next object. Create and update call it for writes of clients, before any
 * preparation. Returns a promise until the versions of the kind are cached, and for large objects.
 */
export function updateManagedFields(
  registry: Registry,
  handle: KindHandle,
  change: TrackedChange,
): JsonObject[] | undefined | Promise<JsonObject[] | undefined> {
  const known = cachedVersions(registry, handle, change.subresource)
  const { conversion } = handle
  const track = (versions: Versions): ReturnType<typeof trackChange> => trackChange(registry, versions, change)
  if (known !== undefined) return conversion === undefined ? track(known) : conversion.waiting(() => track(known))
  return versionsOf(registry, handle, change.subresource).then((versions) => withConversions(conversion, () => track(versions)))
}

function trackChange(
  registry: Registry,
  versions: Versions,
  { pace, ...change }: TrackedChange,
): JsonObject[] | undefined | Promise<JsonObject[] | undefined> {
  const now = timeText(registry.deps.clock.nowMs())
  const update = { versions, now, ...change }
  return pace.isSlow ? inTurns(trackingStages(update)) : trackUpdate(update)
}

/**
 * Whether the store refused the object for its size. Without managedFields it may fit. An object too large to be
 * encoded would not fit either way.
 */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof StoreError && error.cause.code === "too-large"
}
