/** Store, servers, time and all their faults, under one seed. */
import type { Clock } from "../../../runtime/base/clock.ts"
import { type RunningServer } from "../../../runtime/server.ts"
import { openStoreOn } from "../../../runtime/storage/lmdb/lmdb-store.ts"
import { openMemoryStore } from "../../../runtime/storage/memory/memory-store.ts"
import { Truth } from "../truth.ts"
import { openSimBackend, type WorkerControl } from "./backend.ts"
import { createSimClock, type SimClock } from "./clock.ts"
import type { ConnectionControl } from "./connection.ts"
import { createDisk, type CrashPoint, type SimDisk } from "./disk.ts"
import { etcdHub } from "./etcd-hub.ts"
import { type ServerConnection, plainHub } from "./hub.ts"
import { type LoadedKinds, loadKinds } from "./kinds.ts"
import { createRandom, type SeededRandom } from "./random.ts"
import { SimServer } from "./server.ts"

/**
 * "lmdb": one server on the embedded store. "shared": two servers that reach one store over connections. "etcd": the
 * same, through the driver of etcd.
 */
export type Driver = "lmdb" | "shared" | "etcd"

export interface World {
  readonly driver: Driver
  readonly clock: SimClock
  readonly random: SeededRandom
  readonly servers: readonly SimServer[]
  readonly truth: Truth
  /** Time that a value may exist after its time to live; undefined where a clock that is stepped counts it. */
  readonly lateMs: number | undefined
  /** Moments at which times to live started again, on the clock that counts them. */
  readonly elections: readonly number[]
  /** The disk of the embedded store. */
  readonly disk: SimDisk | undefined
  /** The store answers nothing until `resume`. */
  stall(): void
  resume(): void
  /** One server sees the shared store without a leader. */
  cut(server: number): void
  restore(server: number): void
  /** Makes the store full, or ends that. */
  fill(full: boolean): void
  /** The server dies at the given point. */
  dieAt(server: number, moment: CrashPoint | { readonly at: "answer" }): void
  /** Drops everything that was not flushed; for a machine whose server has died. */
  powerCut(): void
  /** Removes all faults. */
  heal(): void
  /** No event is in transit from the store to a server. */
  quiet(): boolean
  /** Compacts the store, as an operator may. */
  compact(revision: number): Promise<void>
  /** The compacted revision, whichever server compacted. */
  compacted(): number
}

export interface WorldOptions {
  readonly seed: number
  readonly driver: Driver
  readonly onStart?: (running: RunningServer, server: SimServer) => Promise<void>
  /** Default: yes. */
  readonly garbageCollector?: boolean
  /** Replaces the clock of the driver of a shared store. */
  readonly driverClock?: (clock: Clock) => Clock
}

/** Called once per run. The caller starts the servers. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const loaded = await loadKinds()
  return options.driver === "lmdb" ? embedded(options, loaded) : await shared(options, loaded, options.driver)
}

function embedded({ seed, onStart, garbageCollector }: WorldOptions, loaded: LoadedKinds): World {
  const clock = createSimClock()
  const random = createRandom(seed, "world")
  const machine = clock.machine()
  const truth = new Truth(machine.shown)
  const stall = createStall()
  const disk = createDisk((image) => truth.readImage(image))
  let worker: WorkerControl | undefined
  let compacted = 0
  const onCompact = (revision: number): void => {
    compacted = Math.max(compacted, revision)
  }
  const server: SimServer = new SimServer({
    name: "a",
    address: "192.0.2.1",
    clock: machine,
    random: random.fork("a"),
    shared: false,
    loaded,
    ...(garbageCollector !== undefined && { garbageCollector }),
    openStore(life, processClock, lifeRandom) {
      const control: WorkerControl = { stalled: stall.over, dieAfterAnswer: false }
      worker = control
      const backend = { disk, random: lifeRandom.fork("disk"), control, onDeath: life.kill, alive: () => life.alive, onCompact }
      return openStoreOn(() => openSimBackend(backend), { dir: "/nowhere", clock: processClock })
    },
    revision: () => truth.revision,
    onDeath: () => undefined,
    onStart: async (running) => onStart?.(running, server),
  })
  return {
    driver: "lmdb",
    clock,
    random,
    servers: [server],
    truth,
    lateMs: undefined,
    elections: [],
    disk,
    stall: stall.begin,
    resume: stall.end,
    cut: () => undefined,
    restore: () => undefined,
    fill(full) {
      disk.faults.full = full
    },
    dieAt(_server, moment) {
      if (moment.at === "answer") {
        if (worker !== undefined) worker.dieAfterAnswer = true
      } else disk.faults.crash = moment
    },
    powerCut() {
      if (server.isUp) return
      disk.powerCut()
      truth.cutTo(disk.durable())
    },
    heal() {
      stall.end()
      Object.assign(disk.faults, { full: false, failFlush: undefined, crash: undefined })
      if (worker !== undefined) worker.dieAfterAnswer = false
    },
    quiet: () => true,
    compact: async (revision) => server.running?.parts.registry.deps.store.compact({ revision }),
    compacted: () => compacted,
  }
}

async function shared(options: WorldOptions, loaded: LoadedKinds, driver: "shared" | "etcd"): Promise<World> {
  const { seed, onStart, garbageCollector, driverClock = (clock) => clock } = options
  const clock = createSimClock()
  const random = createRandom(seed, "world")
  const machine = clock.machine()
  const truth = new Truth(machine.shown)
  const stall = createStall()
  const storeClock = machine.process().clock
  const store = await openMemoryStore({ clock: storeClock })
  let compacted = 0
  const compact = async ({ revision }: { revision: number }): Promise<void> => {
    await store.compact({ revision })
    compacted = Math.max(compacted, revision)
  }
  await store.watch({
    prefix: "",
    afterRevision: truth.revision,
    onEvents: (events, revision) => truth.readEvents(events, revision),
    onEnd: () => undefined,
  })
  const hub =
    driver === "shared" ? plainHub(store, compact) : await etcdHub(store, compact, { clock: storeClock, random: random.fork("etcd") })
  const lines: ServerConnection[] = []
  const controls: ConnectionControl[] = []
  const lost = new Set<number>()
  const election = random.fork("elections")
  const servers = ["a", "b"].map((name, index): SimServer => {
    const server: SimServer = new SimServer({
      name,
      address: `192.0.2.${index + 1}`,
      clock: clock.machine(),
      random: random.fork(name),
      shared: true,
      loaded,
      ...(garbageCollector !== undefined && { garbageCollector }),
      async openStore(life, processClock, lifeRandom) {
        const control = {
          stalled: stall.over,
          alive: () => life.alive,
          random: lifeRandom.fork("store"),
          dieAfterCommit: false,
          onDeath: life.kill,
        }
        const line = await hub.connect(control, driverClock(processClock))
        lines[index] = line
        controls[index] = control
        if (lost.has(index)) line.cut()
        return line.store
      },
      revision: () => truth.revision,
      onDeath: () => void lines[index]?.store.close(),
      onStart: async (running) => onStart?.(running, server),
    })
    return server
  })
  const elections: number[] = []
  /** The cluster has elected another leader, or the old one is reachable again. */
  function restore(index: number): void {
    if (lost.delete(index) && hub.elect !== undefined && election.integer(2) === 0) {
      hub.elect()
      elections.push(truth.stored.shown().ms)
    }
    lines[index]?.restore()
  }
  return {
    driver,
    clock,
    random,
    servers,
    truth,
    lateMs: hub.lateMs,
    elections,
    disk: undefined,
    stall: stall.begin,
    resume: stall.end,
    cut(index) {
      lost.add(index)
      lines[index]?.cut()
    },
    restore,
    fill: hub.fill,
    dieAt(index) {
      const control = controls[index]
      if (control !== undefined) control.dieAfterCommit = true
    },
    powerCut: () => undefined,
    heal() {
      stall.end()
      hub.fill(false)
      for (const index of servers.keys()) restore(index)
      for (const control of controls) control.dieAfterCommit = false
    },
    quiet: () => lines.every((line) => line.idle),
    compact: (revision) => compact({ revision }),
    compacted: () => compacted,
  }
}

interface Stall {
  begin(): void
  end(): void
  /** Undefined while nothing is stalled. */
  over(): Promise<void> | undefined
}

function createStall(): Stall {
  let over: Promise<void> | undefined
  let finish = (): void => undefined
  return {
    begin() {
      over ??= new Promise((resolve) => {
        finish = resolve
      })
    },
    end() {
      over = undefined
      finish()
    },
    over: () => over,
  }
}
