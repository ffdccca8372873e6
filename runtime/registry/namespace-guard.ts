/**
 * Keeps what is made out of a namespace that another server has begun to empty. Creations of this server are waited for (`creations.ts`); of those of
 * another one nobody here knows, and its cache may lag: there a creation goes through only if the namespace is what it was when it was admitted.
 */
import { staleReadTimeoutMs } from "../base/limits.ts"
import type { Check } from "../storage/store.ts"
import { awaitFreshness } from "./read.ts"
import type { Registry } from "./registry.ts"

/**
 * Called before admission of every creation; the check belongs into its commit. Undefined: no other server writes to the store, the object has no
 * namespace, or `--store-servers-overrides` keeps it where the namespace cannot be asked for in one transaction.
 */
export async function namespaceCheck(registry: Registry, namespace: string, key: string): Promise<Check | undefined> {
  const { kinds, sharedStore, store } = registry.deps
  const kind = namespace === "" || sharedStore !== true ? undefined : kinds.find("", "v1", "namespaces")
  if (kind === undefined) return undefined
  const handle = registry.opened(kind) ?? (await registry.handle(kind))
  const guarding = handle.key("", namespace)
  if (store.canCommitTogether?.(guarding, key) === false) return undefined
  if (handle.cache.get(guarding) === undefined) await awaitFreshness(registry, handle, { mode: "most-recent" })
  return { key: guarding, modRevision: handle.cache.get(guarding)?.modRevision ?? 0 }
}

/** Called when a commit with such a check was refused at `revision`, before the next attempt: that is admitted by what was found. */
export async function namespaceSeen(registry: Registry, revision: number): Promise<void> {
  const kind = registry.deps.kinds.find("", "v1", "namespaces")
  if (kind !== undefined) await (await registry.handle(kind)).cache.waitFor(revision, staleReadTimeoutMs)
}
