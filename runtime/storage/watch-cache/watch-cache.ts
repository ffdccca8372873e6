/**
 * The watch cache in front of a store: one watch feeds every resource, and reads, lists and watches are served from
 * memory. Read the other files in this order: store-feed (the one watch), resource (one resource), entry and encodings
 * (objects and their encodings), object-map and snapshot (states), event-window, event-pages and history (the past),
 * subscribers, catch-up and delivery-turns (watchers).
 */
import type { Clock } from "../../base/clock.ts"
import { assert } from "../../base/assert.ts"
import type { Cache, ResourceCache, ResourceCodec, UndecodableError } from "../cache.ts"
import { StoreError } from "../store.ts"
import type { StoreEvent } from "../store.ts"
import { DeliveryQueue } from "./delivery-turns.ts"
import { EventPageCache } from "./event-pages.ts"
import { EncodingCache } from "./encoding-cache.ts"
import { LeafEncodings } from "./leaf-encodings.ts"
import { cacheLimits } from "./options.ts"
import type { CacheLimits, CacheOptions } from "./options.ts"
import { CachedResource } from "./resource.ts"
import { type CheckCounts, SelfCheck } from "./self-check.ts"
import { SlabPool } from "./slab-pool.ts"
import { StoreFeed } from "./store-feed.ts"
import { verifyResource } from "./verify.ts"
import type { Verification } from "./verification.ts"

/** The cache, with functions for operators and tests. */
export interface WatchCache extends Cache {
  /** Why reads may be stale or impossible; undefined when everything in use is current. Read by the health check. */
  fault(): string | undefined
  healthy(): boolean
  /**
   * An undecodable stored value that is still in the store; undefined for none. Shown by the health check, which does
   * not fail for it.
   */
  undecodable(): UndecodableError | undefined
  /**
   * Compares every filled resource with the store, by keys and revisions. Called by tests after every scenario;
   * `checks` counts the periodic comparisons of a server.
   */
  verify(): Promise<Verification[]>
  /** Outcomes of the periodic comparisons; for metrics. */
  checks(): readonly CheckCounts[]
  /** Number of objects of every filled resource, by storage path; for metrics. */
  objects(): readonly { readonly resource: string; readonly count: number }[]
  /** Memory held by derived encodings; for metrics. */
  derivedBytes(): number
  /** Memory held by leaf encodings. */
  gatheredBytes(): number
  /** Memory held by past events for watches that catch up. */
  pagesBytes(): number
}

/**
 * Called once at start. Connects in the background; resources are filled on first use, whether they were registered
 * before or after start.
 */
export function openCache(options: CacheOptions): WatchCache {
  return new StoreCache(options)
}

class StoreCache implements WatchCache {
  private readonly limits: CacheLimits
  private readonly clock: Clock
  private readonly encodings: EncodingCache
  private readonly gathered: LeafEncodings
  private readonly slabs: SlabPool
  private readonly turns = new DeliveryQueue()
  private readonly pages: EventPageCache
  private readonly feed: StoreFeed
  private readonly selfCheck: SelfCheck
  private readonly byPath = new Map<string, CachedResource>()
  /** Released resources, still fed for the requests that use them. */
  private readonly retired = new Set<CachedResource>()
  /** Resources for which reads wait. They are few, although each definition adds a resource. */
  private readonly awaited = new Set<CachedResource>()
  /** Segments of the longest registered path: keys are examined no further. */
  private depth = 0
  private cancelTidy: (() => void) | undefined
  private lastTidyMs: number

  constructor(private readonly options: CacheOptions) {
    assert(options.prefix.endsWith("/"), "the store prefix ends with a slash", { prefix: options.prefix })
    this.clock = options.clock
    this.limits = cacheLimits(options.limits)
    this.lastTidyMs = this.clock.elapsedMs()
    this.encodings = new EncodingCache(this.limits.encodingBytes)
    this.gathered = new LeafEncodings(this.limits.leafEncodingBytes)
    const { pastEventBytes: limitBytes, pagesUnusedMs: unusedMs } = this.limits
    this.pages = new EventPageCache({ limitBytes, unusedMs, clock: this.clock, encodings: this.encodings })
    this.slabs = new SlabPool(this.limits)
    this.feed = new StoreFeed({
      store: options.store,
      prefix: options.prefix,
      clock: options.clock,
      limits: this.limits,
      onBatch: (events, revision) => this.receive(events, revision),
      onGap: (error) => {
        for (const resource of [...this.byPath.values(), ...this.retired]) resource.startOver(error)
      },
    })
    this.selfCheck = new SelfCheck({
      clock: options.clock,
      intervalMs: this.limits.verifyMs,
      resources: () => this.filled().map(({ path }) => path),
      verify: (path) => this.verifyOne(path),
      onMismatch: (verification) => this.restartAfterMismatch(verification),
    })
    this.feed.start()
    this.selfCheck.start()
  }

  resource(path: string, codec: ResourceCodec): ResourceCache {
    assert(!this.byPath.has(path), "a resource is registered once", { path })
    const { clock, prefix, store } = this.options
    const keyPrefix = `${prefix}${path}/`
    const resource: CachedResource = new CachedResource({
      path,
      keyPrefix,
      readsStore: this.options.readsStore?.(path) ?? false,
      storePrefix: prefix,
      codec,
      store,
      clock,
      feed: this.feed,
      limits: this.limits,
      encodings: this.encodings,
      gathered: this.gathered,
      slabs: this.slabs,
      turns: this.turns,
      pages: this.pages,
      owns: (key) => this.retired.has(resource) || this.ownerOf(key) === resource,
      onUndecodable: (error) => this.options.onUndecodable?.(error),
      onWaiting: () => this.awaited.add(resource),
    })
    this.byPath.set(path, resource)
    this.depth = Math.max(this.depth, path.split("/").length)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      this.byPath.get(path.slice(0, end))?.startOver(new StoreError("unavailable", `keys of ${path.slice(0, end)} now belong to ${path}`))
    }
    return resource
  }

  release(path: string): void {
    const resource = this.byPath.get(path)
    if (resource === undefined) return
    this.byPath.delete(path)
    const error = new StoreError("released", `${path} is no longer read as it was`)
    resource.retire(error)
    this.retired.add(resource)
    this.clock.after(this.limits.retiredMs, () => {
      this.retired.delete(resource)
      resource.close(error)
      resource.discard()
    })
  }

  consistentRevision(): Promise<number> {
    return this.options.store.revision()
  }

  delivered(): Promise<void> | undefined {
    return this.turns.caughtUp()
  }

  fault(): string | undefined {
    if (this.feed.fault !== undefined) return this.feed.fault
    for (const resource of this.byPath.values()) if (resource.fault !== undefined) return resource.fault
    return undefined
  }

  undecodable(): UndecodableError | undefined {
    for (const resource of this.byPath.values()) {
      const found = resource.undecodable("")
      if (found !== undefined) return found
    }
    return undefined
  }

  healthy(): boolean {
    return this.fault() === undefined
  }

  async verify(): Promise<Verification[]> {
    const verifications: Verification[] = []
    for (const { path } of this.filled()) verifications.push(await this.verifyOne(path))
    return verifications
  }

  checks(): readonly CheckCounts[] {
    return this.selfCheck.counts()
  }

  objects(): readonly { readonly resource: string; readonly count: number }[] {
    return this.filled().map((resource) => ({ resource: resource.path, count: resource.snapshot().count({ prefix: "" }) }))
  }

  derivedBytes(): number {
    return this.encodings.usedBytes
  }

  gatheredBytes(): number {
    return this.gathered.usedBytes
  }

  pagesBytes(): number {
    return this.pages.usedBytes
  }

  async close(): Promise<void> {
    this.selfCheck.stop()
    this.feed.close()
    this.cancelTidy?.()
    const error = new StoreError("closed", "the cache has been closed")
    for (const resource of [...this.byPath.values(), ...this.retired]) resource.close(error)
  }

  private filled(): CachedResource[] {
    return [...this.byPath.values()].filter((resource) => resource.isLive)
  }

  private verifyOne(path: string): Promise<Verification> {
    const resource = this.byPath.get(path)
    assert(resource !== undefined, "only registered resources are verified", { path })
    return verifyResource(this.options.store, resource, { page: this.limits.fillPage, owns: (key) => this.ownerOf(key) === resource })
  }

  /** Which events its watchers missed is unknown: they must list again, not resume. */
  private restartAfterMismatch(verification: Verification): void {
    const { resource, revision } = verification
    this.options.onMismatch?.(verification)
    this.byPath
      .get(resource)
      ?.startOver(new StoreError("compacted", `the cache of ${resource} differed from the store at version ${revision}`))
  }

  /**
   * All resources apply a batch before any watcher gets it: a watcher that reads another resource then sees the whole
   * commit.
   */
  private receive(events: readonly StoreEvent[], revision: number): void {
    const touched = new Set<CachedResource>()
    for (const event of events) {
      const resource = this.ownerOf(event.key)
      if (resource === undefined) continue
      resource.receive(event)
      touched.add(resource)
    }
    if (this.retired.size > 0) this.feedRetired(events, touched)
    for (const resource of touched) resource.flush(revision)
    for (const resource of this.awaited) if (!resource.advanced()) this.awaited.delete(resource)
    this.scheduleTidy()
  }

  private feedRetired(events: readonly StoreEvent[], touched: Set<CachedResource>): void {
    for (const resource of this.retired) {
      for (const event of events) if (event.key.startsWith(resource.keyPrefix)) resource.receive(event)
      touched.add(resource)
    }
  }

  /** The registered resource with the longest path above the key. */
  private ownerOf(key: string): CachedResource | undefined {
    const { prefix } = this.options
    let owner: CachedResource | undefined
    let slash = key.indexOf("/", prefix.length)
    for (let segment = 0; segment < this.depth && slash >= 0; segment++) {
      owner = this.byPath.get(key.slice(prefix.length, slash)) ?? owner
      slash = key.indexOf("/", slash + 1)
    }
    return owner
  }

  /** A timer runs only after a change: an idle cache does nothing. */
  private scheduleTidy(): void {
    if (this.cancelTidy !== undefined) return
    const dueMs = this.lastTidyMs + this.limits.tidyMs - this.clock.elapsedMs()
    this.cancelTidy = this.clock.after(Math.max(dueMs, 0), () => {
      this.cancelTidy = undefined
      this.lastTidyMs = this.clock.elapsedMs()
      for (const resource of this.byPath.values()) resource.tidy()
    })
  }
}
