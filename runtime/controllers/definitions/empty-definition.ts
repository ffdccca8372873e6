/** Deletes all objects of the kind that a definition added. */
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { isConditionTrue } from "../../definitions/conditions.ts"
import { awaitDefinitions } from "../../registry/definition-guard.ts"
import { awaitFreshness } from "../../registry/read.ts"
import type { KindHandle, Registry } from "../../registry/registry.ts"
import { deleteContent } from "../delete-content.ts"
import { definitionController } from "../identities.ts"

export interface EmptiedDefinition {
  /** Number of remaining objects. */
  readonly left: number
  /** The condition Terminating once no objects are left, or the reason that objects are left. */
  readonly reason: string
  readonly message: string
}

/** Called for a definition that is being deleted, once new objects are refused. */
export async function emptyDefinition(registry: Registry, definition: CustomResourceDefinition): Promise<EmptiedDefinition> {
  if (!isConditionTrue(definition.status.conditions, "Established"))
    return { left: 0, reason: "NeverEstablished", message: "resource was never established" }
  const { kinds } = registry.deps
  await awaitDefinitions(registry)
  const kind = kinds.all().find((one) => one.custom?.definition === definition.metadata.name && kinds.stored(one) === one)
  if (kind === undefined)
    return { left: 0, reason: "OverlappingBuiltInResource", message: "instances overlap with built-in resources in storage" }
  await registry.creations.drained()
  const handle = await registry.handle(kind)
  const faults = await deleteAll(registry, handle)
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const left = handle.cache.snapshot().count({ prefix: handle.prefix("") })
  if (left === 0) return { left, reason: "InstanceDeletionCompleted", message: "removed all instances" }
  return { left, reason: "", message: faults[0] ?? `${left} of them are held by finalizers` }
}

/** Returns why objects could not be deleted. */
async function deleteAll(registry: Registry, handle: KindHandle): Promise<string[]> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const snapshot = handle.cache.snapshot()
  return deleteContent(registry, handle, { snapshot, prefix: handle.prefix(""), user: definitionController(registry) })
}
