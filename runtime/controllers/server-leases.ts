/**
 * The live servers of a store. Each server keeps a key below `masterleases/`, named by its address, which expires
 * unless it is renewed. Layout and value are as in the reference's lease reconciler, so both can share a store.
 */
import { internal } from "../base/errors.ts"
import type { Registry } from "../registry/registry.ts"

/** Catalog operations.yaml, endpoint reconciler. Renewed every ten seconds. */
const leaseSeconds = 15

function prefixOf(registry: Registry): string {
  return `${registry.deps.storePrefix}masterleases/`
}

/** Renews the key of this server for another fifteen seconds. */
export async function renewLease(registry: Registry, address: string): Promise<void> {
  const kind = registry.deps.kinds.find("", "v1", "endpoints")
  if (kind === undefined) return
  const { codec, apiVersion } = await registry.handle(kind)
  const { value } = codec.encode({ kind: kind.kind, apiVersion, metadata: {}, subsets: [{ addresses: [{ ip: address }] }] })
  await registry.deps.store.commit({
    checks: [],
    writes: [{ type: "put", key: prefixOf(registry) + address, value, ttlSeconds: leaseSeconds }],
  })
}

/** Called when the server stops, so that the others need not wait until the key expires. */
export async function endLease(registry: Registry, address: string): Promise<void> {
  await registry.deps.store.commit({ checks: [], writes: [{ type: "delete", key: prefixOf(registry) + address }] })
}

/** Returns the addresses of the live servers. Throws when there is none: the caller has just renewed its own. */
export async function liveAddresses(registry: Registry): Promise<readonly string[]> {
  const prefix = prefixOf(registry)
  const { items } = await registry.deps.store.list({ prefix })
  if (items.length === 0) throw internal("no server has a lease, not even this one")
  return items.map(({ key }) => key.slice(prefix.length))
}
