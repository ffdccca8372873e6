/**
 * Leases as etcd keeps them: their time counts from the grant, by etcd's own clock, which nobody sets, and from the beginning again under a new
 * leader. When it is over, all keys that hang on the lease go in one revision, a little later: etcd looks twice a second.
 */
import type { Clock } from "../../../runtime/clock.ts"

/** The shortest time to live that etcd grants with its own settings: one and a half times its election timeout, in whole seconds. */
const leastTtlSeconds = 2
/** How often etcd looks for leases that are over. */
export const lookIntervalMs = 500

export class SimLeases {
  private readonly granted = new Map<number, { readonly ttlMs: number; readonly endMs: number }>()
  /** Which lease each key hangs on. */
  private readonly leaseOf = new Map<string, number>()

  /** `revoke` deletes these keys, in one revision. */
  constructor(
    private readonly clock: Clock,
    private readonly revoke: (keys: readonly string[]) => void,
  ) {}

  has(id: number): boolean {
    return this.granted.has(id)
  }

  /** Answers the time to live that was granted, in seconds. Called with a number that no lease has. */
  grant(id: number, wantedSeconds: number): number {
    const ttlSeconds = Math.max(wantedSeconds, leastTtlSeconds)
    this.begin(id, ttlSeconds * 1000)
    return ttlSeconds
  }

  /** Called when there is another leader: it was not told how old leases are, and gives each its whole time again. */
  beginAnew(): void {
    for (const [id, { ttlMs }] of this.granted) this.begin(id, ttlMs)
  }

  /** Whole seconds; -1 for a lease that is gone or never was. */
  secondsLeft(id: number): number {
    const lease = this.granted.get(id)
    return lease === undefined ? -1 : Math.max(0, Math.floor((lease.endMs - this.clock.elapsedMs()) / 1000))
  }

  /** 0: none. */
  of(key: string): number {
    return this.leaseOf.get(key) ?? 0
  }

  /** Called for every key that was put: it hangs on this lease from now on, and on no other. 0: on none. Not called for a lease that is gone. */
  attach(key: string, id: number): void {
    if (id === 0) this.leaseOf.delete(key)
    else this.leaseOf.set(key, id)
  }

  /** Called for every key that was deleted. */
  detach(key: string): void {
    this.leaseOf.delete(key)
  }

  private begin(id: number, ttlMs: number): void {
    const nowMs = this.clock.elapsedMs()
    const lease = { ttlMs, endMs: nowMs + ttlMs }
    this.granted.set(id, lease)
    const lookMs = Math.ceil(lease.endMs / lookIntervalMs) * lookIntervalMs
    this.clock.after(lookMs - nowMs, () => {
      if (this.granted.get(id) === lease) this.end(id)
    })
  }

  private end(id: number): void {
    this.granted.delete(id)
    const keys = [...this.leaseOf].flatMap(([key, lease]) => (lease === id ? [key] : [])).sort()
    if (keys.length > 0) this.revoke(keys)
  }
}
