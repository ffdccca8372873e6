/**
 * One watch, on a stream of its own, so that a long replay delays no other watch's progress.
 *
 *     opening ──created──▶ open ──onEnd──▶ over
 *
 * etcd sends the events of each commit separately; all events of a turn of the event loop are delivered together at its
 * end, so that hundreds of clients are written to once. `revision` is the last revision that was delivered completely.
 * It advances with events, and with answers to progress requests where these are reliable. Elsewhere the end of a
 * replay is found by a write: the watch covers one additional key, directly after the prefix.
 */
import type { Clock } from "../../base/clock.ts"
import { deliver } from "../feed.ts"
import { StoreError, type StoredValue, type StoreEvent, type WatchOptions } from "../store.ts"
import { RpcError, type Connection, type WatchStream } from "./connection.ts"
import { storeErrorOf } from "./failures.ts"
import { eventType, type KeyValue, txnCall, type WatchEvent, type WatchResponse } from "./protocol.ts"
import { type KeyRange, rangeOf } from "./ranges.ts"
import { hasReliableProgress } from "./server-version.ts"

/** Dependencies that all watches of a store share. */
export interface WatchDeps {
  readonly connection: Connection
  readonly clock: Clock
  /** Time limit for opening a watch. */
  readonly openTimeoutMs: number
  /** How long events may take to arrive before the watch asks for progress. */
  readonly progressDelayMs: number
  readonly storedValue: (kv: KeyValue) => StoredValue
}

/** Interval between progress requests: etcd does not answer one during a replay. The reference's interval. */
const progressRetryMs = 100
/**
 * How long a replay may take to end before a key is written to find its end; etcd looks every 100 ms for watches to
 * replay.
 */
const markDelayMs = 500

/** As `markDelayMs`, for callers waiting for events that are already in flight. */
const inFlightDelayMs = 20

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
}

/** Made by `Watches`. */
export class EtcdWatch {
  /** Every event up to this revision was delivered. */
  revision: number
  /** Answers to progress requests are reliable; false until the server's version is known. */
  tellsProgress = false

  private stream: WatchStream | undefined
  private over = false
  private fragments: WatchEvent[] = []
  /** Events of this turn, and the revision they reach. */
  private pendingEvents: StoreEvent[] = []
  private pendingRevision: number
  private flushImmediate: NodeJS.Immediate | undefined
  private wanted = 0
  private cancelProgress: (() => void) | undefined
  private waiters: Waiter[] = []
  private opened: { resolve: () => void; reject: (error: StoreError) => void } | undefined

  constructor(
    private readonly deps: WatchDeps,
    private readonly options: WatchOptions,
    /** Called once when the watch is over for whatever reason. */
    private readonly onOver: () => void,
  ) {
    this.revision = options.afterRevision
    this.pendingRevision = options.afterRevision
  }

  /** Called once. Resolves when the server has opened the watch; throws StoreError. */
  async open(): Promise<void> {
    const { clock, connection, openTimeoutMs } = this.deps
    const created = new Promise<void>((resolve, reject) => {
      this.opened = { resolve, reject }
    })
    const cancelTimeout = clock.after(openTimeoutMs, () => this.end(new StoreError("timeout", "etcd did not begin a watch in time")))
    try {
      const stream = connection.watch({
        onResponse: (response) => this.receive(response),
        onEnd: (fault) => this.end(storeErrorOf(fault)),
      })
      this.stream = stream
      const range = rangeWithMark(this.options.prefix)
      const prevKv = this.options.previous !== false
      stream.send({ create: { ...range, startRevision: this.revision + 1, progressNotify: true, prevKv, fragment: true } })
      const [version] = await Promise.all([stream.version().catch(() => ""), created])
      this.tellsProgress = hasReliableProgress(version)
      this.catchUp()
    } finally {
      cancelTimeout()
    }
  }

  /** Called for a writer that waits: where progress requests are unreliable, writes a key to cause an event. */
  advanceTo(revision: number): void {
    if (this.tellsProgress) return this.expectRevision(revision)
    if (this.opened !== undefined || revision <= Math.max(this.revision, this.wanted)) return
    this.wanted = revision
    if (this.cancelProgress === undefined) this.schedule(inFlightDelayMs, () => void this.writeMarkKey())
  }

  /** Whether a change of any of these keys causes an event here. */
  covers(keys: readonly string[]): boolean {
    return keys.some((key) => key.startsWith(this.options.prefix))
  }

  /**
   * Called when a caller may wait for this watch to reach `revision`: requests progress if the server's answers are
   * reliable.
   */
  expectRevision(revision: number): void {
    if (revision <= Math.max(this.revision, this.wanted)) return
    if (!this.tellsProgress && this.opened === undefined) return
    this.wanted = revision
    if (this.tellsProgress && this.cancelProgress === undefined) this.schedule(this.deps.progressDelayMs, () => this.requestProgress())
  }

  /** Resolves when everything up to `revision` was delivered or the watch is over; undefined: nothing to wait for. */
  whenReached(revision: number): Promise<void> | undefined {
    if (this.over || this.opened !== undefined || this.revision >= revision) return undefined
    return new Promise((resolve) => this.waiters.push({ revision, resolve }))
  }

  /** No callback runs after this. */
  stop(): void {
    if (this.over) return
    this.over = true
    this.stream?.cancel()
    this.cancelProgress?.()
    clearImmediate(this.flushImmediate)
    this.release(Number.POSITIVE_INFINITY)
    this.onOver()
  }

  /** Called when the server, the connection or the store ends the watch. */
  end(error: StoreError): void {
    if (this.over) return
    this.flush()
    // The callback may have stopped the watch.
    if (this.over) return
    const { opened } = this
    this.opened = undefined
    this.stop()
    if (opened !== undefined) opened.reject(error)
    else this.options.onEnd(error)
  }

  private receive(response: WatchResponse): void {
    if (this.over) return
    const { cancelReason, canceled, compactRevision, created, events, fragment, header } = response
    if (compactRevision > 0) return this.end(new StoreError("compacted", "etcd has compacted what the watch needs", compactRevision))
    if (canceled) return this.end(new StoreError("unavailable", `etcd ended the watch: ${cancelReason || "no reason given"}`))
    if (created) {
      // The events in between are replayed, and the end of the replay must be noticed although the last events may
      // concern other keys.
      this.wanted = Math.max(this.wanted, header?.revision ?? 0)
      this.opened?.resolve()
      this.opened = undefined
      return
    }
    if (events.length === 0 && this.fragments.length === 0) return this.progressed(header?.revision ?? 0)
    this.fragments.push(...events)
    if (fragment) return
    const whole = this.fragments
    this.fragments = []
    this.addPending(whole)
  }

  /** Drops events that a server repeats when it resumes a watch (etcd issue 15271). */
  private addPending(received: readonly WatchEvent[]): void {
    const before = this.pendingRevision
    for (const event of received) {
      const revision = event.kv?.modRevision ?? 0
      if (revision <= before) continue
      this.pendingEvents.push(this.storeEvent(event))
      this.pendingRevision = revision
    }
    if (this.pendingRevision > before) this.flushImmediate ??= setImmediate(() => this.flush())
  }

  private progressed(revision: number): void {
    if (!this.tellsProgress || revision <= this.pendingRevision) return
    this.pendingRevision = revision
    this.flush()
  }

  private flush(): void {
    clearImmediate(this.flushImmediate)
    this.flushImmediate = undefined
    if (this.pendingRevision === this.revision) return
    const events = this.pendingEvents
    this.pendingEvents = []
    this.advance(events, this.pendingRevision)
  }

  private advance(events: readonly StoreEvent[], revision: number): void {
    this.revision = revision
    deliver(this.options, events, revision)
    this.release(revision)
    if (this.wanted > revision || this.cancelProgress === undefined) return
    this.cancelProgress()
    this.cancelProgress = undefined
  }

  private release(revision: number): void {
    const { waiters } = this
    if (waiters.length === 0) return
    this.waiters = waiters.filter((waiter) => waiter.revision > revision)
    for (const waiter of waiters) if (waiter.revision <= revision) waiter.resolve()
  }

  /** Called once the watch is open. */
  private catchUp(): void {
    if (this.wanted <= this.revision || this.over) return
    if (this.tellsProgress) this.requestProgress()
    else this.schedule(markDelayMs, () => void this.writeMarkKey())
  }

  private schedule(delayMs: number, step: () => void): void {
    this.cancelProgress = this.deps.clock.after(delayMs, step)
  }

  private requestProgress(): void {
    if (this.over) return
    this.stream?.send({ progress: {} })
    this.schedule(progressRetryMs, () => this.requestProgress())
  }

  private async writeMarkKey(): Promise<void> {
    const key = markKeyOf(this.options.prefix)
    if (this.over || key === undefined) return
    try {
      await this.deps.connection.call(txnCall, { success: [{ put: { key } }] })
    } catch (error) {
      // An etcd that refuses writes now may accept them later.
      if (!(error instanceof RpcError)) throw error
    }
    if (this.wanted > this.revision && !this.over) this.schedule(markDelayMs, () => void this.writeMarkKey())
  }

  private storeEvent({ kv, prevKv, type }: WatchEvent): StoreEvent {
    const { createRevision = 0, key = "", modRevision: revision = 0, value } = kv ?? {}
    const previous = prevKv === undefined ? undefined : this.deps.storedValue(prevKv)
    const before = previous === undefined ? {} : { previous }
    if (type === eventType.delete) return { type: "delete", key, revision, createRevision: previous?.createRevision ?? 0, ...before }
    return { type: "put", key, revision, createRevision, ...(value !== undefined && { value }), ...before }
  }
}

/**
 * The key directly after a prefix. No object has it: in place of the prefix's slash it has a character that no path has
 * there. The empty prefix has none.
 */
function markKeyOf(prefix: string): string | undefined {
  return prefix === "" ? undefined : rangeOf(prefix).rangeEnd
}

function rangeWithMark(prefix: string): KeyRange {
  const range = rangeOf(prefix)
  const mark = markKeyOf(prefix)
  return mark === undefined ? range : { key: range.key, rangeEnd: `${mark}\0` }
}
