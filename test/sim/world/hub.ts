/** The store that the servers of a simulation share, simulated at the `Store` interface or below the driver of etcd. */
import type { Clock } from "../../../runtime/base/clock.ts"
import type { Store } from "../../../runtime/storage/store.ts"
import { type ConnectionControl, StoreConnection } from "./connection.ts"

/** One server's connection to the shared store. */
export interface ServerConnection {
  readonly store: Store
  readonly idle: boolean
  cut(): void
  restore(): void
}

/** Created once per world. */
export interface Hub {
  /** Time that a value may still exist after its time to live. */
  readonly lateMs: number
  connect(control: ConnectionControl, clock: Clock): Promise<ServerConnection>
  fill(full: boolean): void
  /** Elects another leader: times to live that leases count start again. Undefined for stores without leases. */
  readonly elect?: () => void
}

/** Stores that expire values themselves do so once a second. */
const storeLateMs = 1000

/** Called where the driver itself is simulated: `compact` is called for every compaction. */
export function plainHub(store: Store, compact: Store["compact"]): Hub {
  return {
    lateMs: storeLateMs,
    async connect(control) {
      const connection = new StoreConnection(store, compact, control)
      return {
        store: connection,
        get idle() {
          return connection.idle
        },
        cut: () => connection.cut(),
        restore: () => connection.restore(),
      }
    },
    fill: () => undefined,
  }
}
