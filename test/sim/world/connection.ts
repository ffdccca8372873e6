/**
 * One server's connection to a store that it shares with others: everything takes time, events reach each server at
 * different times, and the connection breaks when the store loses its leader. A request in flight at that moment may
 * have been executed.
 */
import { readLogOf } from "../../../runtime/storage/log-reader.ts"
import {
  type Check,
  type CommitResult,
  type LogPiece,
  type LogOptions,
  type Store,
  StoreError,
  type StoredValue,
  type StoreEvent,
  type StoreListOptions,
  type StoreListResult,
  type StoreStatus,
  type WatchOptions,
  type Write,
} from "../../../runtime/storage/store.ts"
import type { SeededRandom } from "./random.ts"
import { turns } from "./turns.ts"

/** The faults of one server's connection. */
export interface ConnectionControl {
  stalled(): Promise<void> | undefined
  alive(): boolean
  readonly random: SeededRandom
  /** The process dies right after the store has executed a commit, before the answer arrives. */
  dieAfterCommit: boolean
  onDeath(): void
}

export class StoreConnection implements Store {
  private cutOff = false
  /** Incremented with every loss: requests that were waiting get an error. */
  private epoch = 0
  private readonly watches = new Set<WatchLine>()

  constructor(
    private readonly shared: Store,
    private readonly compactShared: Store["compact"],
    private readonly control: ConnectionControl,
  ) {}

  /** The leader is lost: watches end, and every answer is an error until `restore`. */
  cut(): void {
    this.cutOff = true
    this.epoch++
    const lost = unavailable()
    for (const watch of [...this.watches]) watch.end(lost)
    this.watches.clear()
  }

  restore(): void {
    this.cutOff = false
  }

  /** Whether every event of the store has reached the server. */
  get idle(): boolean {
    return [...this.watches].every((watch) => watch.idle)
  }

  get(options: { key: string; revision?: number }): Promise<StoredValue | undefined> {
    return this.call(() => this.shared.get(options))
  }

  list(options: StoreListOptions): Promise<StoreListResult> {
    return this.call(() => this.shared.list(options))
  }

  commit(options: { checks: readonly Check[]; writes: readonly Write[] }): Promise<CommitResult> {
    const lost = (): StoreError => new StoreError("undecided", "the connection to the simulated store was lost")
    return this.call(async () => {
      const result = await this.shared.commit(options)
      if (this.control.dieAfterCommit) {
        this.control.dieAfterCommit = false
        this.control.onDeath()
      }
      return result
    }, lost)
  }

  readLog(options: LogOptions): Promise<LogPiece> {
    return this.call(() => readLogOf(this.shared, options))
  }

  async watch(options: WatchOptions): Promise<{ stop(): void }> {
    const { alive, random, stalled } = this.control
    return this.call(async () => {
      const line = new WatchLine(options, { alive, random, stalled, over: () => this.watches.delete(line) })
      const watch = await this.shared.watch({
        ...options,
        onEvents: (events, revision) => line.push(events, revision),
        onEnd: (error) => line.end(error),
      })
      line.follow(watch)
      this.watches.add(line)
      return { stop: () => line.stop() }
    })
  }

  revision(): Promise<number> {
    return this.call(() => this.shared.revision())
  }

  compact(options: { revision: number }): Promise<void> {
    return this.call(() => this.compactShared(options))
  }

  async status(): Promise<StoreStatus> {
    if (this.cutOff) return { ...(await this.shared.status()), fault: "the store has no leader" }
    return this.call(() => this.shared.status())
  }

  /** Closes this connection; the others go on. */
  async close(): Promise<void> {
    for (const watch of [...this.watches]) watch.stop()
  }

  /** `lost`: the error when the connection breaks after the request was sent. */
  private async call<T>(perform: () => Promise<T>, lost = unavailable): Promise<T> {
    const { alive, random, stalled } = this.control
    const { epoch } = this
    await turns(random.integer(3))
    await stalled()
    if (!alive()) await new Promise<never>(() => undefined)
    if (this.cutOff || epoch !== this.epoch) throw unavailable()
    const result = await perform()
    await turns(random.integer(3))
    await stalled()
    if (!alive()) await new Promise<never>(() => undefined)
    if (epoch !== this.epoch) throw lost()
    return result
  }
}

/** The events of one watch in transit to one server, in order. */
class WatchLine {
  private readonly waiting: { events: readonly StoreEvent[]; revision: number }[] = []
  private sending = false
  private over = false
  private watch: { stop(): void } | undefined

  constructor(
    private readonly options: WatchOptions,
    private readonly how: Pick<ConnectionControl, "alive" | "random" | "stalled"> & { over(): void },
  ) {}

  get idle(): boolean {
    return this.waiting.length === 0
  }

  follow(watch: { stop(): void }): void {
    if (this.over) watch.stop()
    else this.watch = watch
  }

  push(events: readonly StoreEvent[], revision: number): void {
    this.waiting.push({ events, revision })
    if (!this.sending) void this.send()
  }

  end(error: StoreError): void {
    if (this.over) return
    this.stop()
    if (this.how.alive()) this.options.onEnd(error)
  }

  stop(): void {
    this.over = true
    this.waiting.length = 0
    this.watch?.stop()
    this.how.over()
  }

  private async send(): Promise<void> {
    this.sending = true
    while (this.waiting.length > 0) {
      await turns(1 + this.how.random.integer(4))
      await this.how.stalled()
      if (this.over || !this.how.alive()) return
      // Several commits may arrive together.
      const together = this.waiting.splice(0, 1 + this.how.random.integer(3))
      const last = together.at(-1)
      if (last !== undefined)
        this.options.onEvents(
          together.flatMap(({ events }) => events),
          last.revision,
        )
    }
    this.sending = false
  }
}

function unavailable(): StoreError {
  return new StoreError("unavailable", "the simulated store has lost its leader")
}
