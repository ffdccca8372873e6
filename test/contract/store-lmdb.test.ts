import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { createManualClock } from "./manual-clock.ts"
import { storeContract } from "./store-contract.ts"

storeContract({
  driver: "lmdb",
  persistent: true,
  async place() {
    const dir = await mkdtemp(join(tmpdir(), "lmdb-store-"))
    const clock = createManualClock()
    return { clock, open: () => openLmdbStore({ dir, clock }), dispose: () => rm(dir, { recursive: true }) }
  },
})
