/** The store on an etcd cluster, from option values, and what its servers share. */
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import type { Clock } from "./clock.ts"
import type { Options } from "./options/table.ts"
import type { Random } from "./random.ts"
import { StartError } from "./start-error.ts"
import type { EtcdAddress, EtcdTls } from "./storage/etcd/connection.ts"
import { openEtcdStore } from "./storage/etcd/etcd-store.ts"
import { type Store, StoreError } from "./storage/store.ts"

/** Called at start when `--store-servers` names any. Throws StartError for files that cannot be read, and for a certificate without its key. */
export function openStoreServers(how: { options: Options; clock: Clock; random: Random }): Promise<Store> {
  const { options, clock, random } = how
  return openEtcdStore({
    address: storeAddress(options),
    clock,
    random,
    leases: { reuseSeconds: options["lease-reuse-duration-seconds"] },
  })
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
