/**
 * Shared by the tests of the watch cache: a codec of small objects, short write functions, and recordings of watch
 * events.
 */
import { setImmediate as macrotask } from "node:timers/promises"
import type { CacheEvent, ResourceCache, ResourceCodec, Snapshot } from "../../runtime/storage/cache.ts"
import type { Store, StoreError } from "../../runtime/storage/store.ts"
import type { Observation, WatcherHistory } from "./watch-guarantees.ts"

let quiet: () => Promise<boolean> = async () => true

/**
 * Called before a case whose store needs more than turns of the event loop: `settle` then waits until the store is
 * idle.
 */
export function settleUntil(check: (() => Promise<boolean>) | undefined): void {
  quiet = check ?? (async () => true)
}

/**
 * Waits a few turns of the event loop: enough for anything that needs no more, and to show that something does not
 * happen.
 */
export async function settle(): Promise<void> {
  do {
    for (let turn = 0; turn < 20; turn++) await macrotask()
  } while (!(await quiet()))
}

/**
 * Stored values are `{"labels":{…},"text":"…"}`; the codec wraps them as an object of kind Thing, and counts its work.
 */
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
      return thingJson(key, value, modRevision).toString()
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
  const metadata = { name, resourceVersion: String(revision), ...(data.labels && { labels: data.labels }) }
  return Buffer.from(JSON.stringify({ kind: "Thing", apiVersion: "v1", metadata, data }))
}

export function thing(text: string, labels?: Record<string, string>): Buffer {
  return Buffer.from(JSON.stringify({ ...(labels && { labels }), text }))
}

/** Commits one write without checks; returns its revision. */
export async function put(store: Store, key: string, text = "text"): Promise<number> {
  const { revision } = await store.commit({ checks: [], writes: [{ type: "put", key, value: thing(text) }] })
  return revision
}

export async function remove(store: Store, key: string): Promise<number> {
  const { revision } = await store.commit({ checks: [], writes: [{ type: "delete", key }] })
  return revision
}

/** The events of one watcher, in order of delivery. */
export interface Recording {
  readonly afterRevision: number
  readonly events: CacheEvent[]
  /** Number of events in each delivery. */
  readonly batches: number[]
  readonly seen: Observation[]
  /** Revisions of events that arrived while there was no room. */
  readonly missed: number[]
  readonly ends: StoreError[]
  /** Records the subscription's present revision as a bookmark and returns it. */
  mark(): number | undefined
  stop(): void
}

/** A client that takes events while the gate is open. */
export class Gate {
  private closed: { promise: Promise<void>; open: () => void } | undefined

  close(): void {
    let open = (): void => undefined
    const promise = new Promise<void>((resolve) => {
      open = resolve
    })
    this.closed ??= { promise, open }
  }

  open(): void {
    const { closed } = this
    this.closed = undefined
    closed?.open()
  }

  room(): Promise<void> | undefined {
    return this.closed?.promise
  }
}

export interface RecordOptions {
  readonly prefix?: string
  readonly exact?: boolean
  readonly afterRevision: number
  readonly gate?: Gate
  readonly workPerEvent?: number
  /** Called with each batch, after it was recorded. */
  readonly each?: (recording: Recording) => void
}

export function record(cache: ResourceCache, options: RecordOptions): Recording {
  const { afterRevision, each, exact, gate, prefix = "", workPerEvent } = options
  let delivery = 0
  const recording: Recording = {
    afterRevision,
    events: [],
    batches: [],
    seen: [],
    missed: [],
    ends: [],
    mark() {
      const revision = subscription.revision()
      if (revision !== undefined) recording.seen.push({ type: "BOOKMARK", revision })
      return revision
    },
    stop: () => subscription.stop(),
  }
  const subscription = cache.subscribe({
    prefix,
    ...(exact !== undefined && { exact }),
    afterRevision,
    onEvents(batch) {
      delivery++
      recording.events.push(...batch)
      recording.batches.push(batch.length)
      for (const event of batch) recording.seen.push(observation(event, delivery))
      each?.(recording)
    },
    onMissed(events) {
      recording.missed.push(...events.map(({ revision }) => revision))
    },
    ...(gate !== undefined && { room: () => gate.room() }),
    ...(workPerEvent !== undefined && { workPerEvent }),
    onEnd: (error) => recording.ends.push(error),
  })
  return recording
}

function observation(event: CacheEvent, delivery: number): Observation {
  const { metadata }: { metadata: { resourceVersion: string } } = JSON.parse(event.object.json().toString())
  return {
    type: event.type,
    key: event.object.key,
    revision: event.revision,
    objectRevision: Number(metadata.resourceVersion),
    ...(event.previous !== undefined && { previousRevision: event.previous.modRevision }),
    delivery,
  }
}

/** The recording in the form that the guarantees check. */
export function historyOf(
  recording: Recording,
  options: { name: string; covers: (key: string) => boolean; untilRevision?: number },
): WatcherHistory {
  const { afterRevision, ends, seen } = recording
  const { covers, name, untilRevision } = options
  return { name, covers, afterRevision, seen, ...(ends.length === 0 && untilRevision !== undefined && { untilRevision }) }
}

/** `ADDED a/x@5`: an event as short text, for comparing lists of them. */
export function brief(event: CacheEvent): string {
  return `${event.type} ${shortKey(event.object.key)}@${event.revision}`
}

/** `a/x@4`: the objects of a snapshot as short texts. */
export function shown(snapshot: Snapshot | undefined, prefix = ""): string[] | undefined {
  return snapshot === undefined
    ? undefined
    : [...snapshot.entries({ prefix })].map((object) => `${shortKey(object.key)}@${object.modRevision}`)
}

/** The last two segments of a key. */
export function shortKey(key: string): string {
  return key.split("/").slice(-2).join("/")
}
