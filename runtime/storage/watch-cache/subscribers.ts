/**
 * Who watches what in one resource. Indexed by scope, so that an event visits only the watchers of the whole resource,
 * of its namespace and of its very object: a watcher of one namespace costs nothing when others change.
 */
import { assert } from "../../assert.ts"
import type { CacheEvent, SubscribeOptions, Subscription } from "../cache.ts"
import { StoreError } from "../store.ts"

/** One subscription: first outside, while its past is being read, then part of live dispatch. */
export class Subscriber implements Subscription {
  stopped = false
  /** Takes part in dispatch: has been handed all that the resource shows. */
  joined = false

  constructor(
    private readonly subscribers: Subscribers,
    readonly options: SubscribeOptions,
    /** Full key or key prefix below the resource: `""`, `<namespace>/`, or the object's own. */
    readonly scope: string,
  ) {
    assert(
      options.exact === true || scope === "" || scope.indexOf("/") === scope.length - 1,
      "a subscription is for all, one namespace (ending with a slash) or, with exact, one object",
      { scope },
    )
  }

  stop(): void {
    this.subscribers.remove(this)
  }

  revision(): number | undefined {
    return this.joined && !this.stopped ? this.subscribers.shownRevision() : undefined
  }

  /** Whether an event of this key (below the resource) is for this subscriber. */
  covers(name: string): boolean {
    return this.options.exact === true ? name === this.scope : name.startsWith(this.scope)
  }
}

/** The live subscriptions of one resource. */
export class Subscribers {
  private readonly all = new Set<Subscriber>()
  private readonly byNamespace = new Map<string, Set<Subscriber>>()
  private readonly byObject = new Map<string, Set<Subscriber>>()

  constructor(
    /** What the keys of the resource start with. */
    private readonly keyPrefix: string,
    /** What the resource shows, and has told everybody. */
    readonly shownRevision: () => number,
  ) {}

  add(subscriber: Subscriber): void {
    const { options, scope } = subscriber
    if (options.exact === true) into(this.byObject, scope, subscriber)
    else if (scope === "") this.all.add(subscriber)
    else into(this.byNamespace, scope, subscriber)
    subscriber.joined = true
  }

  remove(subscriber: Subscriber): void {
    const { options, scope } = subscriber
    subscriber.stopped = true
    if (options.exact === true) outOf(this.byObject, scope, subscriber)
    else if (scope === "") this.all.delete(subscriber)
    else outOf(this.byNamespace, scope, subscriber)
  }

  /** Called once per batch of the store, with all of the resource's events in it. */
  dispatch(events: readonly CacheEvent[], revision: number): void {
    // The whole batch is one shared array for everybody who watches everything.
    for (const subscriber of [...this.all]) this.deliver(subscriber, events, revision)
    if (this.byNamespace.size > 0) this.dispatchScoped(this.byNamespace, events, revision, (name) => name.slice(0, name.indexOf("/") + 1))
    if (this.byObject.size > 0) this.dispatchScoped(this.byObject, events, revision, (name) => name)
  }

  /** Hands `events` (all in scope) to one subscriber; one that throws is ended, the others go on. */
  deliver(subscriber: Subscriber, events: readonly CacheEvent[], revision: number): void {
    if (subscriber.stopped) return
    const { options } = subscriber
    const { afterRevision } = options
    // Only a watch that began in the future has events to leave out.
    const first = events[0]
    const wanted =
      first !== undefined && first.revision <= afterRevision ? events.filter((event) => event.revision > afterRevision) : events
    if (wanted.length === 0) return
    this.guarded(subscriber, () => options.onEvents(wanted, revision))
  }

  /** Called when the resource starts over or the cache closes. `outside`: those that do not take part yet. */
  endAll(error: StoreError, outside: readonly Subscriber[]): void {
    const scoped = [...this.byNamespace.values(), ...this.byObject.values()]
    const inside = [...this.all, ...scoped.flatMap((set) => [...set])]
    for (const subscriber of [...inside, ...outside]) this.end(subscriber, this.endOf(subscriber, error))
  }

  /** Who begins where the log still reaches, ahead of what this cache has seen, has missed nothing and may come again. */
  private endOf({ options }: Subscriber, error: StoreError): StoreError {
    if (error.code !== "compacted" || error.revision === undefined || options.afterRevision < error.revision) return error
    return new StoreError("unavailable", `the cache of ${this.keyPrefix} is starting over`)
  }

  end(subscriber: Subscriber, error: StoreError): void {
    if (subscriber.stopped) return
    this.remove(subscriber)
    try {
      subscriber.options.onEnd(error)
    } catch (thrown) {
      // Its last call, and nobody is left to tell: a fault of the program, seen as an uncaught exception.
      queueMicrotask(() => {
        throw thrown
      })
    }
  }

  private dispatchScoped(
    index: Map<string, Set<Subscriber>>,
    events: readonly CacheEvent[],
    revision: number,
    scopeOf: (name: string) => string,
  ): void {
    const [only] = events
    if (events.length === 1 && only !== undefined) {
      const subscribers = index.get(scopeOf(only.object.key.slice(this.keyPrefix.length)))
      if (subscribers !== undefined) for (const subscriber of [...subscribers]) this.deliver(subscriber, events, revision)
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
    for (const [scope, found] of byScope) for (const subscriber of [...(index.get(scope) ?? [])]) this.deliver(subscriber, found, revision)
  }

  private guarded(subscriber: Subscriber, call: () => void): void {
    try {
      call()
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      this.end(subscriber, new StoreError("unavailable", `the watch of ${this.keyPrefix}${subscriber.scope} failed: ${why}`))
    }
  }
}

function into(index: Map<string, Set<Subscriber>>, scope: string, subscriber: Subscriber): void {
  const found = index.get(scope)
  if (found === undefined) index.set(scope, new Set([subscriber]))
  else found.add(subscriber)
}

function outOf(index: Map<string, Set<Subscriber>>, scope: string, subscriber: Subscriber): void {
  const found = index.get(scope)
  if (found?.delete(subscriber) === true && found.size === 0) index.delete(scope)
}
