/**
 * Leases as etcd implements them: their time counts from the grant, by etcd's own monotonic clock, and starts again
 * under a new leader. When it has passed, all keys attached to the lease are deleted at one revision, a little later:
 * etcd looks twice a second.
 */
import type { Clock } from "../../../runtime/base/clock.ts"

/**
 * The shortest time to live that etcd grants with its default settings: one and a half times its election timeout, in
 * whole seconds.
 */
const leastTtlSeconds = 2
/** Interval of etcd's checks for expired leases. */
export const lookIntervalMs = 500

export class SimLeases {
  private readonly granted = new Map<number, { readonly ttlMs: number; readonly endMs: number }>()
  /** The lease of each key. */
  private readonly leaseOf = new Map<string, number>()

  /** `revoke` deletes these keys at one revision. */
  constructor(
    private readonly clock: Clock,
    private readonly revoke: (keys: readonly string[]) => void,
  ) {}

  has(id: number): boolean {
    return this.granted.has(id)
  }

  /** Returns the time to live that was granted, in seconds. Called with an id that no lease has. */
  grant(id: number, wantedSeconds: number): number {
    const ttlSeconds = Math.max(wantedSeconds, leastTtlSeconds)
    this.begin(id, ttlSeconds * 1000)
    return ttlSeconds
  }

  /**
   * Called when the leader changes: the new one does not know the age of leases, and gives each its whole time again.
   */
  beginAnew(): void {
    for (const [id, { ttlMs }] of this.granted) this.begin(id, ttlMs)
  }

  /** Whole seconds; -1 for a lease that is gone or never existed. */
  secondsLeft(id: number): number {
    const lease = this.granted.get(id)
    return lease === undefined ? -1 : Math.max(0, Math.floor((lease.endMs - this.clock.elapsedMs()) / 1000))
  }

  /** The lease of a key; 0: none. */
  of(key: string): number {
    return this.leaseOf.get(key) ?? 0
  }

  /**
   * Called for every key that was put: attaches it to this lease and to no other. 0: to none. Not called for a lease
   * that is gone.
   */
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
