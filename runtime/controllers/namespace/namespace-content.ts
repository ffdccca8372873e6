/** Deletes the content of a terminating namespace and reports what is left. */
import { namespaceController } from "../identities.ts"
import { shortList } from "../../base/bounded-text.ts"
import { finalizersCountedMax } from "../limits.ts"
import type { Kind } from "../../schema/kind.ts"
import type { NamespaceCondition } from "../../../generated/core/v1/namespace/types.ts"
import { awaitFreshness } from "../../registry/read.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import { deleteContent, visitContent } from "../delete-content.ts"

/** A resource that still has objects in the namespace. */
export interface RemainingResource {
  readonly handle: KindHandle
  readonly count: number
  /** The revision at which the objects were counted. */
  readonly revision: number
  /** The number of objects per finalizer; only the first of many finalizers. */
  readonly finalizers: ReadonlyMap<string, number>
}

export interface SweepResult {
  readonly remaining: readonly RemainingResource[]
  /** Reasons why objects could not be deleted. */
  readonly faults: readonly string[]
}

/** The terminating namespace. */
export interface TerminatingNamespace {
  readonly name: string
  /**
   * Whether the name still refers to this namespace. Another server may have finished it, and a new namespace may have
   * the same name. Objects read before this check belong to the old namespace; objects read later may not.
   */
  readonly isStill: () => Promise<boolean>
}

/** Every namespaced kind that has its own storage and can be deleted, once per storage path. */
export function contentKinds(registry: Registry): Kind[] {
  const { kinds } = registry.deps
  return kinds.all().filter((kind) => kind.namespaced && kind.verbs.includes("delete") && kinds.stored(kind) === kind)
}

/**
 * Deletes the objects of these kinds in the namespace and returns the remaining ones. Kinds without objects are not
 * opened.
 */
export async function sweep(registry: Registry, kinds: readonly Kind[], namespace: TerminatingNamespace): Promise<SweepResult> {
  const remaining: RemainingResource[] = []
  const faults: string[] = []
  // Bounded: one per kind, whose objects are processed in turns.
  for (const kind of kinds) {
    if (!(await hasObjects(registry, kind, namespace.name))) continue
    const handle = await registry.handle(kind)
    for (const fault of await deleteAll(registry, handle, namespace)) faults.push(fault)
    const left = await countLeft(registry, handle, namespace.name)
    if (left.count > 0) remaining.push(left)
  }
  return { remaining, faults }
}

async function hasObjects(registry: Registry, kind: Kind, namespace: string): Promise<boolean> {
  const { store, storePrefix } = registry.deps
  const { items } = await store.list({ prefix: `${storePrefix}${kind.storage.path}/${namespace}/`, limit: 1 })
  return items.length > 0
}

async function deleteAll(registry: Registry, handle: KindHandle, { name, isStill }: TerminatingNamespace): Promise<string[]> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const snapshot = handle.cache.snapshot()
  if (!(await isStill())) return []
  return deleteContent(registry, handle, { snapshot, prefix: handle.prefix(name), user: namespaceController(registry) })
}

async function countLeft(registry: Registry, handle: KindHandle, namespace: string): Promise<RemainingResource> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const counts = new Map<string, number>()
  const snapshot = handle.cache.snapshot()
  let count = 0
  await visitContent(
    snapshot.entries({ prefix: handle.prefix(namespace) }),
    (_entry, { finalizers }) => {
      count++
      for (const finalizer of finalizers) {
        const counted = counts.get(finalizer)
        if (counted !== undefined || counts.size < finalizersCountedMax) counts.set(finalizer, (counted ?? 0) + 1)
      }
    },
    // The failed deletion was reported already.
    () => count++,
  )
  return { handle, count, finalizers: counts, revision: snapshot.revision }
}

interface Finding {
  readonly type: string
  readonly good: { readonly reason: string; readonly message: string }
  readonly bad?: { readonly reason: string; readonly message: string } | undefined
}

/**
 * The conditions of a namespace whose content could not be deleted at once, in the order of the reference's namespace
 * controller. Conditions of other writers keep their content and position.
 */
export function conditionsOf(found: SweepResult, before: readonly NamespaceCondition[], now: string): NamespaceCondition[] {
  const next = [...before]
  for (const { type, good, bad } of findings(found)) {
    const { reason, message } = bad ?? good
    const status = bad === undefined ? "False" : "True"
    const at = before.findIndex((one) => one.type === type)
    const old = before[at]
    const lastTransitionTime = (old?.status === status ? old.lastTransitionTime : null) ?? now
    next.splice(at < 0 ? next.length : at, 1, { type, status, lastTransitionTime, reason, message })
  }
  return next
}

function findings({ remaining, faults }: SweepResult): Finding[] {
  const held = new Map<string, number>()
  for (const { finalizers } of remaining) for (const [name, count] of finalizers) held.set(name, (held.get(name) ?? 0) + count)
  const resources = remaining.map(
    ({ handle: { kind }, count }) =>
      `${kind.group === "" ? `${kind.resource}.` : `${kind.resource}.${kind.group}`} has ${count} resource instances`,
  )
  const holders = [...held].map(([name, count]) => `${name} in ${count} resource instances`)
  return [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      good: { reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      good: { reason: "ParsedGroupVersions", message: "All legacy types successfully parsed" },
    },
    {
      type: "NamespaceDeletionContentFailure",
      good: { reason: "ContentDeleted", message: "All content successfully deleted, may be waiting on finalization" },
      bad:
        faults.length === 0
          ? undefined
          : {
              reason: "ContentDeletionFailed",
              message: `Failed to delete all resource types, ${faults.length} remaining: ${shortList([...faults].sort())}`,
            },
    },
    {
      type: "NamespaceContentRemaining",
      good: { reason: "ContentRemoved", message: "All content successfully removed" },
      bad:
        resources.length === 0
          ? undefined
          : { reason: "SomeResourcesRemain", message: `Some resources are remaining: ${shortList(resources.sort())}` },
    },
    {
      type: "NamespaceFinalizersRemaining",
      good: { reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
      bad:
        holders.length === 0
          ? undefined
          : {
              reason: "SomeFinalizersRemain",
              message: `Some content in the namespace has finalizers remaining: ${shortList(holders.sort())}`,
            },
    },
  ]
}
