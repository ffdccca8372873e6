/**
 * Leases for values with a time to live. One lease serves many values: etcd keeps leases in its log and in memory, and a lease for every Event
 * would cost as much as the Event (the reference's lease manager; its numbers).
 */
import type { Clock } from "../../clock.ts"
import type { Random } from "../../random.ts"
import { type Connection, RpcError } from "./connection.ts"
import { isFault } from "./failures.ts"
import { leaseGrantCall, leaseTimeToLiveCall } from "./protocol.ts"

/** `--lease-reuse-duration-seconds` and how many values one lease may hold. */
export interface LeaseLimits {
  readonly reuseSeconds: number
  readonly valuesMax: number
}

export const defaultLeaseLimits: LeaseLimits = { reuseSeconds: 60, valuesMax: 1000 }

/** A lease is used on for this part of its values' time to live, so that no value outlives its time by more. */
const reusePart = 0.05
/** Different times to live that a lease is kept for: a server has two or three. */
const kindsMax = 16
/** Leases whose end is remembered; only what a read says of `expiresAtMs` is lost beyond it. */
const rememberedMax = 10_000
/** Numbers drawn before two leases of one number are a fault. */
const tries = 3
const leaseNumbers = 2 ** 48

interface Lease {
  readonly id: Promise<number>
  readonly expiresAtMs: number
  values: number
}

/** One per store. */
export class Leases {
  private readonly newest = new Map<number, Lease>()
  private readonly ends = new Map<number | bigint, number>()

  constructor(private readonly deps: { connection: Connection; clock: Clock; random: Random; limits: LeaseLimits }) {}

  /** A lease that lasts for `ttlSeconds` from now, and a little longer. Throws RpcError. */
  async leaseFor(ttlSeconds: number): Promise<number> {
    const { clock, limits } = this.deps
    const neededUntilMs = clock.nowMs() + ttlSeconds * 1000
    const known = this.newest.get(ttlSeconds)
    if (known !== undefined && known.expiresAtMs >= neededUntilMs && known.values < limits.valuesMax) {
      known.values++
      return known.id
    }
    const seconds = ttlSeconds + Math.min(Math.floor(ttlSeconds * reusePart), limits.reuseSeconds)
    const expiresAtMs = clock.nowMs() + seconds * 1000
    const lease: Lease = { id: this.grant(seconds, expiresAtMs), expiresAtMs, values: 1 }
    this.newest.delete(ttlSeconds)
    this.newest.set(ttlSeconds, lease)
    forgetOldest(this.newest, kindsMax)
    lease.id.catch(() => this.forget(lease))
    return lease.id
  }

  /** Called when etcd says that a lease is gone: the next value gets another. */
  async drop(id: number): Promise<void> {
    for (const lease of [...this.newest.values()]) if ((await lease.id.catch(() => id)) === id) this.forget(lease)
  }

  /** When the values of a lease go; undefined for no lease, and for those of other processes that nobody has asked about. */
  expiresAtMs(id: number | bigint): number | undefined {
    return id === 0 ? undefined : this.ends.get(id)
  }

  /** Called with what a read found, before it is answered: leases of other processes are asked about once. Throws RpcError. */
  async learn(found: readonly { readonly lease: number | bigint }[]): Promise<void> {
    const unknown = new Set<number | bigint>()
    for (const { lease } of found) if (lease !== 0 && !this.ends.has(lease)) unknown.add(lease)
    if (unknown.size === 0) return
    const { clock, connection } = this.deps
    await Promise.all(
      [...unknown].map(async (id) => {
        const { ttl } = await connection.call(leaseTimeToLiveCall, { id })
        this.ends.set(id, clock.nowMs() + Math.max(ttl, 0) * 1000)
      }),
    )
    forgetOldest(this.ends, rememberedMax)
  }

  private forget(lease: Lease): void {
    for (const [ttlSeconds, known] of this.newest) if (known === lease) this.newest.delete(ttlSeconds)
  }

  private async grant(seconds: number, expiresAtMs: number): Promise<number> {
    const { connection, random } = this.deps
    for (let attempt = 1; ; attempt++) {
      const id = 1 + random.integer(leaseNumbers - 1)
      try {
        await connection.call(leaseGrantCall, { id, ttl: seconds })
        this.ends.set(id, expiresAtMs)
        forgetOldest(this.ends, rememberedMax)
        return id
      } catch (error) {
        if (attempt >= tries || !(error instanceof RpcError) || !isFault(error.fault, "leaseExists")) throw error
      }
    }
  }
}

function forgetOldest<Key>(entries: Map<Key, unknown>, most: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(key)
  }
}
