/**
 * etcd as the driver sees it, over a store in memory: transactions, ranges, watches with progress, compaction, leases
 * and alarms, with etcd's own error codes and messages. Requests and answers pass through the driver's own encoding in
 * both directions.
 */
import { status } from "@grpc/grpc-js"
import type { Clock } from "../../../runtime/base/clock.ts"
import { RpcError } from "../../../runtime/storage/etcd/connection.ts"
import type { RpcFault } from "../../../runtime/storage/etcd/failures.ts"
import type { Decoded, Encodable } from "../../../runtime/encoding/protobuf/message.ts"
import {
  alarmCall,
  alarmType,
  compactCall,
  compareTarget,
  leaseGrantCall,
  leaseTimeToLiveCall,
  rangeCall,
  statusCall,
  txnCall,
} from "../../../runtime/storage/etcd/protocol.ts"
import { leastKey } from "../../../runtime/storage/etcd/ranges.ts"
import { compareBytes } from "../../../runtime/base/byte-order.ts"
import { type Check, type Store, StoreError, type StoredValue, type StoreEvent, type Write } from "../../../runtime/storage/store.ts"
import { SimLeases } from "./etcd-leases.ts"

type RangeRequest = Decoded<typeof rangeCall.request>
type TxnRequest = Decoded<typeof txnCall.request>
type RequestOperation = TxnRequest["success"][number]
type KeyValueOut = NonNullable<NonNullable<Encodable<typeof rangeCall.response>["kvs"]>[number]>

/** The cluster that all servers use. Created once per world; `compact` is called for every compaction. */
export class SimEtcd {
  /** Out of space: puts fail until it is cleared. */
  full = false
  private readonly leases: SimLeases
  /** Number of puts of each key since its creation. */
  private readonly versions = new Map<string, number>()
  private deleted: { revision: number; keys: Set<string> } = { revision: 0, keys: new Set() }

  constructor(
    readonly store: Store,
    readonly version: string,
    private readonly compact: Store["compact"],
    /** The clock of etcd's machine. */
    clock: Clock,
  ) {
    this.leases = new SimLeases(clock, (keys) => void store.commit({ checks: [], writes: keys.map((key) => ({ type: "delete", key })) }))
  }

  /** Called once, before the first connection. */
  async open(): Promise<void> {
    const onEvents = (events: readonly StoreEvent[]): void => events.forEach((event) => this.learn(event))
    await this.store.watch({ prefix: "", afterRevision: await this.store.revision(), onEvents, onEnd: () => undefined })
  }

  /** The cluster has elected another leader. */
  elected(): void {
    this.leases.beginAnew()
  }

  /** Executes one call with an encoded request; resolves with the encoded response. Throws RpcError. */
  async perform(path: string, request: Buffer): Promise<Buffer> {
    switch (path) {
      case rangeCall.path:
        return rangeCall.response.encode(await this.range(rangeCall.request.decode(request)))
      case txnCall.path:
        return txnCall.response.encode(await this.transact(txnCall.request.decode(request)))
      case compactCall.path:
        return compactCall.response.encode(await this.forget(compactCall.request.decode(request).revision))
      case statusCall.path: {
        const header = { revision: await this.store.revision() }
        return statusCall.response.encode({ header, version: this.version, dbSize: 4096, leader: 1 })
      }
      case alarmCall.path:
        return alarmCall.response.encode({ alarms: this.full ? [{ alarm: alarmType.noSpace }] : [] })
      case leaseGrantCall.path:
        return leaseGrantCall.response.encode(this.grant(leaseGrantCall.request.decode(request)))
      case leaseTimeToLiveCall.path: {
        const { id } = leaseTimeToLiveCall.request.decode(request)
        return leaseTimeToLiveCall.response.encode({ ttl: this.leases.secondsLeft(Number(id)) })
      }
      default:
        throw new Error(`the simulated etcd has no ${path}`)
    }
  }

  /** A key in etcd's form. */
  keyValue({ key, createRevision, modRevision, value }: StoredValue): KeyValueOut {
    return { key, createRevision, modRevision, version: this.versions.get(key) ?? 1, value, lease: this.leases.of(key) }
  }

  private learn({ key, revision, type }: StoreEvent): void {
    if (type === "put") {
      this.versions.set(key, (this.versions.get(key) ?? 0) + 1)
      return
    }
    this.versions.delete(key)
    this.leases.detach(key)
    if (this.deleted.revision !== revision) this.deleted = { revision, keys: new Set() }
    this.deleted.keys.add(key)
  }

  private async range(request: RangeRequest, at = request.revision): Promise<Encodable<typeof rangeCall.response>> {
    try {
      const revision = await this.store.revision()
      const found = await this.found(request, at === 0 ? revision : at)
      const { countOnly, limit } = request
      const shown = countOnly ? [] : found.slice(0, limit === 0 ? found.length : limit)
      return {
        header: { revision },
        kvs: shown.map((item) => this.keyValue(item)),
        more: !countOnly && shown.length < found.length,
        count: found.length,
      }
    } catch (error) {
      throw rpcErrorOf(error)
    }
  }

  private async found({ key, rangeEnd }: RangeRequest, revision: number): Promise<readonly StoredValue[]> {
    if (rangeEnd !== "") {
      const { items } = await this.store.list({ prefix: "", revision })
      return items.filter((item) => isWithin(item.key, { key, rangeEnd }))
    }
    const item = await this.store.get({ key, revision })
    return item === undefined ? [] : [item]
  }

  private async transact({ compare, failure, success }: TxnRequest): Promise<Encodable<typeof txnCall.response>> {
    if (this.full && success.some(({ put }) => put !== undefined)) throw new RpcError(simFaults.noSpace)
    const checks: Check[] = []
    for (const { key, modRevision, target, version } of compare) {
      const isVersion = target === compareTarget.version
      if (isVersion && (this.versions.get(key) ?? 0) !== version) return this.refused(failure, await this.store.revision())
      const held = isVersion ? ((await this.store.get({ key }))?.modRevision ?? 0) : modRevision
      checks.push({ key, modRevision: held })
    }
    const result = await this.store.commit({ checks, writes: success.map((operation) => this.writeOf(operation)) })
    if (!result.ok) return this.refused(failure, result.revision)
    for (const { put } of success) if (put !== undefined) this.leases.attach(put.key, put.lease)
    const { deleted } = this
    const wasThere = (key: string): boolean => deleted.revision === result.revision && deleted.keys.has(key)
    const responses = success.map(({ deleteRange }) =>
      deleteRange === undefined ? {} : { deleteRange: { deleted: wasThere(deleteRange.key) ? 1 : 0 } },
    )
    return { header: { revision: result.revision }, succeeded: true, responses }
  }

  private writeOf({ deleteRange, put }: RequestOperation): Write {
    if (deleteRange !== undefined) return { type: "delete", key: deleteRange.key }
    if (put === undefined) throw new Error("the simulated etcd writes only by put and delete")
    const { key, lease, value } = put
    if (lease !== 0 && !this.leases.has(lease)) throw new RpcError(simFaults.leaseNotFound)
    return { type: "put", key, value }
  }

  /** Leases need disk space too. */
  private grant({ id, ttl }: Decoded<typeof leaseGrantCall.request>): Encodable<typeof leaseGrantCall.response> {
    if (this.full) throw new RpcError(simFaults.noSpace)
    if (this.leases.has(id)) throw new RpcError(simFaults.leaseExists)
    return { id, ttl: this.leases.grant(id, ttl) }
  }

  private async refused(failure: TxnRequest["failure"], revision: number): Promise<Encodable<typeof txnCall.response>> {
    const ranges = failure.flatMap(({ range }) => (range === undefined ? [] : [range]))
    const responses = await Promise.all(ranges.map(async (range) => ({ range: await this.range(range, revision) })))
    return { header: { revision }, succeeded: false, responses }
  }

  private async forget(revision: number): Promise<Encodable<typeof compactCall.response>> {
    const { compactedRevision } = await this.store.status()
    if (revision <= compactedRevision) throw new RpcError(simFaults.compacted)
    try {
      await this.compact({ revision })
    } catch (error) {
      throw rpcErrorOf(error)
    }
    return { header: { revision: await this.store.revision() } }
  }
}

/** Whether a request for a key, or for a range of keys, includes this one. */
export function isWithin(key: string, range: { readonly key: string; readonly rangeEnd: string }): boolean {
  if (range.rangeEnd === "") return key === range.key
  return compareBytes(key, range.key) >= 0 && (range.rangeEnd === leastKey || compareBytes(key, range.rangeEnd) < 0)
}

/** etcd's error codes and messages. */
export const simFaults = {
  noLeader: { code: status.UNAVAILABLE, details: "etcdserver: no leader" },
  /** The request may have been executed. */
  dropped: { code: status.UNAVAILABLE, details: "Connection dropped" },
  noSpace: { code: status.RESOURCE_EXHAUSTED, details: "etcdserver: mvcc: database space exceeded" },
  leaseExists: { code: status.FAILED_PRECONDITION, details: "etcdserver: lease already exists" },
  leaseNotFound: { code: status.NOT_FOUND, details: "etcdserver: requested lease not found" },
  compacted: { code: status.OUT_OF_RANGE, details: "etcdserver: mvcc: required revision has been compacted" },
  future: { code: status.OUT_OF_RANGE, details: "etcdserver: mvcc: required revision is a future revision" },
} as const satisfies Readonly<Record<string, RpcFault>>

function rpcErrorOf(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.code === "compacted") return new RpcError(simFaults.compacted)
  return error.code === "future" ? new RpcError(simFaults.future) : error
}
