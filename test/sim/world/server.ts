/**
 * One server of the simulation: a complete API server in this process, without a network, that can be killed and
 * restarted.
 */
import { api } from "../../../generated/index.ts"
import { noDelays } from "../../../runtime/observability/loop-delay.ts"
import type { LoopMeasures } from "../../../runtime/observability/loop-measures.ts"
import { silentLog } from "../../../runtime/launch/logging.ts"
import type { BehaviourOptions } from "../../../runtime/schema/behaviour.ts"
import { defaultOptions } from "../../../runtime/options/load.ts"
import { type RunningServer, startServer } from "../../../runtime/server.ts"
import { fixedTls } from "../../../runtime/http/tls.ts"
import type { Store } from "../../../runtime/storage/store.ts"
import type { Clock } from "../../../runtime/base/clock.ts"
import type { MachineClock } from "./clock.ts"
import type { LoadedKinds } from "./kinds.ts"
import type { SeededRandom } from "./random.ts"
import { connectTo, type Wire } from "./wire.ts"

/**
 * A killed server stops nothing that it began. Measures of the real process's event loop would keep each server until
 * the process ends.
 */
const unmeasuredLoop: LoopMeasures = {
  meter: () => ({ take: () => noDelays, stop: () => undefined }),
  watch: () => () => undefined,
}

/** One process of a server, from start to end. */
export interface ServerProcess {
  readonly number: number
  /** The store's revision when the process started. */
  readonly startedAt: number
  alive: boolean
  running: RunningServer | undefined
  wire: Wire | undefined
  readonly kill: () => void
}

export interface SimServerOptions {
  readonly name: string
  /** The address that clients of a cluster would use. */
  readonly address: string
  readonly clock: MachineClock
  readonly random: SeededRandom
  readonly shared: boolean
  readonly loaded: LoadedKinds
  readonly garbageCollector?: boolean
  /** Opens its connection to the store, once per process. */
  readonly openStore: (life: ServerProcess, clock: Clock, random: SeededRandom) => Promise<Store>
  /** The newest revision of the store. */
  readonly revision: () => number
  /** Called when a process has ended. */
  readonly onDeath: () => void
  /** Called when a server has started, before its first request. */
  readonly onStart?: (running: RunningServer) => Promise<void>
}

export class SimServer {
  private life: ServerProcess | undefined
  private lives = 0
  readonly machine: MachineClock

  constructor(private readonly options: SimServerOptions) {
    this.machine = options.clock
  }

  get name(): string {
    return this.options.name
  }

  get isUp(): boolean {
    return this.life !== undefined
  }

  /** The store's revision when the process started; undefined while there is no process. */
  get startedAt(): number | undefined {
    return this.life?.startedAt
  }

  /** Undefined while it does not listen. */
  get wire(): Wire | undefined {
    return this.life?.wire
  }

  /** Undefined until it has started completely. */
  get running(): RunningServer | undefined {
    return this.life?.running
  }

  /** Starts a process, unless one is running. It listens a few turns later. */
  start(): void {
    if (this.life !== undefined) return
    const { clock, kill } = this.options.clock.process()
    const life: ServerProcess = {
      number: ++this.lives,
      startedAt: this.options.revision(),
      alive: true,
      running: undefined,
      wire: undefined,
      kill: () => {
        if (!life.alive) return
        life.alive = false
        this.life = undefined
        kill()
        life.wire?.cut()
        this.options.onDeath()
      },
    }
    this.life = life
    void this.begin(life, clock)
  }

  /** Like SIGKILL. */
  kill(): void {
    this.life?.kill()
  }

  private async begin(life: ServerProcess, clock: Clock): Promise<void> {
    const random = this.options.random.fork(`life ${life.number}`)
    try {
      const store = await this.options.openStore(life, clock, random)
      const running = await startServer(serverOptions(this.options, { store, clock, random, life }))
      if (!life.alive) return
      life.running = running
      await this.options.onStart?.(running)
    } catch {
      // The start failed; the caller starts it again.
      life.kill()
    }
  }
}

function serverOptions(
  { shared, address, loaded, garbageCollector = true }: SimServerOptions,
  { store, clock, random, life }: { store: Store; clock: Clock; random: SeededRandom; life: ServerProcess },
): Parameters<typeof startServer>[0] {
  return {
    options: {
      ...defaultOptions(),
      ...behaviourOptions,
      vendor: "orch",
      "bind-address": "127.0.0.1",
      "advertise-address": address,
      "authorization-mode": ["AlwaysAllow"],
      "anonymous-auth": false,
      // Checks read the stored values without the server.
      "storage-media-type": "application/json",
      "max-requests-inflight": 0,
      "max-mutating-requests-inflight": 0,
      "feature-gates": { WatchList: true },
      "store-compaction-interval": 60_000,
      "store-count-metric-poll-period": 0,
      "store-db-metric-poll-interval": 0,
      "enable-garbage-collector": garbageCollector,
    },
    store,
    clock,
    random,
    host: address,
    kinds: loaded.kinds,
    bodies: loaded.bodies,
    api,
    log: silentLog(),
    openapi: new Map(),
    tokens: [{ token: simToken, user: { name: "client", groups: ["system:masters"], extra: {} } }],
    tokenSecret: Buffer.from("a secret of simulations"),
    serving: fixedTls({ certificate: "", key: "" }),
    sharedStore: shared,
    loop: unmeasuredLoop,
    async listen({ app }) {
      if (life.alive) life.wire = connectTo(app)
      return { port: 6443, close: async () => life.wire?.cut() }
    },
  }
}

/** Ranges of services. */
export const behaviourOptions: BehaviourOptions = {
  "service-cluster-ip-range": ["10.0.0.0/24"],
  "service-node-port-range": { first: 30000, last: 30100 },
}

export const simToken = "sim-token"
