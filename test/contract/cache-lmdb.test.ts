import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { createManualClock } from "./manual-clock.ts"
import { cacheContract } from "./cache-contract.ts"

cacheContract({
  driver: "lmdb",
  async place() {
    const dir = await mkdtemp(join(tmpdir(), "lmdb-cache-"))
    const clock = createManualClock()
    return { clock, open: () => openLmdbStore({ dir, clock }), dispose: () => rm(dir, { recursive: true }) }
  },
})
