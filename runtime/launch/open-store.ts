/** Opens the store of one machine. Imports little, so that the store opens while the code of the server is loaded. */
import type { Clock } from "../base/clock.ts"
import { makeFolder } from "../base/make-folder.ts"
import type { Options } from "../options/table.ts"
import { type Store, StoreError } from "../storage/store.ts"
import { storeFolder } from "./data-dir.ts"
import { StartError } from "../base/start-error.ts"

/** Opens the store that `--store` names, when no `--store-servers` are given. Throws StartError. */
export async function openEmbeddedStore(how: EmbeddedStoreOptions): Promise<Store> {
  return (await beginEmbeddedStore(how)).opening
}

interface EmbeddedStoreOptions {
  readonly options: Options
  readonly clock: Clock
}

/** The same, but resolves once the store's own code is loaded and opening has begun; later imports do not delay it. */
export async function beginEmbeddedStore({ options, clock }: EmbeddedStoreOptions): Promise<{ opening: Promise<Store> }> {
  if (options["store-servers-overrides"].length > 0)
    throw new StartError("--store-servers-overrides needs --store-servers for everything else")
  if (options.store === "memory") {
    const { openMemoryStore } = await import("../storage/memory/memory-store.ts")
    return { opening: openMemoryStore({ clock }) }
  }
  const { openLmdbStore } = await import("../storage/lmdb/lmdb-store.ts")
  const opening = openIn(options["data-dir"], (dir) => openLmdbStore({ dir, clock }))
  // The caller that waits for the store gets the error.
  opening.catch(() => undefined)
  return { opening }
}

async function openIn(dataDir: string, open: (dir: string) => Promise<Store>): Promise<Store> {
  try {
    makeFolder(dataDir)
    return await open(storeFolder(dataDir))
  } catch (error) {
    throw new StartError(
      `${error instanceof Error ? error.message : String(error)}; --data-dir names another folder${error instanceof StoreError ? ", --store=memory needs none" : ""}`,
    )
  }
}
