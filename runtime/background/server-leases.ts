/**
 * Which servers of one store are alive: each keeps a key below `masterleases/`, named by its address, that the store drops when it is not
 * written again in time (the reference's lease reconciler; layout and value are the reference's, so that both can share a store).
 */
import { internal } from "../errors.ts"
import type { Registry } from "../registry/registry.ts"

/** Catalog operations.yaml, endpoint reconciler. Renewed every ten seconds by the upkeep. */
const leaseSeconds = 15

function prefixOf(registry: Registry): string {
  return `${registry.deps.storePrefix}masterleases/`
}

/** Says that this server is alive for another fifteen seconds. */
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

/** Called when the server stops: the others need not wait for the lease to run out. */
export async function endLease(registry: Registry, address: string): Promise<void> {
  await registry.deps.store.commit({ checks: [], writes: [{ type: "delete", key: prefixOf(registry) + address }] })
}

/** Addresses of the servers that are alive. Throws when there is none: the caller has just renewed its own. */
export async function liveAddresses(registry: Registry): Promise<readonly string[]> {
  const prefix = prefixOf(registry)
  const { items } = await registry.deps.store.list({ prefix })
  if (items.length === 0) throw internal("no server has a lease, not even this one")
  return items.map(({ key }) => key.slice(prefix.length))
}
