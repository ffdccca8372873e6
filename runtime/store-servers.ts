/** The store on an etcd cluster, from option values, and what its servers share. */
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import type { Clock } from "./clock.ts"
import type { Kind } from "./kit/kind.ts"
import type { Options } from "./options/table.ts"
import type { Random } from "./random.ts"
import { StartError } from "./start-error.ts"
import type { EtcdAddress, EtcdTls } from "./storage/etcd/connection.ts"
import { openEtcdStore } from "./storage/etcd/etcd-store.ts"
import { overrideStores } from "./storage/overridden-store.ts"
import { type Store, StoreError, type StoreOverride } from "./storage/store.ts"
import { storeRoot } from "./store-folder.ts"
import { vendorProfile } from "./vendor.ts"

interface How {
  readonly options: Options
  readonly clock: Clock
  readonly random: Random
}

/** Called with `--store-servers`, whatever overrides there are. Throws StartError for files that cannot be read, and for a certificate without its key. */
export function openStoreServers(how: How): Promise<Store> {
  return openCluster(how, storeAddress(how.options))
}

function openCluster({ options, clock, random }: How, address: EtcdAddress): Promise<Store> {
  return openEtcdStore({ address, clock, random, leases: { reuseSeconds: options["lease-reuse-duration-seconds"] } })
}

/**
 * Called by a server at its start: `--store-servers`, and those of `--store-servers-overrides` for their resources. `kinds` are all that are
 * served. Throws StartError as above, and for an override of a resource that nobody serves.
 */
export async function openServedStore(how: How & { readonly kinds: readonly Kind[] }): Promise<Store> {
  const { options } = how
  const address = storeAddress(options)
  const given = options["store-servers-overrides"].map(({ group, resource, servers }) => ({
    path: pathOf(how, { group, resource }),
    servers,
  }))
  const clusters = new Map<string, Store>()
  async function cluster(servers: readonly string[]): Promise<Store> {
    const name = servers.join(";")
    const store = clusters.get(name) ?? (await openCluster(how, { ...address, servers }))
    clusters.set(name, store)
    return store
  }
  const main = await cluster(address.servers)
  const overrides: StoreOverride[] = []
  for (const { path, servers } of given) {
    const store = await cluster(servers)
    if (store !== main) overrides.push({ path, store })
  }
  return overrides.length === 0 ? main : overrideStores(main, overrides, storeRoot(options["store-prefix"]))
}

/** Groups are written as clients write them. */
function pathOf(how: How & { readonly kinds: readonly Kind[] }, { group, resource }: { group: string; resource: string }): string {
  const neutral = vendorProfile(how.options.vendor).neutralGroup(group)
  const kind = how.kinds.find((candidate) => candidate.group === neutral && candidate.resource === resource)
  if (kind === undefined) throw new StartError(`--store-servers-overrides: there is no resource ${group}/${resource}`)
  return kind.storage.path
}

/** Where `--store-servers` are and how they are spoken to. Throws StartError as above. */
export function storeAddress(options: Options): EtcdAddress {
  return { servers: options["store-servers"], tls: tlsOf(options) }
}

function tlsOf(options: Options): EtcdTls {
  const authority = pemText(options, "store-cafile")
  const certificate = pemText(options, "store-certfile")
  const key = pemText(options, "store-keyfile")
  if ((certificate === undefined) !== (key === undefined)) throw new StartError("--store-certfile and --store-keyfile go together")
  return {
    ...(authority !== undefined && { authority }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  }
}

function pemText(options: Options, name: "store-cafile" | "store-certfile" | "store-keyfile"): string | undefined {
  if (options[name] === "") return undefined
  try {
    return readFileSync(options[name], "utf8")
  } catch (error) {
    throw new StartError(`--${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** How long the start waits for an etcd that is starting too, and how often it looks; the reference gives up after as long. */
const startPatienceMs = 20_000
const startRetryMs = 500

/**
 * The secret of continue tokens: the first server of a store makes it, the others find it there, below the prefix and beside the resources.
 * Throws StartError when the store cannot be reached.
 */
export async function sharedSecret(store: Store, options: { clock: Clock; prefix: string; make: () => Buffer }): Promise<Buffer> {
  const { clock, make, prefix } = options
  const key = `${prefix}orch-apiserver/continue-secret`
  const untilMs = clock.nowMs() + startPatienceMs
  for (;;) {
    try {
      const value = make()
      const made = await store.commit({ checks: [{ key, modRevision: 0 }], writes: [{ type: "put", key, value }] })
      return made.ok ? value : Buffer.from(made.current.get(key)?.value ?? value)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      if (error.code !== "unavailable" && error.code !== "timeout") throw new StartError(`--store-servers: ${error.message}`)
      if (clock.nowMs() >= untilMs) throw new StartError(`--store-servers: ${error.message}; is etcd running there?`)
    }
    // The clock's timers keep no process alive, and at the start nothing else does.
    await setTimeout(startRetryMs)
  }
}
