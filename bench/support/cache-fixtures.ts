/** Shared by the benchmarks of the watch cache: a store without data, and objects of about 1 KB. */
import type { ResourceCodec } from "../../runtime/storage/cache.ts"
import type { Store, StoredValue, StoreEvent, WatchOptions } from "../../runtime/storage/store.ts"

/** A store with computed content, so that the measured memory is the cache's own. `emit` feeds events. */
export interface SyntheticStore extends Store {
  emit(events: readonly StoreEvent[], revision: number): void
}

export function keyOf(index: number): string {
  return `/registry/configmaps/namespace-${index % 100}/config-map-${String(index).padStart(6, "0")}`
}

/** About 1 KB of JSON as on the wire, without resourceVersion. */
export function valueOf(index: number, round = 0): Buffer {
  return Buffer.from(textOf(index, round))
}

function textOf(index: number, round = 0): string {
  const data: Record<string, string> = {}
  for (let line = 0; line < 8; line++)
    data[`key-${line}`] = `value ${index} ${round} ${"lorem ipsum dolor sit amet ".repeat(3)}`.slice(0, 80)
  const metadata = {
    name: `config-map-${index}`,
    namespace: `namespace-${index % 100}`,
    uid: "0f1e2d3c-0000-4000-8000-000000000000",
    resourceVersion: "",
    labels: { app: `app-${index % 50}` },
  }
  return JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data })
}

/** Inserts the revision by one concatenation, as the JSON storage format allows. */
export const codec: ResourceCodec = {
  toJson({ modRevision, value }) {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
    const marker = '"resourceVersion":"'
    const at = text.indexOf(marker) + marker.length
    return `${text.slice(0, at)}${modRevision}${text.slice(at)}`
  },
  describe(json) {
    const object: { metadata: { labels?: Record<string, string>; name: string } } = JSON.parse(json.toString())
    return { labels: object.metadata.labels ?? {}, fields: { "metadata.name": object.metadata.name } }
  },
}

export function syntheticStore(count: number): SyntheticStore {
  const indexes = Array.from({ length: count }, (_, index) => index).sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  const positions = new Map(indexes.map((index, position) => [keyOf(index), position]))
  let watcher: WatchOptions | undefined
  let current = count + 1
  /** Like a store's memory: a value in it is valid until the next one is read. */
  const scratch = Buffer.allocUnsafeSlow(4096)
  const unsupported = (): never => {
    throw new Error("not part of this bench")
  }
  return {
    emit(events, revision) {
      current = revision
      watcher?.onEvents(events, revision)
    },
    get: async () => unsupported(),
    async list({ copy = (value) => Buffer.from(value), limit = count, startAfter }) {
      const from = startAfter === undefined ? 0 : (positions.get(startAfter) ?? count) + 1
      const items: StoredValue[] = []
      const end = Math.min(from + limit, count)
      for (let at = from; at < end; at++) {
        const index = indexes[at] ?? 0
        const value = copy(scratch.subarray(0, scratch.write(textOf(index))))
        items.push({ key: keyOf(index), value, createRevision: index + 2, modRevision: index + 2 })
      }
      return { items, revision: current, more: end < count }
    },
    commit: async () => unsupported(),
    async watch(options) {
      watcher = options
      return { stop: () => undefined }
    },
    revision: async () => current,
    compact: async () => undefined,
    status: async () => ({ driver: "synthetic", sizeBytes: 0, revision: current, compactedRevision: 0, keys: count }),
    close: async () => undefined,
  }
}

/** Milliseconds of the fastest of several runs. */
export function bestOf(runs: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let index = 0; index < runs; index++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
