/** Mistakes about the lives of objects, one each, planted into a sound server where it commits: the simulation must find every one of them. */
import { type ApiObject, isObject } from "../../../runtime/kit/json.ts"
import type { RunningServer } from "../../../runtime/server.ts"
import type { Store, Write } from "../../../runtime/storage/store.ts"
import { holder } from "../lives/clients.ts"
import type { Planted } from "../run.ts"
import type { Driver } from "../world/world.ts"

/** Nobody asks whether there is a namespace, or waits for what is being made in one that goes. */
const noNamespaceLifecycle: Planted = {
  server({ parts: { registry } }) {
    Object.assign(registry.deps, { admission: [] })
    Object.assign(registry.creations, { settled: async () => undefined })
  },
}

const finalizerPassedOver = onWrite((write, object) =>
  object.metadata?.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(holder) === true
    ? { type: "delete", key: write.key }
    : write,
)

/** As a collector does that looks for owners in a cache that lags. */
const livingOwnersDependent = afterWrite(({ metadata }) => metadata?.ownerReferences !== undefined)

const dependentForgotten: Planted = { garbageCollector: false }

/** An owner that was to let its dependents live goes before these know. */
const ownerGoneTooEarly = afterWrite(
  ({ metadata }) => metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes("orphan") === true,
)

/** Ranges are written by whoever comes last. */
const numberGivenTwice = withoutChecksOf("/registry/ranges/")

/** Leases too. */
const twoLeaders = withoutChecksOf("/registry/leases/")

const timeCutShort = onWrite((write) => (write.ttlSeconds === undefined ? write : { ...write, ttlSeconds: write.ttlSeconds / 2 }))

/** A lease is used for as long as etcd has it. */
const leaseOfAnyAge: Planted = { driverClock: (clock) => ({ ...clock, nowMs: () => 0, elapsedMs: () => 0 }) }

/** How old a lease is, is read off a clock that somebody may put back. */
const leaseByTheWall: Planted = { driverClock: (clock) => ({ ...clock, elapsedMs: clock.nowMs }) }

/** A lease is asked for that lasts for much longer, to be used for longer. */
const timeStretched = onWrite((write) => (write.ttlSeconds === undefined ? write : { ...write, ttlSeconds: write.ttlSeconds * 1.1 }))

/** Whoever writes an object forgets whose its fields are. */
const fieldsOfNobody = onWrite((write, object) => {
  if (!isObject(object.data) || object.data.shared === undefined) return write
  const { managedFields: _managedFields, ...metadata } = object.metadata ?? {}
  return { ...write, value: Buffer.from(JSON.stringify({ ...object, metadata })) }
})

const deletionNotDone: Planted = {
  server: (running) =>
    wrapCommit(running, (commit, { checks, writes }) =>
      commit({ checks, writes: writes.filter(({ type, key }) => type !== "delete" || !key.startsWith("/registry/configmaps/home/")) }),
    ),
}

export interface LifeMistake {
  /** Default: "shared". */
  readonly driver?: Driver
  /** The theme of plans that can show it. */
  readonly about: string
  readonly planted: Planted
  /** The promise that it breaks. */
  readonly foundAs: RegExp
}

export const lifeMistakes: Readonly<Record<string, LifeMistake>> = {
  "an object made behind its namespace": {
    about: "namespaces",
    planted: noNamespaceLifecycle,
    foundAs: /^endings: .* (was made in|was asked for when) /,
  },
  "a finalizer passed over": {
    about: "holds",
    planted: finalizerPassedOver,
    foundAs: /^endings: .* was removed (although nobody let it go|at once)/,
  },
  "a dependent collected though its owner lives": {
    about: "owners",
    planted: livingOwnersDependent,
    foundAs: /^endings: .* ended without a reason/,
  },
  "a dependent forgotten": { about: "owners", planted: dependentForgotten, foundAs: /still there without any of its owners/ },
  "an owner gone before it let go": { about: "owners", planted: ownerGoneTooEarly, foundAs: /^owners: / },
  "a number given twice": { about: "services", planted: numberGivenTwice, foundAs: /^services: / },
  "an event gone early": { about: "events", planted: timeCutShort, foundAs: /^endings: events .* ended without a reason/ },
  "an event gone early by an old lease": {
    driver: "etcd",
    about: "events",
    planted: leaseOfAnyAge,
    foundAs: /^endings: events .* ended without a reason/,
  },
  "an event gone early by a clock put back": {
    driver: "etcd",
    about: "clocks",
    planted: leaseByTheWall,
    foundAs: /^endings: events .* ended without a reason/,
  },
  "an event gone late": { driver: "etcd", about: "events", planted: timeStretched, foundAs: /^times to live: events / },
  "two leaders": { about: "elections", planted: twoLeaders, foundAs: /^elections: / },
  "a field that nobody owns": { about: "patches", planted: fieldsOfNobody, foundAs: /^answers: .* does not own what it applied/ },
  "a deletion acknowledged and not done": { about: "holds", planted: deletionNotDone, foundAs: /^answers: delete .* never going/ },
}

type Commit = Store["commit"]
type Put = Extract<Write, { type: "put" }>

function wrapCommit({ parts }: RunningServer, wrapped: (commit: Commit, options: Parameters<Commit>[0]) => ReturnType<Commit>): void {
  const { store } = parts.registry.deps
  const commit = store.commit.bind(store)
  Object.assign(store, { commit: (options: Parameters<Commit>[0]) => wrapped(commit, options) })
}

/** Puts something else, or deletes, in place of what was to be put. */
function onWrite(change: (write: Put, object: ApiObject) => Write): Planted {
  return {
    server: (running) =>
      wrapCommit(running, (commit, { checks, writes }) =>
        commit({ checks, writes: writes.map((write) => (write.type === "put" ? change(write, objectOf(write)) : write)) }),
      ),
  }
}

/** Deletes what was put, for every third object of this kind. */
function afterWrite(concerns: (object: ApiObject) => boolean): Planted {
  let count = 0
  return {
    server: (running) =>
      wrapCommit(running, async (commit, options) => {
        const result = await commit(options)
        for (const write of options.writes)
          if (result.ok && write.type === "put" && concerns(objectOf(write)) && count++ % 3 === 0)
            void commit({ checks: [], writes: [{ type: "delete", key: write.key }] }).catch(() => undefined)
        return result
      }),
  }
}

function withoutChecksOf(prefix: string): Planted {
  return {
    server: (running) =>
      wrapCommit(running, (commit, { checks, writes }) => commit({ checks: checks.filter(({ key }) => !key.startsWith(prefix)), writes })),
  }
}

/** Of values that are stored as JSON; nothing of others. */
function objectOf({ value }: Put): ApiObject {
  const text = Buffer.from(value).toString()
  return text.startsWith("{") ? JSON.parse(text) : {}
}
