/**
 * Keeps a write of a custom object from committing under another definition than the one that decoded it. Its fields
 * would be pruned by an old schema, it would be stored in a version that is gone, or it would outlive its definition.
 * Two things are compared: the handle of the write with the one that is open now, and, in the transaction itself, the
 * stored definition with the one that the table of kinds follows. Another server may have changed it.
 */
import { notYetServed, unavailable } from "../base/errors.ts"
import { definitionGroup, definitionResource } from "../definitions/definition-kind.ts"
import type { Check } from "../storage/store.ts"
import { awaitFreshness } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { ReleasedKindError } from "./released-kind.ts"

/**
 * Returns the check that a write with this handle needs; undefined for a kind that no definition added, or where one
 * transaction cannot include the definition (`--store-servers-overrides`). Called in the turn of the event loop in
 * which the commit is sent. Throws ReleasedKindError if the handle is out of date.
 */
export function definitionCheck(registry: Registry, handle: KindHandle, key: string): Check | undefined {
  const { custom } = handle.kind
  if (custom === undefined) return undefined
  if (registry.opened(handle.kind) !== handle) throw new ReleasedKindError(handle.kind)
  const state = registry.definitions.stateOf(custom.definition)
  if (state === undefined || registry.deps.store.canCommitTogether?.(state.key, key) === false) return undefined
  return state
}

/**
 * Called when a commit with such a check was refused because of it: waits until the table of kinds has followed the
 * definition. Returns if the kind is as it was: a status changed. Throws ReleasedKindError if it is not, and 503 if
 * this server does not hear of the change.
 */
export async function awaitDefinitionChange(registry: Registry, handle: KindHandle, refused: Check): Promise<void> {
  const { kind } = handle
  const isFollowed = await registry.definitions.changed(kind.custom?.definition ?? "", refused, registry.deps.clock)
  if (registry.opened(kind) !== handle) throw new ReleasedKindError(kind)
  if (!isFollowed) throw unavailable(`this server has not read the definition of ${kind.resource}.${kind.group} again yet`, 1)
}

/**
 * Called for a write that changes nothing, since no commit compares its definition. Throws ReleasedKindError if the
 * handle is out of date: under another definition it may change something.
 */
export async function confirmDefinition(registry: Registry, handle: KindHandle): Promise<void> {
  if (handle.kind.custom === undefined) return
  await awaitDefinitions(registry)
  if (registry.opened(handle.kind) !== handle) throw new ReleasedKindError(handle.kind)
}

/**
 * Resolves when the table of kinds has every definition that was established before the call, on whichever server.
 * Called before a caller relies on the absence of a kind or of its objects. Throws 503 while a start reads them.
 */
export async function awaitDefinitions(registry: Registry): Promise<void> {
  const { cache, kinds } = registry.deps
  const kind = kinds.find(definitionGroup, "v1", definitionResource)
  if (kind === undefined) return
  if (!kinds.isComplete) throw notYetServed()
  await awaitFreshness(registry, await registry.handle(kind), { mode: "most-recent" })
  await cache.delivered()
}
