/** Operations to commit with the removal of an object, by a delete request or by removing its last finalizer. */
import type { ApiObject } from "../base/json.ts"
import type { Write } from "../storage/store.ts"
import { type TransactionOps, collectTransactionOps } from "./commit.ts"
import { deletionStep } from "./deletion-step.ts"
import { parseObject } from "./object-codec.ts"
import { awaitFreshness } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"

/**
 * The operations of the kind's behaviours, and the deletion of the companion object. Called before a removal commits.
 */
export async function removalOps(
  registry: Registry,
  handle: KindHandle,
  old: ApiObject,
  scope: { dryRun: boolean; subresource?: string },
): Promise<TransactionOps> {
  const ops = await collectTransactionOps(handle, { old }, scope)
  if (scope.dryRun) return ops
  try {
    const companion = await companionOf(registry, handle, old)
    return companion === undefined
      ? ops
      : { ...ops, checks: [...ops.checks, ...companion.checks], writes: [...ops.writes, ...companion.writes] }
  } catch (error) {
    ops.release()
    throw error
  }
}

/** Deletes the companion as a request would: removes it, or marks it if it has finalizers. Undefined: none exists. */
async function companionOf(
  registry: Registry,
  { behaviours, kind }: KindHandle,
  old: ApiObject,
): Promise<Pick<TransactionOps, "checks" | "writes"> | undefined> {
  const resource = behaviours.find(({ companion }) => companion !== undefined)?.companion
  const found = resource === undefined ? undefined : registry.deps.kinds.find(kind.group, kind.version, resource)
  if (found === undefined) return undefined
  const handle = await registry.handle(found)
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const key = handle.key(old.metadata?.namespace ?? "", old.metadata?.name ?? "")
  const entry = handle.cache.get(key)
  if (entry === undefined) return undefined
  const object = handle.fromStored(parseObject(entry.json()))
  const { next, removes } = deletionStep(registry, handle, {}, object)
  const checks = [{ key, modRevision: entry.modRevision }]
  return { checks, writes: [removes ? { type: "delete", key } : put(handle, key, next)] }
}

function put(handle: KindHandle, key: string, object: ApiObject): Write {
  const { value, json } = handle.codec.encode(handle.toStored(object))
  handle.cache.announce(key, value, json)
  return { type: "put", key, value }
}
