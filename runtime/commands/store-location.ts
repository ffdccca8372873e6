/** Stores as `store copy` names them: `lmdb:DIR`, `etcd:URL,URL`. */
import { existsSync } from "node:fs"
import { mkdtemp, open, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { type Clock, systemClock } from "../base/clock.ts"
import { OptionError } from "../options/command-line.ts"
import { storeFolder, storeRoot } from "../launch/data-dir.ts"
import type { Options } from "../options/table.ts"
import { makeFolder } from "../base/make-folder.ts"
import { type Random, systemRandom } from "../base/random.ts"
import { type Store, StoreError, type StoredValue } from "../storage/store.ts"

/** The options about the place and contents of a server's store; for the help of commands that read it. */
export const storeOptions = [
  "data-dir",
  "store-servers",
  "store-cafile",
  "store-certfile",
  "store-keyfile",
  "store-prefix",
  "api",
  "config",
] as const

/** The location of a store that is not open yet. */
export interface StoreLocation {
  /** Opens an existing store and, where the driver can, locks out writers. Throws StoreError. */
  openSource(): Promise<Store>
  /**
   * Opens an empty store whose versions are greater than `revision`, if the driver can arrange that beforehand. Throws
   * StoreError.
   */
  openTarget(revision: number): Promise<StoreTarget>
}

/** A store that is being filled. */
export interface StoreTarget {
  readonly store: Store
  /** Called once the store is filled: closes it and moves it to its place. */
  keep(): Promise<void>
  /** Called when filling failed: closes the store. Resolves with a description of the remains; undefined: none. */
  discard(): Promise<string | undefined>
}

export interface StoreLocationOptions {
  readonly clock: Clock
  readonly random: Random
  /** The options of the table that configure etcd, and `--store-prefix`. */
  readonly options: Options
}

/** Called with the values of `--from` and `--to`. Throws OptionError. */
export function parseStoreLocation(flag: string, text: string, options: StoreLocationOptions): StoreLocation {
  const [driver = "", place = ""] = text.split(/:(.*)/s)
  if (driver === "lmdb" && place !== "") return lmdbPlace(resolve(place), options)
  const servers = place.split(",")
  if (driver === "etcd" && servers.every((server) => /^https?:\/\/[^/]+$/.test(server))) return etcdPlace(servers, options)
  throw new OptionError(
    `${flag}: ${JSON.stringify(text)} will not do: expected lmdb:DIR, DIR being a data folder, or etcd:URL,URL, such as etcd:http://127.0.0.1:2379`,
  )
}

/** The store of a server with these options. */
export function storeLocationOf(options: Options, how: StoreLocationOptions): StoreLocation {
  const servers = options["store-servers"]
  return servers.length > 0 ? etcdPlace(servers, how) : lmdbPlace(resolve(options["data-dir"]), how)
}

function lmdbPlace(dataDir: string, { clock }: StoreLocationOptions): StoreLocation {
  const folder = storeFolder(dataDir)
  return {
    async openSource() {
      if (!existsSync(folder)) throw new StoreError("unavailable", `${dataDir} is no data folder with a store: there is no ${folder}`)
      const { openLmdbStore } = await import("../storage/lmdb/lmdb-store.ts")
      return openLmdbStore({ dir: folder, clock })
    },
    async openTarget(revision) {
      if (existsSync(folder) && (await readdir(folder)).length > 0)
        throw new StoreError("unavailable", `${folder} is not empty; copy into a new data folder`)
      makeFolder(dataDir)
      // Filled next to its place, so that an incomplete copy is never taken for a store.
      const scratch = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`))
      const { createLmdbAt: beginLmdbAt } = await import("../storage/lmdb/first-revision.ts")
      const { openLmdbStore } = await import("../storage/lmdb/lmdb-store.ts")
      const clear = (): Promise<void> => rm(scratch, { recursive: true, force: true })
      try {
        await beginLmdbAt(scratch, revision)
        const store = await openLmdbStore({ dir: scratch, clock })
        return {
          store,
          async keep() {
            await store.close()
            await rename(scratch, folder)
            await flushFolder(dataDir)
          },
          async discard() {
            await store.close()
            await clear()
            return undefined
          },
        }
      } catch (error) {
        await clear()
        throw error
      }
    },
  }
}

/** Makes the new name survive a crash. */
async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function etcdPlace(servers: readonly string[], { clock, random, options: given }: StoreLocationOptions): StoreLocation {
  const options = { ...given, "store-servers": servers }
  async function openStore(): Promise<Store> {
    const { openStoreServers } = await import("../launch/etcd-servers.ts")
    return openStoreServers({ options, clock, random })
  }
  return {
    async openSource() {
      const { leaseEnds } = await import("../storage/etcd/lease-ends.ts")
      const { storeAddress } = await import("../launch/etcd-servers.ts")
      const ends = await leaseEnds({ address: storeAddress(options), clock })
      return withEnds(await openStore(), ends)
    },
    async openTarget() {
      const store = await openStore()
      return {
        store,
        keep: () => store.close(),
        async discard() {
          await store.close()
          return `The target may hold a part of the copy now: delete its keys below ${storeRoot(options["store-prefix"])} before the next attempt`
        },
      }
    },
  }
}

/** Adds the expiry times in `ends`: the driver knows only its own leases. */
function withEnds(store: Store, ends: ReadonlyMap<string, number>): Store {
  function ending(item: StoredValue): StoredValue {
    const expiresAtMs = item.expiresAtMs ?? ends.get(item.key)
    return expiresAtMs === undefined ? item : { ...item, expiresAtMs }
  }
  return Object.create(store, {
    get: {
      async value(options: Parameters<Store["get"]>[0]) {
        const item = await store.get(options)
        return item && ending(item)
      },
    },
    list: {
      async value(options: Parameters<Store["list"]>[0]) {
        const found = await store.list(options)
        return { ...found, items: found.items.map(ending) }
      },
    },
  })
}

/**
 * Runs `work` on the store of `--store-servers`, which other servers may use at the same time. Throws StartError or
 * StoreError.
 */
export async function onStoreServers<T>(options: Options, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStoreServers } = await import("../launch/etcd-servers.ts")
  const store = await openStoreServers({ options, clock: systemClock, random: systemRandom })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
