/**
 * One server's connection to the simulated etcd: calls and watches with delays, which break with the loss of the
 * leader.
 */
import type { Connection, WatchStream, WatchStreamEvents } from "../../../runtime/storage/etcd/connection.ts"
import { RpcError } from "../../../runtime/storage/etcd/connection.ts"
import type { RpcFault } from "../../../runtime/storage/etcd/failures.ts"
import type { Decoded, Encodable } from "../../../runtime/encoding/protobuf/message.ts"
import {
  type Call,
  eventType,
  statusCall,
  txnCall,
  type WatchRequest,
  watchRequest,
  watchResponse,
} from "../../../runtime/storage/etcd/protocol.ts"
import { StoreError, type StoreEvent } from "../../../runtime/storage/store.ts"
import type { ConnectionControl } from "./connection.ts"
import { isWithin, type SimEtcd, simFaults } from "./etcd.ts"
import { turns } from "./turns.ts"

type WatchResponseOut = Encodable<typeof watchResponse>

/** One server's connection. */
export class SimEtcdConnection implements Connection {
  private cutOff = false
  /** Incremented with every loss: calls that were waiting get an error. */
  private epoch = 0
  private readonly streams = new Set<SimWatchStream>()

  constructor(
    private readonly etcd: SimEtcd,
    private readonly control: ConnectionControl,
  ) {}

  /** The leader is lost: streams end, and every answer is an error until `restore`. */
  cut(): void {
    this.cutOff = true
    this.epoch++
    for (const stream of [...this.streams]) stream.end(simFaults.noLeader)
  }

  restore(): void {
    this.cutOff = false
  }

  /** Whether every response of etcd was delivered. */
  get idle(): boolean {
    return [...this.streams].every((stream) => stream.idle)
  }

  async call<Request, Response>(call: Call<Request, Response>, request: Request): Promise<Response> {
    const { epoch } = this
    const message = call.request.encode(request)
    await this.pause()
    if (this.cutOff || epoch !== this.epoch) throw new RpcError(simFaults.noLeader)
    const answer = await this.etcd.perform(call.path, message)
    if (call.path === txnCall.path && this.control.dieAfterCommit) {
      this.control.dieAfterCommit = false
      this.control.onDeath()
    }
    await this.pause()
    if (epoch !== this.epoch) throw new RpcError(simFaults.dropped)
    return call.response.decode(answer)
  }

  watch(events: WatchStreamEvents): WatchStream {
    const stream = new SimWatchStream(this.etcd, this.control, events, () => this.streams.delete(stream))
    if (this.cutOff) void this.pause().then(() => stream.end(simFaults.noLeader))
    else this.streams.add(stream)
    return {
      send: (request) => stream.send(request),
      version: async () => (await this.call(statusCall, {})).version,
      cancel: () => stream.stop(),
    }
  }

  close(): void {
    for (const stream of [...this.streams]) stream.stop()
  }

  private async pause(): Promise<void> {
    const { alive, random, stalled } = this.control
    await turns(random.integer(3))
    await stalled()
    if (!alive()) await new Promise<never>(() => undefined)
  }
}

/** One watch: etcd's responses in transit, in order. */
class SimWatchStream {
  private readonly waiting: WatchResponseOut[] = []
  private sending = false
  private over = false
  private watch: { stop(): void } | undefined
  /** Events carry previous values. */
  private previous = false

  constructor(
    private readonly etcd: SimEtcd,
    private readonly control: ConnectionControl,
    private readonly events: WatchStreamEvents,
    private readonly onOver: () => void,
  ) {}

  get idle(): boolean {
    return this.waiting.length === 0
  }

  send(request: WatchRequest): void {
    void this.take(watchRequest.decode(watchRequest.encode(request)))
  }

  end(fault: RpcFault): void {
    if (this.over) return
    this.stop()
    if (this.control.alive()) this.events.onEnd(fault)
  }

  stop(): void {
    this.over = true
    this.waiting.length = 0
    this.watch?.stop()
    this.onOver()
  }

  private async take({ create, progress }: Decoded<typeof watchRequest>): Promise<void> {
    await turns(this.control.random.integer(3))
    await this.control.stalled()
    if (this.over) return
    if (create !== undefined) await this.begin(create)
    // It is queued after the events that were sent before.
    else if (progress !== undefined) this.push({ header: { revision: await this.etcd.store.revision() } })
  }

  private async begin(range: NonNullable<Decoded<typeof watchRequest>["create"]>): Promise<void> {
    const { store } = this.etcd
    this.previous = range.prevKv
    const now = await store.revision()
    this.push({ header: { revision: now }, created: true })
    const afterRevision = range.startRevision === 0 ? now : Math.min(range.startRevision - 1, now)
    try {
      const watch = await store.watch({
        prefix: "",
        afterRevision,
        onEvents: (events) => {
          const told = events.filter(({ key, revision }) => isWithin(key, range) && revision >= range.startRevision)
          if (told.length > 0) this.tell(told)
        },
        onEnd: () => this.end(simFaults.noLeader),
      })
      if (this.over) watch.stop()
      else this.watch = watch
    } catch (error) {
      const { compactedRevision } = await store.status()
      if (!(error instanceof StoreError && error.code === "compacted")) throw error
      this.push({
        header: { revision: now },
        canceled: true,
        compactRevision: compactedRevision,
        cancelReason: simFaults.compacted.details,
      })
    }
  }

  /** The events of one revision may come in fragments. */
  private tell(told: readonly StoreEvent[]): void {
    const header = { revision: told.at(-1)?.revision ?? 0 }
    const events = told.map((event) => this.eventOf(event))
    const cut = events.length > 1 && this.control.random.chance(0.5) ? 1 + this.control.random.integer(events.length - 1) : 0
    if (cut > 0) this.push({ header, events: events.slice(0, cut), fragment: true })
    this.push({ header, events: events.slice(cut) })
  }

  private eventOf({ createRevision, key, previous, revision, type, value }: StoreEvent): NonNullable<WatchResponseOut["events"]>[number] {
    const before = previous === undefined || !this.previous ? {} : { prevKv: this.etcd.keyValue(previous) }
    if (type === "delete") return { type: eventType.delete, kv: { key, modRevision: revision }, ...before }
    return {
      type: eventType.put,
      kv: { key, createRevision, modRevision: revision, version: 1, ...(value !== undefined && { value }) },
      ...before,
    }
  }

  private push(response: WatchResponseOut): void {
    this.waiting.push(response)
    if (!this.sending) void this.deliver()
  }

  private async deliver(): Promise<void> {
    const { alive, random, stalled } = this.control
    this.sending = true
    while (this.waiting.length > 0) {
      await turns(1 + random.integer(4))
      await stalled()
      if (this.over || !alive()) return
      const [next] = this.waiting.splice(0, 1)
      if (next !== undefined) this.events.onResponse(watchResponse.decode(watchResponse.encode(next)))
    }
    this.sending = false
  }
}
