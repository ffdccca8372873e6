/**
 * Keeps creations out of a namespace that another server has begun to empty. The namespace controller waits for
 * creations of its own server (`in-flight-creates.ts`), but it does not know the creations of other servers, and their
 * caches may lag. With a shared store, a creation therefore commits only if the namespace has not changed since its
 * admission.
 */
import { staleReadTimeoutMs } from "../base/limits.ts"
import type { Trace } from "../base/trace.ts"
import type { Check } from "../storage/store.ts"
import { awaitFreshness } from "./read.ts"
import type { Registry } from "./registry.ts"

/**
 * Returns a check for the commit of a creation; called before its admission. Returns undefined if no other server
 * writes to the store, the object has no namespace, or `--store-servers-overrides` stores the object where one
 * transaction cannot include the namespace.
 */
export async function namespaceCheck(registry: Registry, namespace: string, key: string, trace: Trace): Promise<Check | undefined> {
  const { kinds, sharedStore, store } = registry.deps
  const kind = namespace === "" || sharedStore !== true ? undefined : kinds.find("", "v1", "namespaces")
  if (kind === undefined) return undefined
  const handle = registry.opened(kind) ?? (await registry.handle(kind))
  const namespaceKey = handle.key("", namespace)
  if (store.canCommitTogether?.(namespaceKey, key) === false) return undefined
  if (handle.cache.get(namespaceKey) === undefined) await awaitFreshness(registry, handle, { mode: "most-recent" }, trace)
  return { key: namespaceKey, modRevision: handle.cache.get(namespaceKey)?.modRevision ?? 0 }
}

/**
 * Called when a commit with such a check was refused at `revision`. Waits until the cache has that revision, so that
 * admission sees the changed namespace on the next attempt.
 */
export async function awaitNamespaceChange(registry: Registry, revision: number): Promise<void> {
  const kind = registry.deps.kinds.find("", "v1", "namespaces")
  if (kind !== undefined) await (await registry.handle(kind)).cache.waitFor(revision, staleReadTimeoutMs)
}
