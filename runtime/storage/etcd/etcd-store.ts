/**
 * The store on an etcd cluster, which several servers may share. Keys and values are the same as in the `Store`
 * interface; revisions are etcd's own. No state here is authoritative: it consists of connections, watches and leases.
 */
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import type {
  Check,
  CommitOptions,
  CommitResult,
  Store,
  StoredValue,
  StoreListOptions,
  StoreListResult,
  StoreStatus,
  WatchOptions,
  Write,
} from "../store.ts"
import { checkCommit, checkPrefix, StoreError } from "../store.ts"
import { compactedRevision, takeTurnToCompact } from "./compaction.ts"
import { connectEtcd, type Connection, type EtcdAddress, RpcError, type ServerStateListener } from "./connection.ts"
import { alarmMessages, isFault, isRefusal, storeErrorOf, undecidedError } from "./failures.ts"
import { coalesce } from "./coalesce.ts"
import { defaultLeaseLimits, type LeaseLimits, Leases } from "./leases.ts"
import { alarmCall, alarmType, compactCall, type KeyValue, rangeCall, statusCall, type TxnResponse, txnCall } from "./protocol.ts"
import { countKeys, newestRevision, readRange, storedValueOf } from "./ranges.ts"
import { changedKeys, failedChecks, transactionOf } from "./transactions.ts"
import { Watches } from "./watches.ts"

/** Options of `openEtcdStore`. */
export interface EtcdStoreOptions {
  readonly address: EtcdAddress
  readonly clock: Clock
  readonly random: Random
  readonly leases?: Partial<LeaseLimits>
  /** How long a watch waits for events before it asks for the store's progress; default 5 ms. */
  readonly progressDelayMs?: number
  /** Called when one of the servers stops serving, or serves again; for the log. */
  readonly onServer?: ServerStateListener
  /** For tests: injects faults between driver and etcd. */
  readonly wrap?: (connection: Connection) => Connection
}

/** Time limit for opening a watch. */
const watchOpenTimeoutMs = 10_000
const defaultProgressDelayMs = 5

/**
 * Called once per cluster. Connects on first use, and again whenever the connection is lost; while etcd is down, every
 * call fails with the reason.
 */
export function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  return Promise.resolve(new EtcdStore(options))
}

class EtcdStore implements Store {
  readonly revisionNeedsRoundTrip = true
  private readonly connection: Connection
  private readonly leases: Leases
  private readonly watches: Watches
  private readonly readRevision: () => Promise<number>
  private closed = false
  /** Version of `compact_rev_key` when this server last read it. */
  private compactionTurn = 0

  constructor(options: EtcdStoreOptions) {
    const { address, clock, random } = options
    const connection = connectEtcd(address, clock, options.onServer)
    this.connection = options.wrap?.(connection) ?? connection
    this.leases = new Leases({ connection: this.connection, clock, random, limits: { ...defaultLeaseLimits, ...options.leases } })
    this.watches = new Watches({
      connection: this.connection,
      clock,
      openTimeoutMs: watchOpenTimeoutMs,
      progressDelayMs: options.progressDelayMs ?? defaultProgressDelayMs,
      storedValue: (kv) => this.storedValue(kv),
    })
    this.readRevision = coalesce(() => newestRevision(this.connection))
  }

  get reportsProgress(): boolean {
    return this.watches.reportProgress
  }

  get({ key, revision = 0 }: { key: string; revision?: number }): Promise<StoredValue | undefined> {
    return this.run(async () => {
      const { kvs } = await this.connection.call(rangeCall, { key, revision })
      await this.leases.lookUpExpiries(kvs)
      return kvs[0] === undefined ? undefined : this.storedValue(kvs[0])
    })
  }

  list(options: StoreListOptions): Promise<StoreListResult> {
    return this.run(async () => {
      checkPrefix(options.prefix)
      const { kvs, more, revision } = await readRange(this.connection, options)
      await this.leases.lookUpExpiries(kvs)
      return { items: kvs.map((kv) => this.storedValue(kv)), revision, more }
    })
  }

  commit({ checks, writes, beforeWrite }: CommitOptions): Promise<CommitResult> {
    return this.run(async () => {
      checkCommit({ checks, writes })
      beforeWrite?.()
      const response = await this.transact(checks, writes)
      const revision = response.header?.revision ?? 0
      if (!response.succeeded) return { ok: false, revision, current: failedChecks(checks, response, (kv) => this.storedValue(kv)) }
      const changed = changedKeys(writes, response)
      if (changed.length > 0) await this.watches.delivered(revision, changed)
      return { ok: true, revision }
    })
  }

  watch(options: WatchOptions): Promise<{ stop(): void }> {
    return this.run(async () => {
      checkPrefix(options.prefix)
      // etcd accepts a watch from any revision: it reports a compacted one later, and makes one from the future wait.
      await this.connection.call(rangeCall, { key: "\0", revision: Math.max(options.afterRevision, 1), countOnly: true })
      this.checkOpen()
      return this.watches.watch(options)
    })
  }

  revision(): Promise<number> {
    return this.run(async () => {
      const revision = await this.readRevision()
      this.watches.reach(revision)
      return revision
    })
  }

  advanceWatches(revision: number): void {
    this.watches.bringTo(revision)
  }

  compact({ revision }: { revision: number }): Promise<void> {
    return this.run(async () => {
      try {
        await this.connection.call(compactCall, { revision })
      } catch (error) {
        // Another server was faster, or compacted further.
        if (!(error instanceof RpcError && isFault(error.fault, "compacted"))) throw error
      }
    })
  }

  acquireCompactionTurn(revision: number): Promise<boolean> {
    return this.run(async () => {
      const { taken, turn } = await takeTurnToCompact(this.connection, { turn: this.compactionTurn, revision })
      this.compactionTurn = turn
      return taken
    })
  }

  status(): Promise<StoreStatus> {
    return this.run(async () => {
      const { connection } = this
      const [status, keys, compacted, fault] = await Promise.all([
        connection.call(statusCall, {}),
        countKeys(connection, ""),
        compactedRevision(connection),
        this.alarm(),
      ])
      const revision = status.header?.revision ?? 0
      const base = { driver: "etcd", sizeBytes: status.dbSize, revision, compactedRevision: compacted, keys }
      return fault === undefined ? base : { ...base, fault }
    })
  }

  count({ prefix }: { prefix: string }): Promise<number> {
    return this.run(() => countKeys(this.connection, prefix))
  }

  async check({ timeoutMs }: { timeoutMs: number }): Promise<string | undefined> {
    try {
      return await this.run(async () => {
        await newestRevision(this.connection, { timeoutMs })
        return this.alarm(timeoutMs)
      })
    } catch (error) {
      if (error instanceof StoreError) return error.message
      throw error
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    this.watches.endAll(closedError())
    this.connection.close()
  }

  private checkOpen(): void {
    if (this.closed) throw closedError()
  }

  private storedValue(kv: KeyValue): StoredValue {
    return storedValueOf(kv, this.leases.expiresAtMs(kv.lease))
  }

  /**
   * A lease may be gone: revoked by another program, or expired while the write was on its way. Nothing was written
   * then.
   */
  private async transact(checks: readonly Check[], writes: readonly Write[]): Promise<TxnResponse> {
    const leases = await this.leasesOf(writes)
    try {
      return await this.send(transactionOf(checks, writes, leases))
    } catch (error) {
      if (leases.size === 0 || !(error instanceof RpcError) || !isFault(error.fault, "leaseNotFound")) throw error
      for (const id of leases.values()) this.leases.drop(id)
      return this.send(transactionOf(checks, writes, await this.leasesOf(writes)))
    }
  }

  /**
   * Throws RpcError when the transaction certainly did not happen, otherwise StoreError "undecided", also for a
   * transaction that closing this store interrupted.
   */
  private async send(transaction: ReturnType<typeof transactionOf>): Promise<TxnResponse> {
    try {
      return await this.connection.call(txnCall, transaction)
    } catch (error) {
      throw error instanceof RpcError && !isRefusal(error.fault) ? undecidedError(error.fault) : error
    }
  }

  private async leasesOf(writes: readonly Write[]): Promise<ReadonlyMap<string, number>> {
    const leases = new Map<string, number>()
    for (const write of writes) {
      if (write.type === "put" && write.ttlSeconds !== undefined) leases.set(write.key, await this.leases.leaseFor(write.ttlSeconds))
    }
    return leases
  }

  /** Why etcd refuses writes, as text. */
  private async alarm(timeoutMs?: number): Promise<string | undefined> {
    const { alarms } = await this.connection.call(alarmCall, {}, timeoutMs === undefined ? {} : { timeoutMs })
    if (alarms.some(({ alarm }) => alarm === alarmType.noSpace)) return alarmMessages.noSpace
    if (alarms.some(({ alarm }) => alarm === alarmType.corrupt)) return alarmMessages.corrupt
    return undefined
  }

  private async run<T>(work: () => Promise<T>): Promise<T> {
    this.checkOpen()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      this.checkOpen()
      throw await this.withRevision(storeErrorOf(error.fault))
    }
  }

  /**
   * Adds the revision at which the history begins or ends, which etcd does not send with the error. If etcd cannot be
   * asked, the error says that, and the caller may try again: without the revision, watches that begin in the remaining
   * history would be ended with the others.
   */
  private async withRevision(error: StoreError): Promise<StoreError> {
    const { connection } = this
    try {
      if (error.code === "compacted") return new StoreError("compacted", error.message, await compactedRevision(connection))
      if (error.code === "future") return new StoreError("future", error.message, await newestRevision(connection))
    } catch (failed) {
      if (!(failed instanceof RpcError)) throw failed
      return storeErrorOf(failed.fault)
    }
    return error
  }
}

function closedError(): StoreError {
  return new StoreError("closed", "the store has been closed")
}
