import fc from "fast-check"
import { expect } from "vitest"
import type { Store, Write } from "../../runtime/storage/store.ts"
import type { CacheLimits } from "../../runtime/storage/watch-cache/options.ts"
import { Gate, historyOf, record, settle, shown, thing, thingCodec } from "./cache-fixtures.ts"
import type { Recording } from "./cache-fixtures.ts"
import { lost } from "./cache-unreliable.ts"
import type { WatchCache } from "../../runtime/storage/watch-cache/watch-cache.ts"
import { expectGuarantees } from "./watch-guarantees.ts"
import type { HistoryWrite } from "./watch-guarantees.ts"
import type { CacheCases } from "./cache-cases.ts"

const keys = ["a/x", "a/y", "a/xx", "ab/x", "b/x", "b/\u{1F600}", "b/\uFFFD"].map((name) => `/registry/things/${name}`)
const other = "/registry/others/a/x"

/** One step of a random run. */
type Step =
  | { readonly do: "commit"; readonly keys: readonly string[]; readonly deletes: readonly boolean[] }
  | { readonly do: "watch"; readonly scope: number; readonly back: number }
  | { readonly do: "stop" }
  | { readonly do: "close"; readonly watcher: number }
  | { readonly do: "open"; readonly watcher: number }
  | { readonly do: "breathe" }
  | { readonly do: "lose" }
  | { readonly do: "restart" }
  | { readonly do: "pass"; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      keys: fc.uniqueArray(fc.constantFrom(...keys, other), { minLength: 1, maxLength: 3 }),
      deletes: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("watch" as const), scope: fc.nat({ max: 3 }), back: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "stop" as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("close" as const), watcher: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("open" as const), watcher: fc.nat({ max: 5 }) }) },
  { weight: 3, arbitrary: fc.constant({ do: "breathe" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "lose" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat({ max: 400_000 }) }) },
)

interface Scope {
  readonly prefix: string
  readonly exact?: boolean
  readonly covers: (key: string) => boolean
}

const everything: Scope = { prefix: "", covers: (key) => key.startsWith("/registry/things/") }
const scopes: readonly Scope[] = [
  everything,
  { prefix: "a/", covers: (key) => key.startsWith("/registry/things/a/") },
  { prefix: "b/", covers: (key) => key.startsWith("/registry/things/b/") },
  { prefix: "a/x", exact: true, covers: (key) => key === "/registry/things/a/x" },
]

const tight: Partial<CacheLimits> = {
  checkpointEvents: 4,
  checkpoints: 3,
  windowEvents: 5,
  windowBytes: 4000,
  slabBytes: 1024,
  regionBytes: 4096,
  fillPage: 2,
  pageEvents: 3,
  historyReadBytes: 100,
  pastEventBytes: 1000,
}

/**
 * Random runs: every watcher's events keep every guarantee, and every reachable state is the replay of the events up to
 * it.
 */
export const randomCases: CacheCases = {
  async "watches keep their guarantees during concurrent commits, pauses and lost connections"(context) {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const { open, place, store } = context
        const base = await store.revision()
        const start = (): WatchCache => open(tight)
        const caches = [start()]
        let things = caches[0]?.resource("things", thingCodec())
        if (things === undefined) throw new Error("a cache was opened")
        await things.ready
        const writes: HistoryWrite[] = []
        const watching: { recording: Recording; gate: Gate; scope: Scope; stopped: boolean }[] = []
        for (const each of steps) {
          if (each.do === "commit") writes.push(...(await commit(store, each)))
          else if (each.do === "breathe") await settle()
          else if (each.do === "lose") store.endWatches(lost())
          else if (each.do === "pass") place.clock.advance(each.ms)
          else if (each.do === "close") watching.at(-1 - each.watcher)?.gate.close()
          else if (each.do === "open") watching.at(-1 - each.watcher)?.gate.open()
          else if (each.do === "stop") {
            const stopped = watching.find((candidate) => !candidate.stopped)
            if (stopped !== undefined) {
              stopped.stopped = true
              stopped.recording.stop()
            }
          } else if (each.do === "restart") {
            const cache = start()
            caches.push(cache)
            // It fills while commits go on; until then the old cache is used.
            const restarted = cache.resource("things", thingCodec())
            void restarted.ready.then(() => {
              things = restarted
            })
          } else {
            const { covers, ...options } = scopes[each.scope] ?? everything
            const afterRevision = Math.max(base, things.revision() - each.back)
            const gate = new Gate()
            const recording = record(things, { ...options, afterRevision, gate })
            watching.push({ recording, gate, scope: { covers, ...options }, stopped: false })
          }
          for (const { recording } of watching) recording.mark()
        }
        for (const { gate } of watching) gate.open()
        for (let round = 0; round < 3; round++) {
          place.clock.advance(10_000)
          await settle()
        }
        const untilRevision = await store.revision()
        expect(things.revision()).toBe(untilRevision)
        for (const { recording } of watching) expect(recording.ends).toEqual([])
        const before = await startOf(store, base)
        expectGuarantees({
          writes: [...before, ...writes],
          watchers: watching.map(({ recording, scope, stopped }, index) =>
            historyOf(recording, { name: `${index} of ${scope.prefix}`, covers: scope.covers, ...(!stopped && { untilRevision }) }),
          ),
        })
        for (let revision = base; revision <= untilRevision; revision++) {
          expect(shown(await things.snapshotAt(revision)), `state at ${revision}`).toEqual(replay([...before, ...writes], revision))
        }
        for (const cache of caches) {
          for (const { matches } of await cache.verify()) expect(matches).toBe(true)
          await cache.close()
        }
      }),
      { numRuns: 60 },
    )
  },
}

async function commit(store: Store, step: Extract<Step, { do: "commit" }>): Promise<HistoryWrite[]> {
  const writes: Write[] = step.keys.map((key, index) =>
    step.deletes[index] === true ? { type: "delete", key } : { type: "put", key, value: thing(`${key} ${index}`) },
  )
  const existing = new Set<string>()
  for (const { key } of writes) if ((await store.get({ key })) !== undefined) existing.add(key)
  const { revision } = await store.commit({ checks: [], writes })
  return writes.filter((write) => write.type === "put" || existing.has(write.key)).map(({ key, type }) => ({ key, type, revision }))
}

/** The objects of earlier runs on the same store, as writes. */
async function startOf(store: Store, revision: number): Promise<HistoryWrite[]> {
  const { items } = await store.list({ prefix: "/registry/", revision })
  return items
    .map(({ key, modRevision }) => ({ type: "put" as const, key, revision: modRevision }))
    .sort((left, right) => left.revision - right.revision)
}

function replay(writes: readonly HistoryWrite[], upTo: number): string[] {
  const state = new Map<string, number>()
  for (const { key, revision, type } of writes) {
    if (revision > upTo || !key.startsWith("/registry/things/")) continue
    if (type === "put") state.set(key, revision)
    else state.delete(key)
  }
  return [...state]
    .sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map(([key, revision]) => `${key.slice("/registry/things/".length)}@${revision}`)
}
