import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import { createManualClock } from "./manual-clock.ts"
import { storeContract } from "./store-contract.ts"

storeContract({
  driver: "memory",
  persistent: false,
  async place() {
    const clock = createManualClock()
    return { clock, open: () => openMemoryStore({ clock }) }
  },
})
