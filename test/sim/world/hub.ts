/** What the servers of a simulation share, behind the one seam of storage or the other. */
import type { Clock } from "../../../runtime/clock.ts"
import type { Store } from "../../../runtime/storage/store.ts"
import { type ConnectionControl, StoreConnection } from "./connection.ts"

/** One server's way to a store that it shares. */
export interface Line {
  readonly store: Store
  readonly idle: boolean
  cut(): void
  restore(): void
}

/** Made once per world. */
export interface Hub {
  /** How long after its time to live a value may still be there. */
  readonly lateMs: number
  connect(control: ConnectionControl, clock: Clock): Promise<Line>
  fill(full: boolean): void
  /** Another leader: times to live that are counted by leases begin anew. Undefined where they are not. */
  readonly elect?: () => void
}

/** Stores that end values themselves look once a second. */
const storeLateMs = 1000

/** Called where the driver itself is simulated: `compact` is told of every compaction. */
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
