/** Servers for tests of `kettles.ts`: one, or two of one store, of which the second can be held behind. */
import { expect, vi } from "vitest"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { inProcessClient } from "../../runtime/client/in-process-client.ts"
import type { CollectionPlace, ObjectClient } from "../../runtime/schema/object-client.ts"
import { leaderLeaseName } from "../../runtime/controllers/leader-election.ts"
import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import type { Store, WatchOptions } from "../../runtime/storage/store.ts"
import { createManualClock } from "../contract/manual-clock.ts"
import { type InProcess, type InProcessOptions, startInProcess } from "./in-process.ts"
import { definition, definitions, group, kettles, name } from "./kettles.ts"

const leases: CollectionPlace = { group: "coordination.orch.io", version: "v1", resource: "leases", namespace: "orch-system" }

/** Waits for the direct effects of a change, also on a busy machine. */
export const eventually = <Result>(ask: () => Result | Promise<Result>): Promise<Result> => vi.waitFor(ask, { timeout: 8_000, interval: 5 })

export const kindIsServed = async (client: ObjectClient): Promise<void> => {
  await eventually(() => client.list(kettles))
}

/** The stored values, in the order of their keys. */
export async function storedKettles(store: Store): Promise<JsonObject[]> {
  const { items } = await store.list({ prefix: `/registry/${group}/kettles/` })
  return items.map(({ value }): JsonObject => JSON.parse(Buffer.from(value).toString()))
}

/** Replaces the spec of the definition, whatever its version. */
export const changeDefinition = (client: ObjectClient, next: ApiObject): Promise<ApiObject> =>
  client.patch({ ...definitions, name }, { spec: { ...(next.spec as JsonObject) } }) // It is an object.

/** A server, and its client in its process. */
export interface KettleServer {
  readonly at: InProcess
  readonly client: ObjectClient
}

/** Two servers of one store. */
export interface Pair {
  /** Runs the controllers. */
  readonly one: ObjectClient
  /** Receives changes late while `late` holds them. */
  readonly other: ObjectClient
  readonly late: LateEvents
  readonly store: Store
}

/** The servers of one test file. */
export class KettleServers {
  private readonly running: InProcess[] = []
  private late: LateEvents | undefined

  async start(options: Partial<InProcessOptions> = {}): Promise<KettleServer> {
    const at = await startInProcess({ store: "memory", vendor: "orch", garbageCollector: false, ...options })
    this.running.push(at)
    return { at, client: inProcessClient(at.server.parts, { name: "admin", groups: ["system:masters"], extra: {} }) }
  }

  /** Both serve the definition when this resolves. `options`: of the second server. */
  async startPair(defined: ApiObject = definition(), options: Partial<InProcessOptions> = {}): Promise<Pair> {
    const store = await openMemoryStore({ clock: createManualClock() })
    const late = new LateEvents(store)
    this.late = late
    const { at, client: one } = await this.start({ sharedStore: true, wrapStore: new LateEvents(store).view })
    // The first server runs the controllers; it tries again once the namespace of the Lease exists.
    await eventually(async () => {
      at.clock.advance(1000)
      expect((await one.list(leases)).items).toContainEqual(
        expect.objectContaining({ metadata: expect.objectContaining({ name: leaderLeaseName }) }),
      )
    })
    const { client: other } = await this.start({ ...options, sharedStore: true, wrapStore: late.view })
    await one.create(definitions, defined)
    await kindIsServed(one)
    await kindIsServed(other)
    return { one, other, late, store }
  }

  /** Called after each test. */
  async stop(): Promise<void> {
    // A server does not stop while a request waits for its events.
    this.late?.release()
    await Promise.all(this.running.splice(0).map((server) => server.stop()))
  }
}

/** A store whose events can be held back, as on a server that is behind. */
export class LateEvents {
  /** Commits that the store refused while events were held back. */
  refused = 0
  /** How often the server has asked for the newest revision while events were held back. */
  asked = 0
  private held: (() => void)[] | undefined

  constructor(private readonly store: Store) {}

  hold(): void {
    this.held = []
  }

  release(): void {
    const { held = [] } = this
    this.held = undefined
    for (const deliver of held) deliver()
  }

  readonly view = (): Store =>
    new Proxy(this.store, {
      get: (target, property) => {
        if (property === "watch") return (options: WatchOptions) => target.watch({ ...options, onEvents: this.later(options) })
        if (property === "commit") return (options: Parameters<Store["commit"]>[0]) => this.commit(options)
        if (property === "revision") return () => this.revision()
        // As on etcd, a write first uses the cached object.
        if (property === "revisionNeedsRoundTrip") return true
        if (property === "close") return async () => undefined
        const value: unknown = Reflect.get(target, property, target)
        return typeof value === "function" ? value.bind(target) : value
      },
    })

  private later(options: WatchOptions): WatchOptions["onEvents"] {
    return (events, revision) => {
      if (this.held === undefined) options.onEvents(events, revision)
      else this.held.push(() => options.onEvents(events, revision))
    }
  }

  private revision(): ReturnType<Store["revision"]> {
    if (this.held !== undefined) this.asked++
    return this.store.revision()
  }

  private async commit(options: Parameters<Store["commit"]>[0]): ReturnType<Store["commit"]> {
    const result = await this.store.commit(options)
    if (!result.ok && this.held !== undefined) this.refused++
    return result
  }
}
