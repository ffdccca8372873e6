/** What the tests of the watch cache share: a codec of small objects, writes in short, and recordings of what watchers see. */
import { setImmediate as macrotask } from "node:timers/promises"
import type { CacheEvent, ResourceCache, ResourceCodec } from "../../runtime/storage/cache.ts"
import type { Store, StoreError } from "../../runtime/storage/store.ts"

/** A few turns of the event loop: for showing that something does not happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await macrotask()
}

/** Stored values are `{"labels":{…},"text":"…"}`; the codec wraps them as an object of kind Thing. Counts its work. */
export interface CountingCodec extends ResourceCodec {
  made: number
  described: number
}

export function thingCodec(): CountingCodec {
  const codec: CountingCodec = {
    made: 0,
    described: 0,
    toJson({ key, modRevision, value }) {
      codec.made++
      return thingJson(key, value, modRevision)
    },
    describe(json) {
      codec.described++
      const object: { metadata: { name: string; labels?: Record<string, string> }; data: { text: string } } = JSON.parse(json.toString())
      return { labels: object.metadata.labels ?? {}, fields: { "metadata.name": object.metadata.name, text: object.data.text } }
    },
  }
  return codec
}

export function thingJson(key: string, value: Uint8Array, revision: number): Buffer {
  const data: { labels?: Record<string, string>; text: string } = JSON.parse(Buffer.from(value).toString())
  const name = key.slice(key.lastIndexOf("/") + 1)
  return Buffer.from(
    JSON.stringify({ kind: "Thing", apiVersion: "v1", metadata: { name, resourceVersion: String(revision), ...(data.labels && { labels: data.labels }) }, data }),
  )
}

export function thing(text: string, labels?: Record<string, string>): Buffer {
  return Buffer.from(JSON.stringify({ ...(labels && { labels }), text }))
}

/** Commits one write without checks; answers its revision. */
export async function put(store: Store, key: string, text: string): Promise<number> {
  const result = await store.commit({ checks: [], writes: [{ type: "put", key, value: thing(text) }] })
  return result.revision
}

export async function remove(store: Store, key: string): Promise<number> {
  const result = await store.commit({ checks: [], writes: [{ type: "delete", key }] })
  return result.revision
}

/** What one watcher saw, in the order in which it saw it. */
export interface Recording {
  readonly events: CacheEvent[]
  readonly progress: number[]
  readonly ends: StoreError[]
  stop(): void
}

export function record(cache: ResourceCache, options: { prefix?: string; exact?: boolean; afterRevision: number }): Recording {
  const events: CacheEvent[] = []
  const progress: number[] = []
  const ends: StoreError[] = []
  const subscription = cache.subscribe({
    prefix: options.prefix ?? "",
    ...(options.exact !== undefined && { exact: options.exact }),
    afterRevision: options.afterRevision,
    onEvents: (batch) => events.push(...batch),
    onProgress: (revision) => progress.push(revision),
    onEnd: (error) => ends.push(error),
  })
  return { events, progress, ends, stop: () => subscription.stop() }
}

/** `ADDED a@5`: an event in short, for comparing lists of them. */
export function brief(event: CacheEvent): string {
  return `${event.type} ${event.object.key.slice(event.object.key.lastIndexOf("/") + 1)}@${event.revision}`
}
