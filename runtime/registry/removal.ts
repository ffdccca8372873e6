/** What has to happen together with the removal of an object, by a delete request or by the update that took its last finalizer. */
import type { ApiObject } from "../kit/json.ts"
import type { Write } from "../storage/store.ts"
import { type Riders, ridersOf } from "./commit.ts"
import { deletionStep } from "./deletion-step.ts"
import { parseObject } from "./object-codec.ts"
import { awaitFreshness } from "./read.ts"
import type { KindHandle, Registry } from "./registry.ts"

/** Called for the commit of a removal. What the kind's behaviours ask for, and the deletion of the object that goes with this one. */
export async function removalRiders(
  registry: Registry,
  handle: KindHandle,
  old: ApiObject,
  scope: { dryRun: boolean; subresource?: string },
): Promise<Riders> {
  const riders = await ridersOf(handle, { old }, scope)
  if (scope.dryRun) return riders
  try {
    const companion = await companionOf(registry, handle, old)
    return companion === undefined
      ? riders
      : { ...riders, checks: [...riders.checks, ...companion.checks], writes: [...riders.writes, ...companion.writes] }
  } catch (error) {
    riders.settled()
    throw error
  }
}

/** Deleted as by a request of its own: removed, or marked for those whose finalizers hold it. Nothing when it is not there. */
async function companionOf(
  registry: Registry,
  { behaviours, kind }: KindHandle,
  old: ApiObject,
): Promise<Pick<Riders, "checks" | "writes"> | undefined> {
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
  handle.cache.expect(key, value, json)
  return { type: "put", key, value }
}
