/**
 * One watch: a stream of its own, so that a long replay holds up nobody else's progress.
 *
 *     opening ──created──▶ open ──onEnd──▶ over
 *
 * etcd sends the events of each commit by themselves; what a turn of the event loop brought is handed over at its end, at once, so that hundreds of
 * clients are written to once. `revision` is what was handed over completely. It grows with events, and with answers to progress requests where those can be trusted. Where
 * they cannot, the end of a replay is found by writing: the watch covers one key more than was asked for, the one right behind the prefix.
 */
import type { Clock } from "../../clock.ts"
import { deliver } from "../feed.ts"
import { StoreError, type StoredValue, type StoreEvent, type WatchOptions } from "../store.ts"
import { RpcError, type Connection, type WatchStream } from "./connection.ts"
import { storeErrorOf } from "./failures.ts"
import { eventType, type KeyValue, txnCall, type WatchEvent, type WatchResponse } from "./protocol.ts"
import { type KeyRange, rangeOf } from "./ranges.ts"
import { tellsProgress } from "./server-version.ts"

/** What every watch of a store is given. */
export interface WatchDeps {
  readonly connection: Connection
  readonly clock: Clock
  /** How long a new watch may take to be there. */
  readonly openTimeoutMs: number
  /** How long events have to arrive by themselves before their absence is asked about. */
  readonly progressDelayMs: number
  readonly storedValue: (kv: KeyValue) => StoredValue
}

/** How soon a question about progress is put again: one that meets a watch amid a replay is not answered. The reference's interval. */
const progressRetryMs = 100
/** How long a replay has to come to its end by itself where only a write tells it; etcd looks for what must be replayed every 100 ms. */
const markDelayMs = 500

/** The same for who waits for the events of a moment ago, which are on their way. */
const untoldDelayMs = 20

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
}

/** Made by `Watches`. */
export class Watching {
  /** Everything up to here was handed over. */
  revision: number
  /** Answers to progress requests are sound; unknown until the server has said its version. */
  tellsProgress = false

  private stream: WatchStream | undefined
  private over = false
  private fragments: WatchEvent[] = []
  /** What came this turn, and how far it leads. */
  private gathered: StoreEvent[] = []
  private gatheredRevision: number
  private handOver: NodeJS.Immediate | undefined
  private wanted = 0
  private cancelProgress: (() => void) | undefined
  private waiters: Waiter[] = []
  private opened: { resolve: () => void; reject: (error: StoreError) => void } | undefined

  constructor(
    private readonly deps: WatchDeps,
    private readonly options: WatchOptions,
    /** Called once when the watch is over, however that came. */
    private readonly onOver: () => void,
  ) {
    this.revision = options.afterRevision
    this.gatheredRevision = options.afterRevision
  }

  /** Called once. Resolves when the server has the watch; throws StoreError. */
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
      this.tellsProgress = tellsProgress(version)
      this.catchUp()
    } finally {
      cancelTimeout()
    }
  }

  /** Called by who waits and may write: a server that cannot tell is made to send an event. */
  bringTo(revision: number): void {
    if (this.tellsProgress) return this.reach(revision)
    if (this.opened !== undefined || revision <= Math.max(this.revision, this.wanted)) return
    this.wanted = revision
    if (this.cancelProgress === undefined) this.schedule(untoldDelayMs, () => void this.mark())
  }

  /** Whether a change of any of these keys is an event here. */
  covers(keys: readonly string[]): boolean {
    return keys.some((key) => key.startsWith(this.options.prefix))
  }

  /** Called when somebody may wait for this watch to have come to `revision`: where no event leads there, a server that can tell is asked. */
  reach(revision: number): void {
    if (revision <= Math.max(this.revision, this.wanted)) return
    if (!this.tellsProgress && this.opened === undefined) return
    this.wanted = revision
    if (this.tellsProgress && this.cancelProgress === undefined) this.schedule(this.deps.progressDelayMs, () => this.askProgress())
  }

  /** Resolves when everything up to `revision` was handed over, and when the watch is over. */
  reached(revision: number): Promise<void> | undefined {
    if (this.over || this.opened !== undefined || this.revision >= revision) return undefined
    return new Promise((resolve) => this.waiters.push({ revision, resolve }))
  }

  /** Nothing is called after this. */
  stop(): void {
    if (this.over) return
    this.over = true
    this.stream?.cancel()
    this.cancelProgress?.()
    clearImmediate(this.handOver)
    this.release(Number.POSITIVE_INFINITY)
    this.onOver()
  }

  /** Called when the server, the connection or the store ends the watch. */
  end(error: StoreError): void {
    if (this.over) return
    this.handOverGathered()
    // Who was told may have stopped it.
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
      // What lies between is replayed, and its end must be noticed although the last events may concern other keys.
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
    this.gather(whole)
  }

  /** A server that takes a watch up again must not repeat (etcd issue 15271). */
  private gather(received: readonly WatchEvent[]): void {
    const before = this.gatheredRevision
    for (const event of received) {
      const revision = event.kv?.modRevision ?? 0
      if (revision <= before) continue
      this.gathered.push(this.storeEvent(event))
      this.gatheredRevision = revision
    }
    if (this.gatheredRevision > before) this.handOver ??= setImmediate(() => this.handOverGathered())
  }

  private progressed(revision: number): void {
    if (!this.tellsProgress || revision <= this.gatheredRevision) return
    this.gatheredRevision = revision
    this.handOverGathered()
  }

  private handOverGathered(): void {
    clearImmediate(this.handOver)
    this.handOver = undefined
    if (this.gatheredRevision === this.revision) return
    const events = this.gathered
    this.gathered = []
    this.advance(events, this.gatheredRevision)
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

  /** Called once the watch is there. */
  private catchUp(): void {
    if (this.wanted <= this.revision || this.over) return
    if (this.tellsProgress) this.askProgress()
    else this.schedule(markDelayMs, () => void this.mark())
  }

  private schedule(delayMs: number, step: () => void): void {
    this.cancelProgress = this.deps.clock.after(delayMs, step)
  }

  private askProgress(): void {
    if (this.over) return
    this.stream?.send({ progress: {} })
    this.schedule(progressRetryMs, () => this.askProgress())
  }

  private async mark(): Promise<void> {
    const key = markOf(this.options.prefix)
    if (this.over || key === undefined) return
    try {
      await this.deps.connection.call(txnCall, { success: [{ put: { key } }] })
    } catch (error) {
      // An etcd that takes no writes now may do so later.
      if (!(error instanceof RpcError)) throw error
    }
    if (this.wanted > this.revision && !this.over) this.schedule(markDelayMs, () => void this.mark())
  }

  private storeEvent({ kv, prevKv, type }: WatchEvent): StoreEvent {
    const { createRevision = 0, key = "", modRevision: revision = 0, value } = kv ?? {}
    const previous = prevKv === undefined ? undefined : this.deps.storedValue(prevKv)
    const before = previous === undefined ? {} : { previous }
    if (type === eventType.delete) return { type: "delete", key, revision, createRevision: previous?.createRevision ?? 0, ...before }
    return { type: "put", key, revision, createRevision, ...(value !== undefined && { value }), ...before }
  }
}

/** The key right behind a prefix: nobody's, because the prefix is followed by a character that no path has there. Everything has none. */
function markOf(prefix: string): string | undefined {
  return prefix === "" ? undefined : rangeOf(prefix).rangeEnd
}

function rangeWithMark(prefix: string): KeyRange {
  const range = rangeOf(prefix)
  const mark = markOf(prefix)
  return mark === undefined ? range : { key: range.key, rangeEnd: `${mark}\0` }
}
