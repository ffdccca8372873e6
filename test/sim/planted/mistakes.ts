/**
 * Known mistakes of watch caches and stores, each planted into a correct server: the simulation must find every one.
 */
import type { ResourceCache, SubscribeOptions } from "../../../runtime/storage/cache.ts"
import { StoreError } from "../../../runtime/storage/store.ts"
import type { Planted } from "../run.ts"

/** etcd #14370: acknowledged before it is on disk. */
const lostAcknowledgement: Planted = {
  world(world) {
    if (world.disk !== undefined) world.disk.faults.lying = true
  },
}

/** A resumed watch delivers its last event again, and occasionally others. */
const duplicatedEvent: Planted = {
  cache: (cache) =>
    wrapSubscribe(cache, (subscribe, options) => {
      let deliveries = 0
      return subscribe({
        ...options,
        onEvents(events, revision) {
          options.onEvents(events, revision)
          if (++deliveries % 5 === 0) options.onEvents(events, revision)
        },
        onEnd: (error) => options.onEnd(error),
      })
    }),
}

/** etcd #18089, #19179: compacted events are skipped silently. */
const gapAfterCompaction: Planted = {
  cache: (cache) =>
    wrapSubscribe(cache, (subscribe, options) => {
      const onEvents = options.onEvents.bind(options)
      const later = () => subscribe({ ...options, afterRevision: cache.revision(), onEvents, onEnd: (error) => options.onEnd(error) })
      function onEnd(error: StoreError): void {
        try {
          if (error.code === "compacted") later()
          else options.onEnd(error)
        } catch {
          options.onEnd(error)
        }
      }
      try {
        return subscribe({ ...options, onEvents, onEnd })
      } catch (error) {
        if (error instanceof StoreError && error.code === "compacted") return later()
        throw error
      }
    }),
}

/** etcd #15220: progress is reported before the events it covers. */
const bookmarkTooEarly: Planted = {
  cache: (cache) =>
    wrapSubscribe(cache, (subscribe, options) => {
      const subscription = subscribe({
        ...options,
        onEvents: (events, revision) => void setImmediate(() => setImmediate(() => options.onEvents(events, revision))),
        onEnd: (error) => options.onEnd(error),
      })
      return { stop: () => subscription.stop(), revision: () => (subscription.revision() ?? 0) + 1 }
    }),
}

/** Pages after the first show the present state with the first one's version. */
const pageFromNewerSnapshot: Planted = {
  cache: (cache) =>
    Object.assign(cache, {
      async snapshotAt(revision: number) {
        const present = cache.snapshot()
        return { ...present, revision, entries: present.entries.bind(present), count: present.count.bind(present) }
      },
    }),
}

export const mistakes: Readonly<Record<string, Planted>> = {
  "lost acknowledgement": lostAcknowledgement,
  "duplicated event": duplicatedEvent,
  "gap after compaction": gapAfterCompaction,
  "bookmark too early": bookmarkTooEarly,
  "page from a newer snapshot": pageFromNewerSnapshot,
}

type Subscribe = (options: SubscribeOptions) => ReturnType<ResourceCache["subscribe"]>

function wrapSubscribe(cache: ResourceCache, wrapped: (subscribe: Subscribe, options: SubscribeOptions) => ReturnType<Subscribe>): void {
  const subscribe = cache.subscribe.bind(cache)
  Object.assign(cache, { subscribe: (options: SubscribeOptions) => wrapped(subscribe, options) })
}
