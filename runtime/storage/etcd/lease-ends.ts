/**
 * Reads when the values of other processes' leases expire. A running server need not know (etcd expires them), but a
 * copy must include it. Reads one lease at a time. The ids of leases are exact here, since other programs choose larger
 * ones than JavaScript's numbers hold.
 */
import { inParallel } from "../../base/in-parallel.ts"
import type { Clock } from "../../base/clock.ts"
import { connectEtcd, type EtcdAddress, RpcError } from "./connection.ts"
import { storeErrorOf } from "./failures.ts"
import { bool, exactInt64, int64, list, message, texts } from "../../encoding/protobuf/message.ts"

const leasesCall = {
  path: "/etcdserverpb.Lease/LeaseLeases",
  request: message({}),
  response: message({ leases: list(2, message({ id: exactInt64(1) })) }),
  repeatable: true,
}
const timeToLiveCall = {
  path: "/etcdserverpb.Lease/LeaseTimeToLive",
  request: message({ id: exactInt64(1), keys: bool(2) }),
  response: message({ ttl: int64(3), keys: texts(5) }),
  repeatable: true,
}

/** Calls in flight. */
const callsAtOnce = 16

/**
 * Called once per copy. Resolves with the expiry time of every key that has one, in milliseconds since the epoch.
 * Throws StoreError.
 */
export async function leaseEnds({ address, clock }: { address: EtcdAddress; clock: Clock }): Promise<ReadonlyMap<string, number>> {
  const connection = connectEtcd(address, clock)
  const ends = new Map<string, number>()
  try {
    const { leases } = await connection.call(leasesCall, {})
    await inParallel(leases, { atOnce: callsAtOnce }, async ({ id }) => {
      const { keys, ttl } = await connection.call(timeToLiveCall, { id, keys: true })
      for (const key of keys) ends.set(key, clock.nowMs() + Math.max(0, ttl) * 1000)
    })
    return ends
  } catch (error) {
    throw error instanceof RpcError ? storeErrorOf(error.fault) : error
  } finally {
    connection.close()
  }
}
