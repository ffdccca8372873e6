/**
 * Mistakes about the lifecycles of objects, each planted into a correct server at its commits: the simulation must find
 * every one.
 */
import { AdmissionChain } from "../../../runtime/admission/chain.ts"
import { systemClock } from "../../../runtime/base/clock.ts"
import { type ApiObject, isObject } from "../../../runtime/base/json.ts"
import type { Kind } from "../../../runtime/schema/kind.ts"
import type { RunningServer } from "../../../runtime/server.ts"
import type { Store, StoredValue, StoreListOptions, Write } from "../../../runtime/storage/store.ts"
import { holder } from "../lives/clients.ts"
import type { Planted } from "../run.ts"
import type { Driver } from "../world/world.ts"

/** Creates do not check their namespace, and the deletion of a namespace does not wait for creates in progress. */
const noAdmission = new AdmissionChain([], { clock: systemClock, timeoutMs: 0 })
const noNamespaceLifecycle: Planted = {
  server({ parts: { registry } }) {
    Object.assign(registry.deps, { admission: noAdmission })
    Object.assign(registry.creations, { drained: async () => undefined })
  },
}

const finalizerPassedOver = onWrite((write, object) =>
  object.metadata?.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(holder) === true
    ? { type: "delete", key: write.key }
    : write,
)

/** A garbage collector that looks for owners in a lagging cache. */
const livingOwnersDependent = afterWrite(({ metadata }) => metadata?.ownerReferences !== undefined)

const dependentForgotten: Planted = { garbageCollector: false }

/** An owner with orphaning is removed before its dependents dropped their references. */
const ownerGoneTooEarly = afterWrite(
  ({ metadata }) => metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes("orphan") === true,
  1,
)

/** The last writer of a range wins. */
const numberGivenTwice = withoutChecksOf("/registry/ranges/")

/** The last writer of a Lease wins. */
const twoLeaders = withoutChecksOf("/registry/leases/")

const timeCutShort = onWrite((write) => (write.ttlSeconds === undefined ? write : { ...write, ttlSeconds: write.ttlSeconds / 2 }))

/** A lease is reused for as long as etcd keeps it. */
const leaseOfAnyAge: Planted = { driverClock: (clock) => ({ ...clock, nowMs: () => 0, elapsedMs: () => 0 }) }

/** The age of a lease is measured by a clock that may be set back. */
const leaseByTheWall: Planted = { driverClock: (clock) => ({ ...clock, elapsedMs: clock.nowMs }) }

/** Time limits of watches are moments of a clock that may be set. */
const watchByTheWall: Planted = {
  server({ parts }) {
    const { clock } = parts
    const wall = { ...clock, elapsedMs: () => clock.nowMs() }
    Object.assign(parts, { clock: wall })
    Object.assign(parts.watches, { clock: wall })
  },
}

/** Requests leases that last much longer, and reuses them for longer. */
const timeStretched = onWrite((write) => (write.ttlSeconds === undefined ? write : { ...write, ttlSeconds: write.ttlSeconds * 1.1 }))

/** Every write drops the object's managedFields. */
const fieldsOfNobody = onWrite((write, object) => {
  if (!isObject(object.data) || object.data.shared === undefined) return write
  const { managedFields: _managedFields, ...metadata } = object.metadata ?? {}
  return { ...write, value: Buffer.from(JSON.stringify({ ...object, metadata })) }
})

const customKeys = "/registry/sim.example.org/"
const definitionKeys = "/registry/apiextensions.orch.io/customresourcedefinitions/"

/** A write of a custom object does not compare its definition. */
const definitionNotCompared = withoutChecksOf(definitionKeys)

/** The objects of a definition are not removed. */
const definitionNotEmptied: Planted = {
  server: (running) =>
    wrapCommit(running, (commit, { checks, writes }) =>
      commit({ checks, writes: writes.filter(({ type, key }) => type !== "delete" || !key.startsWith(customKeys)) }),
    ),
}

/** A changed definition ends no watches. */
const watchesLiveOn: Planted = {
  server({ parts: { registry } }) {
    const release = registry.release.bind(registry)
    Object.assign(registry, { release: (kinds: Parameters<typeof release>[0]) => release(kinds) })
  },
}

const storedVersionsForgotten = onWrite((write, object) => {
  if (object.kind !== "CustomResourceDefinition" || !isObject(object.status)) return write
  const storedVersions = Array.isArray(object.status.storedVersions) ? object.status.storedVersions.slice(0, 1) : []
  return { ...write, value: Buffer.from(JSON.stringify({ ...object, status: { ...object.status, storedVersions } })) }
})

/** The garbage collector treats the objects of a removed definition as removed owners. */
const ownersTakenForGone = withListsOf(customKeys, () => [])

/** The kinds of definitions, changed before they are served. */
function onKinds(change: (kind: Kind) => Kind): Planted {
  return {
    server({ parts: { kinds } }) {
      const replace = kinds.replace.bind(kinds)
      Object.assign(kinds, { replace: (before: readonly Kind[], next: readonly Kind[]) => replace(before, next.map(change)) })
    },
  }
}

const statusWithTheObject = onKinds((kind) => ({ ...kind, rules: { ...kind.rules, updateKeeps: [], createDrops: [] } }))

const objectWithTheStatus = onKinds((kind) => ({
  ...kind,
  subresources: kind.subresources.map((one) => (one.type === "status" ? { ...one, keeps: [] } : one)),
}))

const scaleElsewhere = onKinds((kind) => ({
  ...kind,
  subresources: kind.subresources.map((one) =>
    one.scale === undefined ? one : { ...one, scale: { ...one.scale, specReplicas: "status.replicas" } },
  ),
}))

const generationNotCounted = onWrite((write, object) => {
  if (!write.key.startsWith(customKeys)) return write
  return { ...write, value: Buffer.from(JSON.stringify({ ...object, metadata: { ...object.metadata, generation: 1 } })) }
})

/** A change of version goes through the storage version, and loses fields that the storage version lacks. */
const readThroughStorageVersion: Planted = {
  server({ parts: { kinds } }) {
    const load = kinds.load.bind(kinds)
    const without = async (kind: Kind): ReturnType<typeof load> => {
      const { convert: _convert, ...parts } = await load(kind)
      const same = (object: ApiObject): ApiObject => object
      return kind.custom === undefined || kinds.stored(kind) === kind ? parts : { ...parts, toStored: same, fromStored: same }
    }
    Object.assign(kinds, { load: (kind: Kind) => (kind.custom === undefined ? load(kind) : without(kind)) })
  },
}

const deletionNotDone: Planted = {
  server: (running) =>
    wrapCommit(running, (commit, { checks, writes }) =>
      commit({ checks, writes: writes.filter(({ type, key }) => type !== "delete" || !key.startsWith("/registry/configmaps/home/")) }),
    ),
}

export interface LifeMistake {
  /** Default: "shared". */
  readonly driver?: Driver
  /** The theme of plans that can reveal it. */
  readonly about: string
  readonly planted: Planted
  /** The check that finds it. */
  readonly foundAs: RegExp
}

export const lifeMistakes: Readonly<Record<string, LifeMistake>> = {
  "an object created after its namespace": {
    about: "namespaces",
    planted: noNamespaceLifecycle,
    foundAs: /^endings: .* (was made in|was asked for when) /,
  },
  "a finalizer ignored": {
    about: "holds",
    planted: finalizerPassedOver,
    foundAs: /^endings: .* was removed (although nobody let it go|at once)/,
  },
  "a dependent collected although its owner exists": {
    about: "owners",
    planted: livingOwnersDependent,
    foundAs: /^endings: .* ended without a reason/,
  },
  "a dependent never collected": { about: "owners", planted: dependentForgotten, foundAs: /still there without any of its owners/ },
  "an owner removed before it released its dependents": { about: "owners", planted: ownerGoneTooEarly, foundAs: /^owners: / },
  "a number allocated twice": { about: "services", planted: numberGivenTwice, foundAs: /^services: / },
  "an event expired early": { about: "events", planted: timeCutShort, foundAs: /^endings: events .* ended without a reason/ },
  "an event expired early by an old lease": {
    driver: "etcd",
    about: "events",
    planted: leaseOfAnyAge,
    foundAs: /^endings: events .* ended without a reason/,
  },
  "an event expired early by a clock that was set back": {
    driver: "etcd",
    about: "clocks",
    planted: leaseByTheWall,
    foundAs: /^endings: events .* ended without a reason/,
  },
  "a watch ended by a clock that was set": { about: "clocks", planted: watchByTheWall, foundAs: /^reliable: .* without a reason/ },
  "an event expired late": { driver: "etcd", about: "events", planted: timeStretched, foundAs: /^times to live: events / },
  "two leaders": { about: "elections", planted: twoLeaders, foundAs: /^elections: / },
  "a field without a manager": { about: "patches", planted: fieldsOfNobody, foundAs: /^answers: .* does not own what it applied/ },
  "an object written under an earlier definition": {
    about: "definitions",
    planted: definitionNotCompared,
    foundAs: /^definitions: .* was (stored|made|written) /,
  },
  "objects left by their definition": {
    about: "definitions",
    planted: definitionNotEmptied,
    foundAs: /^(definitions: .* went and left|the world came to rest, but) /,
  },
  "a watch that outlives a change of its definition": {
    about: "definitions",
    planted: watchesLiveOn,
    foundAs: /^watches of definitions: .* outlived|^served: /,
  },
  "a stored version forgotten": {
    about: "definitions",
    planted: storedVersionsForgotten,
    foundAs: /^definitions: .* (which is none of the stored versions|does not say that )/,
  },
  "dependents collected although their owners are left by a definition": {
    about: "leftovers",
    planted: ownersTakenForGone,
    foundAs: /^endings: .* ended without a reason/,
  },
  "a status written with its object": {
    about: "definitions",
    planted: statusWithTheObject,
    foundAs: /^subresources: .* (may not write|with a status)/,
  },
  "an object written with its status": { about: "definitions", planted: objectWithTheStatus, foundAs: /^subresources: .* may not write/ },
  "a scale that changes another field": {
    about: "definitions",
    planted: scaleElsewhere,
    foundAs: /^subresources: a write of replicas .* changed|^answers: scale of /,
  },
  "a generation that does not count": { about: "definitions", planted: generationNotCounted, foundAs: /^subresources: .* from generation/ },
  "a version read through the storage version": {
    about: "definitions",
    planted: readThroughStorageVersion,
    foundAs: /^served: .* by the schema /,
  },
  "a deletion acknowledged but not done": { about: "holds", planted: deletionNotDone, foundAs: /^answers: delete .* never going/ },
}

type Commit = Store["commit"]
type Put = Extract<Write, { type: "put" }>

function wrapCommit({ parts }: RunningServer, wrapped: (commit: Commit, options: Parameters<Commit>[0]) => ReturnType<Commit>): void {
  const { store } = parts.registry.deps
  const commit = store.commit.bind(store)
  Object.assign(store, { commit: (options: Parameters<Commit>[0]) => wrapped(commit, options) })
}

/** Replaces puts by other writes. */
function onWrite(change: (write: Put, object: ApiObject) => Write): Planted {
  return {
    server: (running) =>
      wrapCommit(running, (commit, { checks, writes }) =>
        commit({ checks, writes: writes.map((write) => (write.type === "put" ? change(write, objectOf(write)) : write)) }),
      ),
  }
}

/** Deletes every third written object of this kind, or every `every`th, right after the put. */
function afterWrite(concerns: (object: ApiObject) => boolean, every = 3): Planted {
  let count = 0
  return {
    server: (running) =>
      wrapCommit(running, async (commit, options) => {
        const result = await commit(options)
        for (const write of options.writes)
          if (result.ok && write.type === "put" && concerns(objectOf(write)) && count++ % every === 0)
            void commit({ checks: [], writes: [{ type: "delete", key: write.key }] }).catch(() => undefined)
        return result
      }),
  }
}

/** Replaces the result of lists for a single value below a prefix. */
function withListsOf(prefix: string, found: (items: readonly StoredValue[]) => readonly StoredValue[]): Planted {
  return {
    server({ parts }) {
      const { store } = parts.registry.deps
      const list = store.list.bind(store)
      Object.assign(store, {
        async list(options: StoreListOptions): ReturnType<Store["list"]> {
          const result = await list(options)
          return options.limit === 1 && options.prefix.startsWith(prefix) ? { ...result, items: [...found(result.items)] } : result
        },
      })
    },
  }
}

function withoutChecksOf(prefix: string): Planted {
  return {
    server: (running) =>
      wrapCommit(running, (commit, { checks, writes }) => commit({ checks: checks.filter(({ key }) => !key.startsWith(prefix)), writes })),
  }
}

/** The object in a value stored as JSON; empty for other values. */
function objectOf({ value }: Put): ApiObject {
  const text = Buffer.from(value).toString()
  return text.startsWith("{") ? JSON.parse(text) : {}
}
