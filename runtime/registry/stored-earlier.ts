/** Objects of a definition that were written in an earlier storage version. */
import { isEnvelope } from "../encoding/protobuf/envelope.ts"
import type { CachedObject } from "../storage/cache.ts"
import { parseObject } from "./object-codec.ts"
import type { KindHandle, Registry } from "./registry.ts"

/**
 * Whether a write that changes nothing still writes: it brings an object into the present storage version. Clients
 * migrate a store that way before they remove the earlier version from `status.storedVersions`. Called for such writes
 * alone, because it may read the store.
 */
export async function isStoredEarlier(registry: Registry, handle: KindHandle, current: CachedObject): Promise<boolean> {
  if (handle.conversion !== undefined) return !handle.conversion.isCurrent(current)
  if (handle.kind.custom === undefined || !handle.codec.readsEarlier) return false
  const stored = await registry.deps.store.get({ key: current.key })
  return stored !== undefined && !isEnvelope(stored.value) && parseObject(stored.value).apiVersion !== handle.storedApiVersion
}
