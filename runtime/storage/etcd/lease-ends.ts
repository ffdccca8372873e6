/**
 * When the values of other processes' leases end. A running server need not know (etcd ends them), but a copy must carry it. Asked of etcd lease by
 * lease; their numbers are exact here, since others choose larger ones than JavaScript's numbers hold.
 */
import { inParallel } from "../../kit/in-parallel.ts"
import type { Clock } from "../../clock.ts"
import { connectEtcd, type EtcdAddress, RpcError } from "./connection.ts"
import { storeErrorOf } from "./failures.ts"
import { bool, exactInt64, int64, list, message, texts } from "./message.ts"

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

/** Calls that are under way together. */
const callsAtOnce = 16

/** Called once per copy: milliseconds since the epoch by key, of every key that will end by itself. Throws StoreError. */
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
