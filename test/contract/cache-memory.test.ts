import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import { cacheContract } from "./cache-contract.ts"
import { createManualClock } from "./manual-clock.ts"

cacheContract({
  driver: "memory",
  async place() {
    const clock = createManualClock()
    return { clock, open: () => openMemoryStore({ clock }) }
  },
})
