/**
 * The subscribers of one resource, indexed by scope: an event visits only the watchers of the whole resource, of its
 * namespace and of its object, so a watcher of one namespace costs nothing when others change.
 */
import { assert } from "../../base/assert.ts"
import { fanOutWorkMax } from "../../base/limits.ts"
import type { CacheEvent, SubscribeOptions, Subscription } from "../cache.ts"
import { StoreError } from "../store.ts"
import type { DeliveryStep } from "./delivery-turns.ts"

/**
 * One subscription: behind while it reads past events in pieces, then part of live dispatch, and behind again when it
 * has no room or the turn's budget is used up.
 */
export class Subscriber implements Subscription, DeliveryStep {
  stopped = false
  /** Part of live dispatch: it got every event that the resource shows. */
  joined = false
  /** While it is behind: it got every event up to this revision. */
  position: number
  /** It is behind because it has no room, not merely because its turn has not come. */
  isBlocked = false
  /** It has begun to read past events or to get live ones. */
  hasBegun = false
  private hasCaughtUp = false

  constructor(
    private readonly subscribers: Subscribers,
    readonly options: SubscribeOptions,
    /** Key or key prefix relative to the resource: `""`, `<namespace>/`, or an object's own key. */
    readonly scope: string,
    /** Delivers the next piece; returns its cost. */
    private readonly step: (subscriber: Subscriber) => number,
  ) {
    this.position = options.afterRevision
    assert(
      options.exact === true || scope === "" || scope.indexOf("/") === scope.length - 1,
      "a subscription is for all, one namespace (ending with a slash) or, with exact, one object",
      { scope },
    )
  }

  stop(): void {
    this.subscribers.remove(this)
  }

  /** It was part of live dispatch once, and its client reads nothing now. */
  get isStuck(): boolean {
    return this.isBlocked && this.hasCaughtUp
  }

  run(): number {
    this.hasBegun = true
    return this.step(this)
  }

  /** Called by `Subscribers` when it joins live dispatch. */
  join(): void {
    this.joined = true
    this.hasBegun = true
    this.hasCaughtUp = true
    this.isBlocked = false
  }

  revision(): number | undefined {
    if (this.stopped || !this.hasCaughtUp) return undefined
    return this.joined ? this.subscribers.shownRevision() : this.position
  }

  /** Whether it wants events of this key (relative to the resource). */
  covers(name: string): boolean {
    return this.options.exact === true ? name === this.scope : name.startsWith(this.scope)
  }
}

/** The live subscriptions of one resource. */
export class Subscribers {
  private readonly all = new Set<Subscriber>()
  private readonly byNamespace = new Map<string, Set<Subscriber>>()
  private readonly byObject = new Map<string, Set<Subscriber>>()
  /** Subscribers outside live dispatch, which read missed events in pieces. */
  private readonly behind = new Set<Subscriber>()
  /** Cost of the present dispatch, in microseconds. */
  private work = 0

  constructor(
    /** The common beginning of the resource's keys. */
    private readonly keyPrefix: string,
    /** The revision that the resource shows and that live dispatch has delivered. */
    readonly shownRevision: () => number,
    /**
     * Called with a subscriber that has just fallen behind. `room` resolves when it can take more; undefined: it only
     * waits for its turn.
     */
    private readonly fellBehind: (subscriber: Subscriber, room: Promise<void> | undefined) => void,
  ) {}

  /** Called with a subscriber that begins in the past. */
  addBehind(subscriber: Subscriber): void {
    this.behind.add(subscriber)
  }

  add(subscriber: Subscriber): void {
    const { options, scope } = subscriber
    this.behind.delete(subscriber)
    if (options.exact === true) addTo(this.byObject, scope, subscriber)
    else if (scope === "") this.all.add(subscriber)
    else addTo(this.byNamespace, scope, subscriber)
    subscriber.join()
  }

  remove(subscriber: Subscriber): void {
    subscriber.stopped = true
    this.behind.delete(subscriber)
    this.leaveDispatch(subscriber)
  }

  private leaveDispatch(subscriber: Subscriber): void {
    const { options, scope } = subscriber
    if (options.exact === true) removeFrom(this.byObject, scope, subscriber)
    else if (scope === "") this.all.delete(subscriber)
    else removeFrom(this.byNamespace, scope, subscriber)
  }

  /** Called once per batch of the store, with all of the resource's events in it. */
  dispatch(events: readonly CacheEvent[], revision: number): void {
    this.work = 0
    const before = (events[0]?.revision ?? revision) - 1
    // Watchers of the whole resource share one array of the batch.
    for (const subscriber of [...this.all]) this.deliver(subscriber, events, { before, revision })
    if (this.byNamespace.size > 0)
      this.dispatchScoped(this.byNamespace, events, { before, revision }, (name) => name.slice(0, name.indexOf("/") + 1))
    if (this.byObject.size > 0) this.dispatchScoped(this.byObject, events, { before, revision }, (name) => name)
    if (this.behind.size > 0) this.reportMissed(events)
  }

  /** Delivers `events` (all in scope) to one subscriber, unless it has no room or this turn's budget is used up. */
  private deliver(subscriber: Subscriber, events: readonly CacheEvent[], { before, revision }: Batch): void {
    if (subscriber.stopped || !subscriber.joined) return
    const { options } = subscriber
    const { afterRevision } = options
    const room = options.room?.()
    if (room !== undefined || this.work > fanOutWorkMax) {
      this.leaveDispatch(subscriber)
      this.behind.add(subscriber)
      subscriber.joined = false
      subscriber.position = Math.max(before, afterRevision)
      this.fellBehind(subscriber, room)
      return
    }
    this.work += deliveryWork(options, events.length)
    // Only a watch that began in the future has events to skip.
    const first = events[0]
    const wanted =
      first !== undefined && first.revision <= afterRevision ? events.filter((event) => event.revision > afterRevision) : events
    this.emit(subscriber, wanted, revision)
  }

  /** Ends a subscriber that throws; the others go on. */
  emit(subscriber: Subscriber, events: readonly CacheEvent[], revision: number): void {
    if (subscriber.stopped || events.length === 0) return
    try {
      subscriber.options.onEvents(events, revision)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      this.end(subscriber, new StoreError("unavailable", `the watch of ${this.keyPrefix}${subscriber.scope} failed: ${why}`))
    }
  }

  /** Reports the events that wait for a blocked subscriber to it, so that it can count them. */
  private reportMissed(events: readonly CacheEvent[]): void {
    for (const subscriber of [...this.behind]) {
      const { isStuck, options } = subscriber
      if (!isStuck || options.onMissed === undefined) continue
      const missed = events.filter(({ object }) => subscriber.covers(object.key.slice(this.keyPrefix.length)))
      if (missed.length > 0) options.onMissed(missed)
    }
  }

  /** Called when the resource starts over or the cache closes. */
  endAll(error: StoreError): void {
    const scoped = [...this.byNamespace.values(), ...this.byObject.values()]
    const inside = [...this.all, ...scoped.flatMap((set) => [...set])]
    for (const subscriber of [...inside, ...this.behind]) this.end(subscriber, this.endOf(subscriber, error))
  }

  /**
   * A subscriber that starts where the log still reaches, ahead of this cache, has missed nothing and may resume; so
   * may one that has not begun.
   */
  private endOf({ hasBegun, options }: Subscriber, error: StoreError): StoreError {
    if (error.code !== "compacted") return error
    if (hasBegun && (error.revision === undefined || options.afterRevision < error.revision)) return error
    return new StoreError("unavailable", `the cache of ${this.keyPrefix} is starting over`)
  }

  end(subscriber: Subscriber, error: StoreError): void {
    if (subscriber.stopped) return
    this.remove(subscriber)
    try {
      subscriber.options.onEnd(error)
    } catch (thrown) {
      // `onEnd` is the last call, so its exception is a bug that can only surface as an uncaught exception.
      queueMicrotask(() => {
        throw thrown
      })
    }
  }

  private dispatchScoped(
    index: Map<string, Set<Subscriber>>,
    events: readonly CacheEvent[],
    batch: Batch,
    scopeOf: (name: string) => string,
  ): void {
    const [only] = events
    if (events.length === 1 && only !== undefined) {
      const subscribers = index.get(scopeOf(only.object.key.slice(this.keyPrefix.length)))
      if (subscribers !== undefined) for (const subscriber of [...subscribers]) this.deliver(subscriber, events, batch)
      return
    }
    const byScope = new Map<string, CacheEvent[]>()
    for (const event of events) {
      const scope = scopeOf(event.object.key.slice(this.keyPrefix.length))
      if (!index.has(scope)) continue
      const found = byScope.get(scope)
      if (found === undefined) byScope.set(scope, [event])
      else found.push(event)
    }
    for (const [scope, found] of byScope) for (const subscriber of [...(index.get(scope) ?? [])]) this.deliver(subscriber, found, batch)
  }
}

interface Batch {
  /** Subscribers in live dispatch got every event up to here. */
  readonly before: number
  readonly revision: number
}

/** Cost of a delivery besides its events, in microseconds. */
const handWork = 8

/** Cost of delivering this many events to a subscriber at once, in the units of `base/turns.ts`. */
export function deliveryWork({ workPerEvent = 1 }: SubscribeOptions, events: number): number {
  return handWork + events * workPerEvent
}

function addTo(index: Map<string, Set<Subscriber>>, scope: string, subscriber: Subscriber): void {
  const found = index.get(scope)
  if (found === undefined) index.set(scope, new Set([subscriber]))
  else found.add(subscriber)
}

function removeFrom(index: Map<string, Set<Subscriber>>, scope: string, subscriber: Subscriber): void {
  const found = index.get(scope)
  if (found?.delete(subscriber) === true && found.size === 0) index.delete(scope)
}
