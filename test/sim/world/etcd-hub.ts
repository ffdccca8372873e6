/** Servers that share an etcd: the real driver, with the simulated cluster behind its connection. */
import type { Clock } from "../../../runtime/base/clock.ts"
import { openEtcdStore } from "../../../runtime/storage/etcd/etcd-store.ts"
import { defaultLeaseLimits } from "../../../runtime/storage/etcd/leases.ts"
import type { Store } from "../../../runtime/storage/store.ts"
import type { ConnectionControl } from "./connection.ts"
import { SimEtcd } from "./etcd.ts"
import { SimEtcdConnection } from "./etcd-connection.ts"
import { lookIntervalMs } from "./etcd-leases.ts"
import type { Hub } from "./hub.ts"
import type { SeededRandom } from "./random.ts"
import { turns } from "./turns.ts"

/** One version with unreliable and one with reliable progress. */
const etcdVersions = ["3.4.23", "3.5.21"] as const

/**
 * Called once per world. `store` holds the cluster's data, on a machine with this clock; `compact` is called for every
 * compaction.
 */
export async function etcdHub(
  store: Store,
  compact: Store["compact"],
  { clock, random }: { clock: Clock; random: SeededRandom },
): Promise<Hub> {
  const etcd = new SimEtcd(store, random.pick(etcdVersions), compact, clock)
  await etcd.open()
  return {
    lateMs: defaultLeaseLimits.reuseSeconds * 1000 + lookIntervalMs,
    async connect(control, clock) {
      const connection = new SimEtcdConnection(etcd, control)
      const opened = await openEtcdStore({
        address: { servers: [] },
        clock: withShortWaitsInTurns(clock, control),
        random: control.random.fork("driver"),
        wrap: () => connection,
      })
      return {
        store: opened,
        get idle() {
          return connection.idle
        },
        cut: () => connection.cut(),
        restore: () => connection.restore(),
      }
    },
    fill(full) {
      etcd.full = full
    },
    elect: () => etcd.elected(),
  }
}

/** Waits up to this length are for responses in transit and pass without steps of the plan. */
const shortWaitMs = 500

/** Long waits pass with the steps of a plan; short ones pass in turns, since responses arrive between steps. */
function withShortWaitsInTurns(clock: Clock, { alive, random }: ConnectionControl): Clock {
  return {
    ...clock,
    after(delayMs, callback) {
      if (delayMs > shortWaitMs) return clock.after(delayMs, callback)
      let cancelled = false
      void turns(5 + random.integer(10)).then(() => {
        if (!cancelled && alive()) callback()
      })
      return () => {
        cancelled = true
      }
    },
  }
}
