/**
 * The cache of one resource: its objects, its recent events and its watchers.
 *
 *     idle ──first use──▶ filling ──list──▶ live ──gap in the feed──▶ filling (still shows the old state) …
 *
 * Events that arrive during a fill are applied after it, except events that the fill already includes.
 */
import type { Clock } from "../../base/clock.ts"
import type { ApiObject } from "../../base/json.ts"
import type {
  CachedObject,
  ResourceCache,
  ResourceCodec,
  Selected,
  Snapshot,
  SubscribeOptions,
  Subscription,
  UndecodableError,
} from "../cache.ts"
import { undecodableRememberedMax } from "../../base/limits.ts"
import { type Store, StoreError, type StoreEvent } from "../store.ts"
import { ByteArena } from "./byte-arena.ts"
import { CatchUp } from "./catch-up.ts"
import type { DeliveryQueue } from "./delivery-turns.ts"
import { CachedEntry, DeletedEntry, type EntryContext } from "./entry.ts"
import { EventPages, type EventPageCache } from "./event-pages.ts"
import { EventWindow, type HeldEvent } from "./event-window.ts"
import { Expectations } from "./expectations.ts"
import { readObjects, retireAllBut } from "./fill.ts"
import type { EncodingCache } from "./encoding-cache.ts"
import type { LeafEncodings } from "./leaf-encodings.ts"
import { HistoryReader } from "./history.ts"
import { ObjectMap } from "./object-map.ts"
import type { CacheLimits } from "./options.ts"
import { Checkpoints, MapSnapshot } from "./snapshot.ts"
import type { SlabPool } from "./slab-pool.ts"
import { asStoreError, type StoreFeed } from "./store-feed.ts"
import { StoredSnapshots } from "./stored-snapshots.ts"
import { Subscriber, Subscribers } from "./subscribers.ts"
import { ValueIndexes } from "./value-index.ts"
import { Waiters } from "./waiters.ts"
import type { Objects } from "./objects.ts"

/** Dependencies and settings of a resource. */
export interface ResourceOptions {
  /** Storage path below the store prefix: `services/specs`. */
  readonly path: string
  /** `/registry/services/specs/` */
  readonly keyPrefix: string
  /** See `ResourceCache`. */
  readonly readsStore: boolean
  /** `/registry/` */
  readonly storePrefix: string
  readonly codec: ResourceCodec
  readonly store: Store
  readonly feed: StoreFeed
  readonly clock: Clock
  readonly limits: CacheLimits
  readonly encodings: EncodingCache
  readonly gathered: LeafEncodings
  /** Shared by the whole cache. */
  readonly slabs: SlabPool
  readonly turns: DeliveryQueue
  readonly pages: EventPageCache
  /** Whether a key belongs to this resource, and not to one with a longer path. */
  readonly owns: (key: string) => boolean
  /** Called once for each undecodable stored value. */
  readonly onUndecodable: (error: UndecodableError) => void
  /** Called when a read begins to wait: the cache then calls `advanced` after each batch. */
  readonly onWaiting: () => void
}

/** Created by the cache for each registered path; synchronous except for the fill and reads of the past. */
export class CachedResource implements ResourceCache {
  readonly path: string
  readonly keyPrefix: string
  readonly readsStore: boolean
  private phase: "idle" | "filling" | "live" | "closed" = "idle"
  /** Why the last fill failed; undefined when it did not. */
  private fillFault: string | undefined
  /** Why the resource is being read again. */
  private restartReason = ""
  private fillSession = 0
  /** Store events that arrive during a fill. */
  private eventsDuringFill: StoreEvent[] = []
  private objects: Objects = ObjectMap.empty()
  /** Incremented with every change of `objects`: the indexes are valid for that state only. */
  private changes = 0
  /** The undecodable values of `objects` found so far, by key. */
  private readonly undecodables = new Map<string, UndecodableError>()
  private readonly indexes = new ValueIndexes()
  /** The state includes every event up to this revision; while live, also up to the feed's revision. */
  private stateRevision = 0
  /** Revision of the last fill, which includes events up to here. */
  private filledRevision = 0
  private window: EventWindow
  /** The end of this turn will forget the objects that writers had decoded. */
  private forgetting = false
  private batch: HeldEvent[] = []

  private readonly context: EntryContext
  private readonly expectations: Expectations
  private readonly checkpoints: Checkpoints
  private readonly subscribers: Subscribers
  private readonly waiters: Waiters
  private readonly pages: EventPages
  private readonly history: HistoryReader
  private readonly catchUp: CatchUp
  private readonly stored: StoredSnapshots
  private readonly filled: Promise<void>
  private resolveFilled: () => void = () => {}

  constructor(private readonly options: ResourceOptions) {
    const { clock, codec, encodings, keyPrefix, limits, slabs } = options
    this.path = options.path
    this.keyPrefix = keyPrefix
    this.readsStore = options.readsStore
    this.context = {
      arena: new ByteArena(slabs),
      codec,
      encodings,
      written: new Map(),
      onUndecodable: (error) => this.noteUndecodable(error),
    }
    this.window = new EventWindow(limits, 0, encodings)
    this.expectations = new Expectations(limits.expectedBytes)
    this.checkpoints = new Checkpoints(limits)
    this.subscribers = new Subscribers(
      keyPrefix,
      () => this.revision(),
      (subscriber, room) => this.catchUp.fellBehind(subscriber, room),
    )
    this.waiters = new Waiters(clock)
    this.pages = new EventPages(options.pages)
    const past = {
      ...options,
      context: this.context,
      pages: this.pages,
      pieces: { events: limits.pageEvents, bytes: limits.pageBytes },
      window: () => this.window,
    }
    this.history = new HistoryReader({ ...past, end: (subscriber, error) => this.subscribers.end(subscriber, error) })
    this.catchUp = new CatchUp({
      ...past,
      hindrance: () => (this.phase === "live" ? undefined : this.startingOver()),
      subscribers: this.subscribers,
      history: this.history,
    })
    this.stored = new StoredSnapshots({
      ...options,
      context: this.context,
      pastSnapshot: (revision, objects) => this.shown(revision, objects),
    })
    this.filled = new Promise((resolve) => {
      this.resolveFilled = resolve
    })
  }

  get ready(): Promise<void> {
    this.use()
    return this.filled
  }

  /** Why reads may be stale; undefined when this resource is current or not in use. */
  get fault(): string | undefined {
    if (this.phase !== "filling") return undefined
    if (this.fillFault !== undefined) return `${this.path} cannot be read from the store: ${this.fillFault}`
    // A first fill is not a fault: no state has been served yet.
    return this.stateRevision === 0 ? undefined : `${this.path} is being read again from the store: ${this.restartReason}`
  }

  /** Whether there is a state to verify. */
  get isLive(): boolean {
    return this.phase === "live"
  }

  revision(): number {
    return this.phase === "live" ? Math.max(this.stateRevision, this.options.feed.revision) : this.stateRevision
  }

  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    this.use()
    if (this.phase === "live" && this.revision() >= revision) return Promise.resolve(true)
    this.options.onWaiting()
    return this.waiters.wait(revision, timeoutMs)
  }

  get(key: string): CachedObject | undefined {
    this.checkFilled()
    return this.objects.get(this.fullKey(key))
  }

  snapshot(): Snapshot {
    this.checkFilled()
    const objects = this.objects.clone()
    const { changes } = this
    return new MapSnapshot(
      this.revision(),
      objects,
      (key) => this.fullKey(key),
      this.options.gathered,
      (selected) => (changes === this.changes ? this.indexes.find(selected) : undefined),
    )
  }

  prepareIndex(selected: Pick<Selected, "of" | "name">): Promise<void> | undefined {
    if (this.phase !== "live" || this.readsStore) return undefined
    return this.indexes.prepare(selected, () => this.objects.clone())
  }

  async snapshotAt(revision: number): Promise<Snapshot | undefined> {
    this.checkFilled()
    const current = this.revision()
    if (revision > current) return undefined
    if (revision === current) return this.snapshot()
    if (revision < this.window.low) return this.stored.at(revision, this.objects)
    return this.shown(revision, this.checkpoints.at(revision, { revision: current, objects: this.objects }, this.window))
  }

  async getStored(key: string): Promise<CachedObject | undefined> {
    this.checkFilled()
    const stored = await this.options.store.get({ key: this.fullKey(key) })
    if (stored === undefined) return undefined
    const known = this.objects.get(stored.key)
    if (known?.modRevision === stored.modRevision) return known
    return new CachedEntry(this.context, stored.key, stored.createRevision, stored.modRevision, stored.value)
  }

  async snapshotStored(revision: number): Promise<Snapshot | undefined> {
    this.checkFilled()
    return this.stored.at(revision, this.objects)
  }

  undecodable(prefix: string): UndecodableError | undefined {
    if (this.undecodables.size === 0) return undefined
    const below = this.fullKey(prefix)
    for (const [key, error] of this.undecodables) if (key.startsWith(below)) return error
    return undefined
  }

  /** Records only current versions: past ones disappear anyway. */
  private noteUndecodable(error: UndecodableError): void {
    const { key, modRevision } = error
    const isKnown = this.undecodables.get(key)?.modRevision === modRevision
    if (isKnown || this.undecodables.size >= undecodableRememberedMax || this.objects.get(key)?.modRevision !== modRevision) return
    this.undecodables.set(key, error)
    this.options.onUndecodable(error)
  }

  subscribe(options: SubscribeOptions): Subscription {
    this.checkFilled()
    // The events between the old state and the new one are not known.
    if (this.phase !== "live") throw this.startingOver()
    const subscriber = new Subscriber(this.subscribers, options, this.scopeOf(options.prefix), (behind) => this.catchUp.step(behind))
    const { afterRevision } = options
    const oldest = this.oldestRevision()
    if (afterRevision < oldest)
      throw new StoreError("compacted", `events after revision ${afterRevision} are not kept any more`, oldest, afterRevision)
    if (options.afterRevision >= this.revision()) this.subscribers.add(subscriber)
    else this.catchUp.begin(subscriber)
    return subscriber
  }

  oldestRevision(): number {
    return Math.min(this.window.low, this.options.feed.compactedRevision)
  }

  announce(key: string, value: Uint8Array, json: (revision: number) => Buffer, object?: ApiObject): void {
    if (this.phase === "idle" || this.phase === "closed") return
    this.expectations.add(this.fullKey(key), { value, json, ...(object !== undefined && { object }) })
  }

  withdraw(key: string, value: Uint8Array): void {
    this.expectations.withdraw(this.fullKey(key), value)
  }

  /** Called by the cache with each event of this resource, in order; `flush` follows. */
  receive(event: StoreEvent): void {
    if (this.phase === "filling") this.eventsDuringFill.push(event)
    else if (this.phase === "live" && event.revision > this.filledRevision) this.apply(event)
  }

  /** Called once per batch after its events: delivers them to watchers all at once. */
  flush(revision: number): void {
    const { batch } = this
    if (this.phase !== "live" || batch.length === 0) return
    this.batch = []
    this.subscribers.dispatch(batch, revision)
    this.forgetWritten()
    this.dropReplaced(batch)
    this.trim()
  }

  /** At the end of the turn: informers that still handle the earlier events handle these within it. */
  private forgetWritten(): void {
    const { written } = this.context
    if (this.forgetting || written.size === 0) return
    this.forgetting = true
    setImmediate(() => {
      this.forgetting = false
      written.clear()
    })
  }

  /**
   * Called after every batch of the store while reads wait, whether it held events for this resource or not. Returns
   * whether some still do.
   */
  advanced(): boolean {
    if (this.phase === "live") this.waiters.reached(this.revision())
    return !this.waiters.isEmpty
  }

  /** Called at most once a second: drops old events and snapshots, also when nothing changes any more. */
  tidy(): void {
    if (this.phase === "live") this.trim()
  }

  /**
   * Called when the feed has a gap, when a comparison found a difference, or when keys move to another resource: all
   * watches end, and the objects are read again.
   */
  startOver(error: StoreError): void {
    if (this.phase === "idle" || this.phase === "closed") return
    this.stateRevision = this.revision()
    this.phase = "filling"
    this.restartReason = error.message
    this.batch = []
    this.context.written.clear()
    this.cancelPast()
    this.subscribers.endAll(error)
    void this.fill()
  }

  /** Called when another resource takes the path: watches end. Reads and new events go on until `close`. */
  retire(error: StoreError): void {
    this.cancelPast()
    this.subscribers.endAll(error)
  }

  /** Called after `close` of a retired resource: lets go of its memory. */
  discard(): void {
    retireAllBut(ObjectMap.empty(), this.objects)
    this.objects = ObjectMap.empty()
    this.window = new EventWindow(this.options.limits, 0, this.options.encodings)
    this.checkpoints.clear()
    this.indexes.clear()
  }

  close(error: StoreError): void {
    this.phase = "closed"
    this.fillSession++
    this.eventsDuringFill = []
    this.cancelPast()
    this.subscribers.endAll(error)
    this.waiters.giveUp()
  }

  /** The first use starts the fill; an unused resource costs nothing. */
  private use(): void {
    if (this.phase !== "idle") return
    this.phase = "filling"
    void this.fill()
  }

  private async fill(): Promise<void> {
    const session = ++this.fillSession
    const { clock, feed, limits } = this.options
    this.eventsDuringFill = []
    await feed.live()
    for (let attempt = 0; session === this.fillSession; attempt++) {
      try {
        const from = feed.revision
        const found = await readObjects({ ...this.options, context: this.context, known: this.objects })
        if (session !== this.fillSession) {
          retireAllBut(this.objects, found.objects)
          return
        }
        // A lagging member of the store would take the cache back in time.
        if (found.revision < from)
          throw new StoreError("unavailable", `the store answered with revision ${found.revision}, behind ${from}, which is cached`)
        this.filledWith(found.objects, found.revision)
        return
      } catch (error) {
        if (session !== this.fillSession) return
        this.fillFault = asStoreError(error).message
        const delayMs = Math.min(limits.retryMinMs * 2 ** Math.min(attempt, 16), limits.retryMaxMs)
        await new Promise<void>((resolve) => clock.after(delayMs, resolve))
      }
    }
  }

  private filledWith(objects: Objects, revision: number): void {
    retireAllBut(objects, this.objects)
    this.objects = objects
    this.changes++
    this.undecodables.clear()
    this.indexes.clear()
    this.window = new EventWindow(this.options.limits, revision, this.options.encodings)
    this.checkpoints.clear()
    this.stateRevision = revision
    this.filledRevision = revision
    this.fillFault = undefined
    this.phase = "live"
    const { eventsDuringFill: early } = this
    this.eventsDuringFill = []
    for (const event of early) if (event.revision > revision) this.apply(event)
    this.batch = []
    this.resolveFilled()
    this.advanced()
  }

  private apply(event: StoreEvent): void {
    const { key, revision } = event
    const previous = this.objects.get(key)
    if (this.batch.at(-1)?.revision !== revision) this.checkpoints.beforeChange(this.objects, this.stateRevision)
    const change = event.type === "put" ? this.put(event, previous) : this.remove(event, previous)
    if (change === undefined) return
    this.stateRevision = revision
    this.batch.push(change)
    this.window.push(change, this.options.clock.elapsedMs())
  }

  private put({ createRevision, key, revision, value }: StoreEvent, previous: CachedEntry | undefined): HeldEvent | undefined {
    if (value === undefined) return undefined
    const claimed = this.expectations.claim(key, value)
    const object = new CachedEntry(this.context, key, createRevision, revision, value)
    if (claimed !== undefined) object.giveJson(claimed.json(revision))
    object.enter()
    previous?.retire()
    if (claimed?.object !== undefined) this.context.written.set(object, claimed.object)
    this.options.gathered.drop(() => this.objects.leafOf(key))
    this.objects.set(object)
    this.changes++
    this.undecodables.delete(key)
    this.indexes.changed(previous, object)
    return previous === undefined ? { type: "ADDED", revision, object } : { type: "MODIFIED", revision, object, previous }
  }

  private remove({ key, revision }: StoreEvent, previous: CachedEntry | undefined): HeldEvent | undefined {
    if (previous === undefined) return undefined
    this.options.gathered.drop(() => this.objects.leafOf(key))
    this.objects.delete(key)
    this.changes++
    this.undecodables.delete(key)
    this.indexes.changed(previous, undefined)
    previous.retire()
    return { type: "DELETED", revision, object: new DeletedEntry(this.options.encodings, previous, revision), previous }
  }

  /** Watchers have got the batch: the encodings of replaced objects will not be needed again. */
  private dropReplaced(batch: readonly HeldEvent[]): void {
    for (const { previous } of batch) if (previous !== undefined) this.options.encodings.dropAll(previous)
  }

  private trim(): void {
    const elapsedMs = this.options.clock.elapsedMs()
    this.window.trim(elapsedMs)
    this.checkpoints.trim(this.window.low)
    this.stored.trim(elapsedMs)
  }

  private cancelPast(): void {
    this.history.cancelAll()
    this.pages.clear()
  }

  private shown(revision: number, objects: Objects): Snapshot {
    return new MapSnapshot(revision, objects, (key) => this.fullKey(key), this.options.gathered)
  }

  /**
   * Keys may be full or relative to the resource. A relative key never starts with the store's prefix, which begins
   * with a slash.
   */
  private fullKey(key: string): string {
    return key.startsWith(this.options.storePrefix) ? key : this.keyPrefix + key
  }

  private scopeOf(prefix: string): string {
    return this.fullKey(prefix).slice(this.keyPrefix.length)
  }

  private startingOver(): StoreError {
    return new StoreError("unavailable", `the cache of ${this.path} is starting over`)
  }

  private checkFilled(): void {
    this.use()
    if (this.stateRevision === 0) throw new StoreError("unavailable", `${this.path} is still being read from the store`)
  }
}
