/**
 * Leases for values with a time to live. One lease serves many values: etcd keeps leases in its log and in memory, and
 * a lease for every Event would cost as much as the Event. Design and numbers follow the reference's lease manager.
 */
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import { type Connection, RpcError } from "./connection.ts"
import { isFault } from "./failures.ts"
import { leaseGrantCall, leaseTimeToLiveCall } from "./protocol.ts"

/** `--lease-reuse-duration-seconds`, and the maximum number of values per lease. */
export interface LeaseLimits {
  readonly reuseSeconds: number
  readonly valuesMax: number
}

export const defaultLeaseLimits: LeaseLimits = { reuseSeconds: 60, valuesMax: 1000 }

/** A lease is reused for this part of its values' time to live, which bounds how much longer a value may live. */
const reusePart = 0.05
/** Maximum number of different times to live with a current lease; a server uses two or three. */
const kindsMax = 16
/** Leases whose expiry is remembered; beyond it, reads merely lack `expiresAtMs`. */
const rememberedMax = 10_000
/** Attempts to draw an unused id. */
const tries = 3
const leaseNumbers = 2 ** 48

interface Lease {
  /** Before the request to etcd: the lease's time to live begins later, never earlier. */
  readonly asked: Instant
  readonly granting: Promise<number>
  /** Undefined until etcd has granted it. */
  id?: number
  values: number
}

/** A moment by both clocks of this machine. */
interface Instant {
  readonly elapsedMs: number
  readonly wallMs: number
}

/** One per store. */
export class Leases {
  private readonly newest = new Map<number, Lease>()
  /** By the monotonic clock. */
  private readonly ends = new Map<number | bigint, number>()

  constructor(private readonly deps: { connection: Connection; clock: Clock; random: Random; limits: LeaseLimits }) {}

  /**
   * Called for each value to be written. Resolves with a lease that lasts for `ttlSeconds` from now, and longer by at
   * most a twentieth or the reuse time, whichever is less. Throws RpcError.
   */
  async leaseFor(ttlSeconds: number): Promise<number> {
    const { limits } = this.deps
    const extraSeconds = Math.min(Math.floor(ttlSeconds * reusePart), limits.reuseSeconds)
    const known = this.newest.get(ttlSeconds)
    if (known !== undefined && known.values < limits.valuesMax && this.ageMs(known) <= extraSeconds * 1000) {
      known.values++
      return known.granting
    }
    const lease: Lease = { asked: this.now(), granting: this.grant(ttlSeconds + extraSeconds), values: 1 }
    this.newest.delete(ttlSeconds)
    this.newest.set(ttlSeconds, lease)
    forgetOldest(this.newest, kindsMax)
    lease.granting.then(
      (id) => {
        lease.id = id
      },
      () => this.forget((other) => other === lease),
    )
    return lease.granting
  }

  /** Called when etcd reports that a lease is gone: the next value gets another. */
  drop(id: number): void {
    this.forget((lease) => lease.id === id)
  }

  /**
   * When the values of a lease expire, by the wall clock as it is set now; undefined for no lease, and for other
   * processes' leases that were not looked up.
   */
  expiresAtMs(id: number | bigint): number | undefined {
    const endMs = id === 0 ? undefined : this.ends.get(id)
    if (endMs === undefined) return undefined
    const { elapsedMs, wallMs } = this.now()
    return Math.round(wallMs + endMs - elapsedMs)
  }

  /**
   * Called with the result of a read before it is returned: looks up each unknown lease of other processes once. Throws
   * RpcError.
   */
  async lookUpExpiries(found: readonly { readonly lease: number | bigint }[]): Promise<void> {
    const unknown = new Set<number | bigint>()
    for (const { lease } of found) if (lease !== 0 && !this.ends.has(lease)) unknown.add(lease)
    if (unknown.size === 0) return
    const { clock, connection } = this.deps
    await Promise.all(
      [...unknown].map(async (id) => {
        const { ttl } = await connection.call(leaseTimeToLiveCall, { id })
        this.ends.set(id, clock.elapsedMs() + Math.max(ttl, 0) * 1000)
      }),
    )
    forgetOldest(this.ends, rememberedMax)
  }

  private forget(isMeant: (lease: Lease) => boolean): void {
    for (const [ttlSeconds, lease] of this.newest) if (isMeant(lease)) this.newest.delete(ttlSeconds)
  }

  private now(): Instant {
    const { clock } = this.deps
    return { elapsedMs: clock.elapsedMs(), wallMs: clock.nowMs() }
  }

  /**
   * etcd counts by a monotonic clock of its own, so the wall clock alone must not make a lease look young: it may have
   * been set back. It may make one look old: the monotonic clock stops while this machine is suspended.
   */
  private ageMs({ asked }: Lease): number {
    const { elapsedMs, wallMs } = this.now()
    return Math.max(elapsedMs - asked.elapsedMs, wallMs - asked.wallMs)
  }

  private async grant(seconds: number): Promise<number> {
    const { clock, connection, random } = this.deps
    for (let attempt = 1; ; attempt++) {
      const id = 1 + random.integer(leaseNumbers - 1)
      try {
        const askedMs = clock.elapsedMs()
        // etcd has a minimum time to live and reports the granted one.
        const { ttl } = await connection.call(leaseGrantCall, { id, ttl: seconds })
        this.ends.set(id, askedMs + ttl * 1000)
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
