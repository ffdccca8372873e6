/** Servers that share an etcd: the real driver, and behind its connection the simulated cluster. */
import type { Clock } from "../../../runtime/clock.ts"
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

/** Versions on both sides of the one from which on progress can be trusted. */
const etcdVersions = ["3.4.23", "3.5.21"] as const

/** Called once per world. `store` is what the cluster keeps, on a machine with this clock; `compact` is told of every compaction. */
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

/** Up to here a wait is one for what is on its way, and passes by itself. */
const shortWaitMs = 500

/** Time passes in steps of a plan, and what is on its way arrives between them. */
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
