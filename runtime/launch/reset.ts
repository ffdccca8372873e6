/** `reset()` of the library: a server between two tests, as after its start. */
import { apiServiceName } from "../controllers/api-services/registration.ts"
import { publishedMaps } from "../controllers/published-configuration.ts"
import { systemNamespaces, systemPriorityNames } from "../controllers/system-objects.ts"
import { definitionGroup, definitionResource } from "../definitions/definition-kind.ts"
import { StartError } from "../base/start-error.ts"
import type { ServerParts } from "../server-parts.ts"
import type { KindHandle, Registry } from "../registry/registry.ts"
import { awaitFreshness } from "../registry/read.ts"
import type { StoredValue, Write } from "../storage/store.ts"

/** Allocations of addresses and ports. A server without them derives them from the Services. */
const allocations = "ranges/"

/**
 * Called once a server has started. Remembers the objects that the start made; the returned function removes all other
 * objects in one commit and restores objects that were changed or removed. Watches see these changes. A request that
 * runs meanwhile takes place before or after them. It rejects when servers share the store, or the server has stopped.
 * `definitions`: the names of the definitions with which the server was started.
 */
export async function resetter({ registry, kinds, options }: ServerParts, definitions: readonly string[]): Promise<() => Promise<void>> {
  const { store, storePrefix } = registry.deps
  const own = new Map((await startObjects(registry, definitions)).map((stored) => [stored.key, stored]))
  const renewed = new Set(await ownLeases(registry))
  const prefixes = (): string[] => {
    const paths = new Set(kinds.all().map((kind) => kind.storage.path))
    return [...[...paths].map((path) => `${path}/`), allocations].map((path) => storePrefix + path)
  }
  return async () => {
    if (options["store-servers"].length > 0) throw new StartError("reset: other servers share the store; delete what the test made")
    const found = (await Promise.all(prefixes().map((prefix) => store.list({ prefix })))).flatMap(({ items }) => items)
    const present = new Map(found.map((stored) => [stored.key, stored.modRevision]))
    const writes: Write[] = []
    for (const key of present.keys()) if (!own.has(key) && !renewed.has(key)) writes.push({ type: "delete", key })
    for (const { key, value, modRevision } of own.values()) {
      if (present.get(key) === modRevision) continue
      writes.push({ type: "put", key, value })
    }
    if (writes.length === 0) return
    const { revision } = await store.commit({ checks: [], writes })
    for (const { key, value, modRevision } of own.values())
      if (present.get(key) !== modRevision) own.set(key, { key, value, createRevision: revision, modRevision: revision })
    const [kind] = kinds.all()
    if (kind !== undefined) await awaitFreshness(registry, await registry.handle(kinds.stored(kind)), { mode: "most-recent" })
  }
}

/** The keys of the Leases by which servers announce themselves. They change without requests. */
async function ownLeases({ deps: { kinds, store, storePrefix, vendor } }: Registry): Promise<readonly string[]> {
  const kind = kinds.find("coordination.orch.io", "v1", "leases")
  if (kind === undefined) return []
  const { items } = await store.list({ prefix: `${storePrefix}${kind.storage.path}/${vendor.namespace("orch-system")}/` })
  return items.map(({ key }) => key)
}

/**
 * The values of the server's own objects (`system-objects.ts`, `own-objects.ts`), of the definitions of the start, and
 * of RBAC's bootstrap roles and bindings.
 */
async function startObjects(registry: Registry, definitions: readonly string[]): Promise<readonly StoredValue[]> {
  const { kinds, store, vendor } = registry.deps
  type Place = (handle: KindHandle) => readonly string[]
  const at = async (resource: string, place: Place, group = ""): Promise<readonly string[]> => {
    const kind = kinds.find(group, "v1", resource)
    return kind === undefined ? [] : place(await registry.handle(kind))
  }
  const groupVersions = kinds
    .served()
    .filter(({ custom, resource, group }) => custom === undefined || definitions.includes(`${resource}.${vendor.group(group)}`))
  const apiServices = new Set(groupVersions.map(({ group, version }) => apiServiceName(vendor, { group, version })))
  const keys = [
    await at("namespaces", (handle) => systemNamespaces.map((name) => handle.key("", vendor.namespace(name)))),
    await at("services", (handle) => [handle.key("default", vendor.word)]),
    await at("endpoints", (handle) => [handle.key("default", vendor.word)]),
    await at("endpointslices", (handle) => [handle.key("default", vendor.word)], "discovery.orch.io"),
    await at("priorityclasses", (handle) => systemPriorityNames.map((name) => handle.key("", name)), "scheduling.orch.io"),
    await at("configmaps", (handle) => publishedMaps.map((name) => handle.key(vendor.namespace("orch-system"), name))),
    await at("apiservices", (handle) => [...apiServices].map((name) => handle.key("", name)), "apiregistration.orch.io"),
    await at(definitionResource, (handle) => definitions.map((name) => handle.key("", name)), definitionGroup),
  ]
  const found = await Promise.all(keys.flat().map((key) => store.get({ key })))
  return [...found.filter((stored) => stored !== undefined), ...(await startPolicy(registry))]
}

async function startPolicy({ deps: { kinds, store, storePrefix } }: Registry): Promise<readonly StoredValue[]> {
  const own = kinds.all().filter(({ group }) => group === "rbac.authorization.orch.io")
  const lists = await Promise.all(own.map(({ storage }) => store.list({ prefix: `${storePrefix}${storage.path}/` })))
  return lists.flatMap(({ items }) => items)
}
