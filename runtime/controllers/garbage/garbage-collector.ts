/**
 * The garbage collector. Deletes dependents whose owners are gone, and handles owners that wait for their dependents or
 * release them first, as the delete request asked (finalizers `foregroundDeletion` and `orphan`). A kind is followed
 * once its first object appears, and kinds without objects never are.
 */
import type { Kind } from "../../schema/kind.ts"
import type { ObjectMeta, OwnerReference } from "../../base/json.ts"
import { metadataOf } from "../../registry/stored-metadata.ts"
import { foregroundFinalizer, orphanFinalizer } from "../../registry/propagation.ts"
import type { KindHandle } from "../../registry/registry.ts"
import { type CachedObject, UndecodableError } from "../../storage/cache.ts"
import { StoreError } from "../../storage/store.ts"
import { Backlog, type Handling, type PacedHandler, type PacedInformer, startPacedInformer } from "../paced-informer.ts"
import { processObject, type CollectorContext } from "./process-object.ts"
import { isWaiting, ownerVersion } from "./owner.ts"
import { type Dependent, type IndexedOwner, OwnerIndex } from "./owner-index.ts"
import { errorText } from "../../base/error-text.ts"
import type { ControllerDeps, Controller } from "../controller.ts"
import { inTurns, nextTurn, type Stages, Turns } from "../../base/turns.ts"
import { fieldKeyWork, lookWork } from "../../base/work.ts"
import { createWorkQueue } from "../work-queue.ts"

export interface GarbageCollector extends Controller {
  /** Resolves when everything known has been processed. For tests. */
  idle(): Promise<void>
}

/**
 * Called once at start unless `--enable-garbage-collector=false`. `workers`: objects processed in parallel,
 * `--concurrent-gc-syncs`.
 */
export function startGarbageCollector(deps: ControllerDeps, { workers }: { workers: number }): GarbageCollector {
  return new Collector(deps, workers)
}

const retryMs = 1000
/** Dependents that are queued at once when their owner is gone; more are queued in turns. */
const manyDependents = 1000
/** Fields that make an object relevant; objects without them are skipped without decoding. */
const marks = ["ownerReferences", "deletionTimestamp"] as const

class Collector implements GarbageCollector {
  private readonly index = new OwnerIndex()
  /** Owners that wait for their dependents, by uid; and their uids by store key. */
  private readonly waiting = new Map<string, IndexedOwner>()
  private readonly waitingUids = new Map<string, string>()
  /** Objects with an owner of an unknown kind, processed again when a kind is added. */
  private readonly unresolved = new Set<string>()
  /** Kinds whose storage path was not checked for objects yet. */
  private unexamined = new Set<Kind>()
  /** Kinds removed from the table, by storage path, until it is known whether their objects are gone. */
  private readonly left = new Map<string, Kind>()
  private kindsChanged = false
  private noticing: Promise<void> | undefined
  private readonly forgetTable: () => void
  /** Storage paths whose first state was received, or failed; in the latter case decisions were made without it. */
  private readonly seen = new Set<string>()
  private readonly informers = new Map<string, { kind: Kind; informer: PacedInformer }>()
  /** Shared by all kinds: an owner is never processed before its earlier dependents are known. */
  private readonly backlog = new Backlog()
  private readonly queue
  private readonly collection: CollectorContext
  private watching: Promise<void>
  private unwatch = (): void => {}
  private endPause = (): void => {}
  private cancelKindsRetry = (): void => {}
  private stopped = false

  constructor(
    private readonly deps: ControllerDeps,
    workers: number,
  ) {
    const { registry, clock, log, api, meters } = deps
    const { kinds } = registry.deps
    this.forgetTable = kinds.onChange((added, replaced) => {
      for (const kind of added) this.unexamined.add(kind)
      for (const kind of replaced) if (kinds.current(kind) === undefined) this.left.set(kind.storage.path, kind)
      this.noticeKinds()
    })
    const meter = meters?.("garbage_collector_attempt_to_delete")
    this.queue = createWorkQueue({
      clock,
      ...(meter !== undefined && { meter }),
      workers,
      work: (key) => this.work(key),
      onError: (error, key) => log.warn({ object: key, error: errorText(error) }, "an object could not be collected; tried again later"),
    })
    this.collection = {
      registry,
      api,
      index: this.index,
      handleOf: (key) => this.handleOf(key),
      enqueue: (key) => this.queue.add(key),
      caughtUp: () => this.backlog.caughtUp(),
      follow: (kind) => this.followed(kind),
      unresolved: (key) => this.unresolved.add(key),
      asked: new Set(),
      nowhere: new Set(),
      gone: new Set(),
    }
    this.watching = this.watchKeys()
  }

  async idle(): Promise<void> {
    // Bounded: until no kind is new, for tests.
    for (let known = -1; known !== this.informers.size; ) {
      known = this.informers.size
      await this.settled()
      await this.backlog.settled()
      await this.queue.idle()
    }
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.forgetTable()
    this.endPause()
    await this.watching
    await this.noticing
    this.cancelKindsRetry()
    this.unwatch()
    // Bounded: one per kind, at the end.
    for (const { informer } of this.informers.values()) await informer.stop()
    await this.queue.stop()
  }

  private async work(key: string): Promise<void> {
    await this.settled()
    if (!this.stopped) await processObject(this.collection, key)
  }

  /**
   * Waits until all kinds with objects are followed, because a decision needs every existing dependent: an owner with
   * `orphan` would release only the known ones, and the others would be deleted.
   */
  private async settled(): Promise<void> {
    await this.watching
    await this.noticing
    await this.opened()
  }

  private async opened(): Promise<void> {
    await Promise.all([...this.informers.values()].map(({ informer }) => informer.following))
    await this.backlog.caughtUp()
  }

  /**
   * Resolves when all kinds with objects are followed, and other kinds will be once they have some. Retries until it
   * succeeds.
   */
  private async watchKeys(): Promise<void> {
    while (!this.stopped)
      try {
        return await this.tryToWatchKeys()
      } catch (error) {
        if (!this.isTemporary(error)) return
        await this.pause(error)
      }
  }

  /** Watches the keys of the store, which reveal kinds with objects. */
  private async tryToWatchKeys(): Promise<void> {
    const { kinds, store, storePrefix } = this.deps.registry.deps
    const afterRevision = await store.revision()
    this.unexamined = new Set(kinds.all())
    await this.followKindsWithObjects()
    const watch = await store.watch({
      prefix: storePrefix,
      afterRevision,
      previous: false,
      onEvents: (events) => {
        for (const { type, key } of events) if (type === "put") this.open(key)
      },
      onEnd: (error) => {
        if (this.isTemporary(error)) this.watching = this.pause(error).then(() => this.watchKeys())
      },
    })
    if (this.stopped) watch.stop()
    else this.unwatch = () => watch.stop()
  }

  private async followKindsWithObjects(): Promise<void> {
    const { store, storePrefix } = this.deps.registry.deps
    // Bounded: one request to the store per kind.
    for (const kind of [...this.unexamined]) {
      const { path } = kind.storage
      // The watch of keys covers only the main store: a kind in another store is followed even without objects.
      const hasObjects = async (): Promise<boolean> =>
        store.overrides?.some((override) => override.path === path) === true ||
        (await store.list({ prefix: `${storePrefix}${path}/`, limit: 1 })).items.length > 0
      if (this.isToFollow(kind) && (await hasObjects()) && this.isToFollow(kind)) this.follow(kind)
      this.unexamined.delete(kind)
    }
  }

  private isTemporary(error: unknown): boolean {
    return !this.stopped && !(error instanceof StoreError && error.code === "closed")
  }

  private pause(error: unknown): Promise<void> {
    this.deps.log.warn({ error: errorText(error) }, "the garbage collector lost its watch and restarts it")
    return new Promise((resolve) => {
      const cancel = this.deps.clock.after(retryMs, resolve)
      this.endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  /**
   * Whether objects of a kind may own or be owned, and are not followed yet: all kinds that have their own storage and
   * can be deleted, except events.
   */
  private isToFollow(kind: Kind): boolean {
    const { kinds } = this.deps.registry.deps
    if (!kind.verbs.includes("delete") || kind.rules.defaultPropagation === "unsupported") return false
    return !this.informers.has(kind.storage.path) && kinds.current(kind) === kind && kinds.stored(kind) === kind
  }

  /**
   * Called for every written key. Finds the kind by the key's folders, so the cost does not depend on the number of
   * kinds.
   */
  private open(key: string): void {
    if (this.stopped || this.kindOf(key) !== undefined) return
    const { kinds, storePrefix } = this.deps.registry.deps
    for (let end = key.indexOf("/", storePrefix.length); end >= 0; end = key.indexOf("/", end + 1)) {
      const kind = kinds.sharing(key.slice(storePrefix.length, end)).find((one) => this.isToFollow(one))
      if (kind !== undefined) return this.follow(kind)
    }
  }

  /**
   * Called when kinds are added or removed, often many at once. New kinds may have objects already, and may resolve
   * owners of unknown kinds.
   */
  private noticeKinds(): void {
    this.kindsChanged = true
    this.noticing ??= this.followChangedKinds().finally(() => {
      this.noticing = undefined
    })
  }

  private async followChangedKinds(): Promise<void> {
    while (this.kindsChanged) {
      this.kindsChanged = false
      await nextTurn()
      if (this.stopped) return
      await this.followKinds()
    }
  }

  private async followKinds(): Promise<void> {
    const { clock, log, registry } = this.deps
    const { kinds } = registry.deps
    for (const [path, { kind, informer }] of this.informers) {
      if (kinds.current(kind) !== undefined) continue
      this.informers.delete(path)
      this.seen.delete(path)
      void informer.stop()
    }
    try {
      await this.noteGoneOwners()
      await this.followKindsWithObjects()
    } catch (error) {
      log.warn({ error: errorText(error) }, "the garbage collector could not look for objects of new kinds; tried again later")
      this.cancelKindsRetry = clock.after(retryMs, () => this.noticeKinds())
    }
    for (const key of this.unresolved) this.queue.add(key)
    this.unresolved.clear()
  }

  /**
   * Records deleted owners of removed kinds: a definition's objects are deleted before it, and cannot be looked up
   * afterwards. Keeps their uids while they have dependents. If a kind's objects are still in the store, it counts as
   * unknown, and its dependents stay.
   */
  private async noteGoneOwners(): Promise<void> {
    if (this.left.size === 0) return
    await this.watching
    await this.opened()
    const { kinds, store, storePrefix } = this.deps.registry.deps
    // Reads the index before the store: a later dependent may name a later owner.
    const dependents = this.dependentsOfLeft()
    // Bounded: one per removed kind.
    for (const [path, kind] of [...this.left]) {
      const isGone =
        kinds.sharing(path).length === 0 && (await store.list({ prefix: `${storePrefix}${path}/`, limit: 1 })).items.length === 0
      for (const { uid, key } of isGone ? (dependents.get(groupKind(kind)) ?? []) : []) {
        if (!this.index.hasDependents(uid)) continue
        this.collection.gone.add(uid)
        this.queue.add(key)
      }
      if (this.left.get(path) === kind) this.left.delete(path)
    }
  }

  /** The dependents of owners of removed kinds, by the group and kind of their owners. */
  private dependentsOfLeft(): Map<string, { readonly uid: string; readonly key: string }[]> {
    const found = new Map<string, { readonly uid: string; readonly key: string }[]>()
    for (const kind of this.left.values()) found.set(groupKind(kind), [])
    for (const key of this.index.keysBelow(""))
      for (const owner of this.index.get(key)?.owners ?? []) {
        const { group } = ownerVersion(this.deps.registry, owner)
        found.get(groupKind({ group, kind: owner.kind }))?.push({ uid: owner.uid, key })
      }
    return found
  }

  private kindOf(key: string): Kind | undefined {
    const { storePrefix } = this.deps.registry.deps
    for (let end = key.indexOf("/", storePrefix.length); end >= 0; end = key.indexOf("/", end + 1)) {
      const known = this.informers.get(key.slice(storePrefix.length, end))
      if (known !== undefined) return known.kind
    }
    return undefined
  }

  private async handleOf(key: string): Promise<KindHandle | undefined> {
    this.open(key)
    const kind = this.kindOf(key)
    const current = kind === undefined ? undefined : this.deps.registry.deps.kinds.current(kind)
    return current === undefined ? undefined : this.deps.registry.handle(current)
  }

  private follow(kind: Kind): void {
    const { path } = kind.storage
    const informer = startPacedInformer(this.deps, kind, this.handler(path), this.backlog)
    this.informers.set(path, { kind, informer })
    const received = informer.following.then(() => this.backlog.caughtUp())
    void received.then(() => {
      if (this.informers.get(path)?.informer === informer) this.seen.add(path)
    })
  }

  /** Resolves once deletions of this kind's objects, as they are stored, will be noticed. */
  private async followed(kind: Kind): Promise<void> {
    if (this.isToFollow(kind)) this.follow(kind)
    await this.informers.get(kind.storage.path)?.informer.following
  }

  /**
   * A second state of a kind, or a late first one, follows a gap in which deletions of owners may have been missed. All
   * objects are then processed again.
   */
  private handler(path: string): PacedHandler {
    let gone = new Set<string>()
    return {
      begin: () => {
        if (this.seen.has(path)) for (const key of this.index.keysBelow("")) this.queue.add(key)
        this.seen.add(path)
        gone = new Set(this.index.keysBelow(`${this.deps.registry.deps.storePrefix}${path}/`))
      },
      object: (object) => {
        gone.delete(object.key)
        return this.take(object)
      },
      end: () => this.forgettingAll(gone),
      event: ({ type, object }) => (type === "DELETED" ? this.deleted(object) : this.take(object)),
    }
  }

  private *forgettingAll(keys: ReadonlySet<string>): Stages<void> {
    const turns = new Turns()
    for (const key of keys) {
      yield* this.forgetting(key)
      if (turns.endsStage(fieldKeyWork)) yield
    }
  }

  /** Most objects neither own nor are owned, and are not decoded. */
  private take(object: CachedObject): Handling {
    const { key } = object
    if (object.mayHaveMetadata(marks) || this.index.get(key) !== undefined || this.waitingUids.has(key)) return this.taking(object)
  }

  private deleted(object: CachedObject): Handling {
    if (this.index.size === 0) return this.forgetting(object.key)
    const { uid = "" } = readableMetadata(object) ?? {}
    const dependents = this.index.dependentsOf(uid)
    const stages = this.losing(object.key, uid, dependents)
    return dependents.length > manyDependents ? inTurns(stages) : stages
  }

  private *losing(key: string, uid: string, dependents: readonly Dependent[]): Stages<void> {
    yield* this.forgetting(key)
    if (this.index.hasDependents(uid)) this.collection.gone.add(uid)
    const turns = new Turns()
    for (const dependent of dependents) {
      if (dependent.key !== key) this.queue.add(dependent.key)
      if (turns.endsStage(fieldKeyWork)) yield
    }
  }

  private *taking(object: CachedObject): Stages<void> {
    const metadata = readableMetadata(object)
    yield
    const owners = metadata?.ownerReferences ?? []
    const before = this.index.get(object.key)?.owners ?? []
    const changed = !sameOwners(owners, before)
    if (changed) {
      if (owners.length > 0) yield* this.index.putting({ key: object.key, namespace: metadata?.namespace ?? "", owners })
      else yield* this.index.removing(object.key)
      yield* this.enqueueingOwners(before)
    }
    const waits = this.trackWaiting(object.key, metadata)
    if (waits || (changed && owners.length > 0)) this.queue.add(object.key)
  }

  /** Returns whether the object is being deleted and held by one of the collector's own finalizers. */
  private trackWaiting(key: string, metadata: ObjectMeta | undefined): boolean {
    if (metadata?.uid !== undefined && isWaiting(metadata, foregroundFinalizer)) {
      this.waiting.set(metadata.uid, { uid: metadata.uid, key, namespace: metadata.namespace ?? "" })
      this.waitingUids.set(key, metadata.uid)
      return true
    }
    this.untrackWaiting(key)
    return metadata !== undefined && isWaiting(metadata, orphanFinalizer)
  }

  private untrackWaiting(key: string): void {
    const uid = this.waitingUids.get(key)
    if (uid === undefined) return
    this.waitingUids.delete(key)
    this.waiting.delete(uid)
    this.collection.asked.delete(uid)
  }

  private *forgetting(key: string): Stages<void> {
    const before = this.index.get(key)?.owners ?? []
    yield* this.index.removing(key)
    this.unresolved.delete(key)
    this.untrackWaiting(key)
    yield* this.enqueueingOwners(before)
  }

  /** Queues owners that may have waited for this change. Skips owners that another dependent still blocks. */
  private *enqueueingOwners(owners: readonly OwnerReference[]): Stages<void> {
    const turns = new Turns()
    for (const { uid } of owners) {
      const owner = this.waiting.get(uid)
      if (owner !== undefined && !this.index.isBlocked(owner)) this.queue.add(owner.key)
      if (!this.index.hasDependents(uid)) this.collection.gone.delete(uid)
      if (turns.endsStage(lookWork)) yield
    }
  }
}

function groupKind({ group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${group}/${kind}`
}

/** Whether both lists have the same owners with the same `blockOwnerDeletion`. */
function sameOwners(left: readonly OwnerReference[], right: readonly OwnerReference[]): boolean {
  const text = (owners: readonly OwnerReference[]): string =>
    owners.map(({ uid, blockOwnerDeletion }) => `${uid}${blockOwnerDeletion === true ? "!" : ""}`).join(" ")
  return text(left) === text(right)
}

/** An object that cannot be decoded has no known owner and is kept. The cache reports it. */
function readableMetadata(object: CachedObject): ObjectMeta | undefined {
  try {
    return metadataOf(object)
  } catch (error) {
    if (error instanceof UndecodableError) return undefined
    throw error
  }
}
