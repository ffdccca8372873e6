/** Runs a plan in a world of its own, lets the world come to rest, and checks all guarantees. */
import { createHash } from "node:crypto"
import type { Clock } from "../../runtime/base/clock.ts"
import type { RunningServer } from "../../runtime/server.ts"
import type { ResourceCache } from "../../runtime/storage/cache.ts"
import { acknowledgedFaults, objectFaults } from "./check/objects.ts"
import { listFaults } from "./check/lists.ts"
import { watchFaults } from "./check/watches.ts"
import { answerFaults } from "./check/answers.ts"
import { customWatchFaults } from "./check/custom-watches.ts"
import { definitionFaults } from "./check/definitions.ts"
import { electionFaults } from "./check/elections.ts"
import { endingFaults } from "./check/endings.ts"
import { ownerFaults } from "./check/owners.ts"
import { serviceFaults } from "./check/services.ts"
import { subresourceFaults } from "./check/subresources.ts"
import { lateFaults } from "./check/times-to-live.ts"
import { Clients } from "./clients.ts"
import { createHistory, type DeliveryRecord, type History } from "./history.ts"
import { LifeClients } from "./lives/clients.ts"
import { createLifeHistory, type LifeHistory } from "./lives/history.ts"
import { home } from "./lives/steps.ts"
import type { Plan, Step } from "./plan.ts"
import { turns, turnsUntil } from "./world/turns.ts"
import { createWorld, type World } from "./world/world.ts"

/** A mistake planted into a server, to show that the simulation finds it. */
export interface Planted {
  /** Called with each server's cache of the objects before its first use. */
  readonly cache?: (cache: ResourceCache) => void
  /** Called with each server before its first use. */
  readonly server?: (running: RunningServer) => void
  /** Default: yes. */
  readonly garbageCollector?: boolean
  /** Replaces the clock of the driver of a shared store. */
  readonly driverClock?: (clock: Clock) => Clock
  /** Called once with the world. */
  readonly world?: (world: World) => void
}

export interface RunResult {
  /** Descriptions of violations; empty when all guarantees were kept. */
  readonly faults: readonly string[]
  /** Every step, answer and event, in order. */
  readonly trace: readonly string[]
  /** Equal for runs with the same course. */
  readonly fingerprint: string
  /** Counts of the run's acts and outcomes, so that a test can verify that it exercised something. */
  readonly counts: Readonly<Record<string, number>>
}

/** Number of turns after which all work that does not wait for the clock is done. */
const restTurns = 3000

/** Called with any plan. Never throws for an error of a server; throws for a bug of the harness. */
export async function run(plan: Plan, planted: Planted = {}): Promise<RunResult> {
  const trace: string[] = []
  const history = createHistory()
  const note = (text: string): void => void trace.push(text)
  const world = await createWorld({
    seed: plan.seed,
    driver: plan.driver,
    ...(planted.garbageCollector !== undefined && { garbageCollector: planted.garbageCollector }),
    ...(planted.driverClock !== undefined && { driverClock: planted.driverClock }),
    onStart: async (running, server) => {
      planted.server?.(running)
      const cache = await objectCache(running)
      planted.cache?.(cache)
      subscribeTo(cache, history, `cache of ${server.name}, ${history.deliveries.length}`)
    },
  })
  planted.world?.(world)
  const lifeHistory = createLifeHistory()
  const all = { clients: new Clients(world, history, note), lives: new LifeClients(world, history, lifeHistory, note) }
  for (const server of world.servers) server.start()
  await began(world, all.clients, ["sim", ...(plan.steps.some((step) => step.do === "life") ? [home] : [])])
  for (const step of plan.steps) {
    note(`- ${JSON.stringify(step)}`)
    if (step.do === "compact") {
      void world.compact(Math.max(1, world.truth.revision - step.back)).catch(() => undefined)
    } else await perform(world, all, step)
    await turns(1 + world.random.integer(10))
  }
  await settleWorld(world, all, history)
  const faults = [
    ...history.complaints.map(({ moment, text }) => `${text} (${moment})`),
    ...world.truth.faults,
    ...(world.disk?.breaches ?? []),
    ...acknowledgedFaults(history, world.truth),
    ...objectFaults(history, world.truth),
    ...listFaults(history, world.truth),
    ...watchFaults(history, world.truth),
    ...answerFaults(lifeHistory, world.truth.stored),
    ...customWatchFaults(lifeHistory, world.truth.stored, world.truth.revision),
    ...definitionFaults(lifeHistory, world.truth.stored),
    ...subresourceFaults(lifeHistory, world.truth.stored),
    ...endingFaults(lifeHistory, world.truth.stored),
    ...lateFaults(world.truth.stored, world),
    ...ownerFaults(lifeHistory, world.truth.stored),
    ...serviceFaults(world.truth.stored),
    ...electionFaults(lifeHistory),
  ]
  for (const server of world.servers) server.kill()
  return {
    faults,
    trace,
    fingerprint: createHash("sha256").update(trace.join("\n")).digest("hex").slice(0, 16),
    counts: { ...countsOf(history, world), ...countsOfLives(lifeHistory, world) },
  }
}

/** Waits until the servers are up and the namespaces exist. */
async function began(world: World, clients: Clients, namespaces: readonly string[]): Promise<void> {
  await upAgain(world)
  for (const name of namespaces) {
    await clients.expectSuccess(
      0,
      { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } },
      "creating a namespace at the beginning",
    )
  }
  await turnsUntil(() => world.quiet(), restTurns)
}

async function upAgain(world: World): Promise<void> {
  for (let round = 0; round < 20 && !world.servers.every((server) => server.running !== undefined); round++) {
    for (const server of world.servers) server.start()
    await turnsUntil(() => world.servers.every((server) => server.running !== undefined), 300)
    // A failed start is retried after a while.
    if (!world.servers.every((server) => server.running !== undefined)) world.clock.advance(1000)
  }
}

interface AllClients {
  readonly clients: Clients
  readonly lives: LifeClients
}

async function perform(world: World, { clients, lives }: AllClients, step: Exclude<Step, { do: "compact" }>): Promise<void> {
  switch (step.do) {
    case "create":
    case "put":
    case "patch":
    case "delete":
      return clients.write(step)
    case "twins":
      return clients.writePair(step)
    case "get":
      return clients.get(step)
    case "list":
      return clients.list(step)
    case "watch":
      return clients.watch(step)
    case "pause":
    case "unpause":
    case "leave":
      return clients.slot(step)
    case "life":
      lives.act(step.server, step.life)
      if (step.rival !== undefined) lives.act((step.server + 1) % world.servers.length, step.rival)
      return
    case "turns":
      return turns(step.count)
    case "pass":
      return world.clock.advance(step.milliseconds)
    default:
      return breakOrMend(world, step)
  }
}

type Fault = Exclude<
  Step,
  {
    do:
      | "create"
      | "put"
      | "patch"
      | "delete"
      | "twins"
      | "get"
      | "list"
      | "watch"
      | "pause"
      | "unpause"
      | "leave"
      | "life"
      | "turns"
      | "pass"
      | "compact"
  }
>

function breakOrMend(world: World, step: Fault): void {
  const { disk } = world
  switch (step.do) {
    case "start":
      return world.servers[step.server]?.start()
    case "kill":
      return world.servers[step.server]?.kill()
    case "cut":
      return world.cut(step.server)
    case "restore":
      return world.restore(step.server)
    case "answer-death":
      return world.dieAt(step.server, { at: "answer" })
    case "step-clock":
      return world.servers[step.server]?.machine.step(step.milliseconds)
    case "stall":
      return world.stall()
    case "resume":
      return world.resume()
    case "power-cut":
      return world.powerCut()
    case "write-death":
      return world.dieAt(0, { at: "write", writes: step.writes })
    case "flush-death":
      return world.dieAt(0, { at: step.when })
    case "fill-disk":
    case "free-disk":
      return world.fill(step.do === "fill-disk")
    case "fail-flush":
      if (disk !== undefined) disk.faults.failFlush = step.how
      return
  }
}

/**
 * Repairs everything, and requires the results of a healthy world: writes, equal lists, and caches equal to the store.
 */
async function settleWorld(world: World, { clients, lives }: AllClients, history: History): Promise<void> {
  world.heal()
  clients.unpauseAll()
  // A scheduled crash happens now.
  await turns(20)
  await upAgain(world)
  // Longer than any delay before a retry; in steps, since one retry may begin the next delay.
  for (let step = 0; step < 20; step++) {
    world.clock.advance(1000)
    await turns(20)
    await turnsUntil(() => clients.idle && lives.idle && world.quiet(), 200)
  }
  const complain = (text: string): void => void history.complaints.push({ moment: history.now(), text })
  if (!(await turnsUntil(() => clients.idle && lives.idle, restTurns)))
    complain("a request was never answered, though nothing is wrong any more")
  for (const [index, server] of world.servers.entries()) {
    const name = `last-${server.name}`
    clients.write({ do: "create", server: index, name, tag: name, label: "", condition: "none" })
    await turnsUntil(() => clients.idle, restTurns)
    if (!history.writes.some((write) => write.name === name && write.outcome.is === "done"))
      complain(`nothing is wrong any more, but ${server.name} takes no writes`)
    clients.list({ do: "list", server: index, freshness: "consistent", label: false, limit: 0, pause: 0 })
    await turnsUntil(() => clients.idle && world.quiet(), restTurns)
    await clients.expectSuccess(index, { method: "GET", path: "/readyz" }, `readiness of ${server.name}`)
  }
  await lives.settle()
  await turns(50)
  await verifyCaches(world, complain)
  await lives.verifyServed()
  clients.closeAll(world.truth.revision)
  await lives.outlive()
}

/** Invariant 11. */
async function verifyCaches(world: World, complain: (text: string) => void): Promise<void> {
  for (const server of world.servers) {
    for (const { resource, matches, revision } of (await server.running?.cache.verify()) ?? []) {
      if (!matches) complain(`the cache of ${resource} on ${server.name} is not the store's at ${revision}`)
    }
  }
}

async function objectCache(running: RunningServer): Promise<ResourceCache> {
  const { registry, kinds } = running.parts
  const kind = kinds.find("", "v1", "configmaps")
  if (kind === undefined) throw new Error("there is no kind of which the simulation makes objects")
  return (await registry.handle(kind)).cache
}

/** Subscribes to the cache itself, where deliveries are visible. */
function subscribeTo(cache: ResourceCache, history: History, id: string): void {
  const record: DeliveryRecord = { id, after: cache.revision(), deliveries: [] }
  history.deliveries.push(record)
  cache.subscribe({
    prefix: "sim/",
    afterRevision: record.after,
    onEvents: (events, revision) => {
      const told = events.map(({ type, revision: at, object }) => ({
        type,
        revision: at,
        name: object.key.slice(object.key.lastIndexOf("/") + 1),
      }))
      record.deliveries.push({ revision, events: told })
    },
    onEnd: () => undefined,
  })
}

function countsOf(history: History, world: World): Record<string, number> {
  const done = history.writes.filter(({ outcome }) => outcome.is === "done").length
  return {
    commits: world.truth.revision,
    writes: history.writes.length,
    done,
    unknown: history.writes.filter(({ outcome }) => outcome.is === "unknown").length,
    gets: history.gets.length,
    lists: history.lists.length,
    watches: history.watches.length,
    events: history.watches.reduce((count, { events }) => count + events.length, 0),
    bookmarks: history.watches.reduce((count, { events }) => count + events.filter(({ type }) => type === "BOOKMARK").length, 0),
    gone: history.watches.filter(({ state }) => state === "gone").length,
  }
}

/** Counts the successful requests of each kind. */
function countsOfLives({ calls, beliefs, watches }: LifeHistory, { truth }: World): Record<string, number> {
  const counts: Record<string, number> = { beliefs: beliefs.length }
  counts["events of definitions"] = watches.reduce((count, { events }) => count + events.length, 0)
  counts["watches ended by definitions"] = watches.filter(({ endedMs }) => endedMs !== undefined).length
  const ended = truth.stored.changes.filter(({ resource, object }) => resource === "events" && object === undefined).length
  // Expired events: events that no client deleted.
  counts["expired events"] = Math.max(0, ended - calls.filter(({ act, resource }) => act === "delete" && resource === "events").length)
  for (const { act, resource, status = 0 } of calls) {
    const name = `${act} ${resource}${status < 300 ? "" : ` ${status}`}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
