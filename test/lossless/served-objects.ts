/** A server without HTTP over a store that outlives it: the objects that it serves, and that the next one serves. */
import { AdmissionChain } from "../../runtime/admission/chain.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { systemRandom } from "../../runtime/base/random.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import { ContinueTokens } from "../../runtime/registry/continue-token.ts"
import { createObject } from "../../runtime/registry/create.ts"
import { KindTable } from "../../runtime/registry/kinds.ts"
import { openMigration } from "../../runtime/registry/migrate-objects.ts"
import type { StorageFormat } from "../../runtime/registry/object-codec.ts"
import { awaitFreshness } from "../../runtime/registry/read.ts"
import { Registry } from "../../runtime/registry/registry.ts"
import { type StoredShapeFault, StoredShapes, storedKinds } from "../../runtime/registry/stored-shapes.ts"
import type { Kind } from "../../runtime/schema/kind.ts"
import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import type { Store } from "../../runtime/storage/store.ts"
import { openCaches } from "../../runtime/storage/watch-cache/overridden-cache.ts"
import { createManualClock } from "../contract/manual-clock.ts"
import { writeAttributes } from "../support/write-attributes.ts"

const prefix = "/registry/"
const namespace = "default"
const vendor = vendorProfile("orch")
const clock = createManualClock()

/** JSON by `<kind> <name>`. */
export type ServedObjects = ReadonlyMap<string, string>

export interface Life {
  /** The kinds that the start refused; the server then serves nothing. */
  readonly refused: readonly StoredShapeFault[]
  /** Sends an object as a client does, and returns the JSON of the answer. */
  create(kind: Kind, name: string, fields: JsonObject): Promise<string>
  /** Every stored object of the kinds that the start did not refuse. */
  served(): Promise<ServedObjects>
  stop(): Promise<void>
}

export interface LifeOptions {
  readonly store: Store
  readonly kinds: readonly Kind[]
  readonly format: StorageFormat
  /** The start does not compare shapes. */
  readonly unchecked?: boolean
}

export function openStore(): Promise<Store> {
  return openMemoryStore({ clock })
}

/** Starts a server. Each has its own caches and, except for modules loaded before, its own codecs. */
export async function startLife({ store, kinds, format, unchecked }: LifeOptions): Promise<Life> {
  const table = new KindTable(kinds)
  const shapes = new StoredShapes({ store, prefix, format })
  const refused = unchecked === true ? [] : await shapes.check(table)
  const cache = openCaches({ store, prefix, clock })
  const registry = registryOf({ store, cache, kinds: table, storageFormat: format, ...(unchecked !== true && { shapes }) })
  return {
    refused,
    async create(kind, name, fields) {
      const handle = await registry.handle(kind)
      const { object } = normalize(handle.parts.shape, {
        kind: kind.kind,
        apiVersion: handle.apiVersion,
        metadata: { name, namespace },
        ...fields,
      })
      handle.parts.applyDefaults(object, { vendor })
      const attributes = writeAttributes("CREATE", handle, { namespace })
      const { json } = await createObject(registry, handle, { attributes, object })
      return json?.().toString("utf8") ?? ""
    },
    async served() {
      const found = new Map<string, string>()
      for (const kind of table.all().filter((one) => !refused.some((fault) => fault.kind === one))) {
        const handle = await registry.handle(kind)
        await awaitFreshness(registry, handle, { mode: "most-recent" })
        for (const entry of handle.cache.snapshot().entries({ prefix: handle.prefix("") }))
          found.set(`${kind.kind} ${entry.key.split("/").at(-1)}`, entry.json().toString("utf8"))
      }
      return found
    },
    stop: () => cache.close(),
  }
}

type Given = Pick<Registry["deps"], "cache" | "kinds" | "shapes" | "storageFormat" | "store">

function registryOf(given: Given): Registry {
  return new Registry({
    ...given,
    vendor,
    clock,
    random: systemRandom,
    storePrefix: prefix,
    tokens: new ContinueTokens(Buffer.from("a secret of tests")),
    ttlSeconds: {},
    behaviours: {},
    subresourceBehaviours: {},
    behaviourDeps: {
      get client(): never {
        throw new Error("there are no behaviours")
      },
      vendor,
      clock,
      random: systemRandom,
      options: { "service-cluster-ip-range": ["10.0.0.0/24"], "service-node-port-range": { first: 30000, last: 32767 } },
      read: async () => undefined,
      readAll: async (): Promise<readonly ApiObject[]> => [],
      key: (path) => prefix + path,
    },
    admission: new AdmissionChain([], { clock, timeoutMs: 60_000 }),
  })
}

/** `store migrate`. Returns the fields that it dropped. */
export async function migrateStore({ store, kinds, format }: LifeOptions): Promise<readonly string[]> {
  const table = new KindTable(kinds)
  const dropped: string[] = []
  const records = await new StoredShapes({ store, prefix, format }).records()
  for (const kind of storedKinds(table)) {
    const kept = records.get(kind.storage.path)
    if (kept === undefined) continue
    const migration = await openMigration({ store, prefix, kinds: table, vendor, format, nowMs: clock.nowMs }, kind, kept)
    const counts = await migration?.run()
    dropped.push(...(counts?.dropped.keys() ?? []))
  }
  return dropped
}
