/** A registry over the generated kinds and a store in memory, without HTTP, for tests of behaviours and controllers. */
import { api, bodies, kinds } from "../../generated/index.ts"
import { serverUser } from "../../runtime/admission/server-identity.ts"
import { bodyLoader } from "../../runtime/body-kinds.ts"
import { ownClient } from "../../runtime/client/in-process-client.ts"
import type { ControllerDeps } from "../../runtime/controllers/controller.ts"
import { InFlightRequests } from "../../runtime/observability/in-flight.ts"
import { defaultOptions } from "../../runtime/options/load.ts"
import { OpenWatches } from "../../runtime/registry/open-watches.ts"
import type { ServerParts } from "../../runtime/server-parts.ts"
import { AdmissionChain } from "../../runtime/admission/chain.ts"
import type { AdmissionPlugin } from "../../runtime/admission/plugin.ts"
import { behaviours, subresourceBehaviours } from "../../runtime/behaviours/index.ts"
import type { BehaviourOptions } from "../../runtime/schema/behaviour.ts"
import type { ApiObject } from "../../runtime/base/json.ts"
import { type Random, systemRandom } from "../../runtime/base/random.ts"
import { ContinueTokens } from "../../runtime/registry/continue-token.ts"
import { createObject } from "../../runtime/registry/create.ts"
import { ownObject } from "./own-object.ts"
import { deleteObject, type DeleteRequest } from "../../runtime/registry/delete.ts"
import { KindTable } from "../../runtime/registry/kinds.ts"
import { parseObject } from "../../runtime/registry/object-codec.ts"
import { awaitFreshness } from "../../runtime/registry/read.ts"
import { type KindHandle, Registry } from "../../runtime/registry/registry.ts"
import { updateObject } from "../../runtime/registry/update.ts"
import { openMemoryStore } from "../../runtime/storage/memory/memory-store.ts"
import type { Store } from "../../runtime/storage/store.ts"
import { openCaches } from "../../runtime/storage/watch-cache/overridden-cache.ts"
import { type VendorName, vendorProfile } from "../../runtime/base/vendor.ts"
import { kindsOfVendor } from "../../runtime/definitions/definition-kind.ts"
import { createManualClock, type ManualClock } from "../contract/manual-clock.ts"
import { writeAttributes } from "./write-attributes.ts"

export interface OpenRegistry {
  readonly registry: Registry
  readonly api: ControllerDeps["api"]
  readonly client: ControllerDeps["client"]
  readonly store: Store
  readonly clock: ManualClock
  /** Warnings that controllers logged. */
  readonly logged: string[]
  readonly log: { warn(values: object, text: string): void }
  handle(resource: string): Promise<KindHandle>
  /** `object` as a client sends it; decodes it and applies defaults. */
  create(resource: string, object: ApiObject, options?: { dryRun?: boolean }): Promise<ApiObject>
  /** Undefined when the object does not exist. */
  get(resource: string, path: string): Promise<ApiObject | undefined>
  /** PUTs the result of `change` on the stored object. */
  update(
    resource: string,
    path: string,
    change: (old: ApiObject) => ApiObject,
    options?: { subresource?: string; dryRun?: boolean },
  ): Promise<ApiObject>
  remove(
    resource: string,
    path: string,
    options?: Partial<DeleteRequest> & { readonly dryRun?: boolean },
  ): Promise<{ readonly removed: boolean; readonly object: ApiObject }>
  /** Paths of all objects of a resource, `namespace/name`. */
  names(resource: string): Promise<string[]>
  close(): Promise<void>
}

export interface OpenRegistryOptions {
  /** Another server's store; default a new one. */
  readonly store?: Store
  /** Default `orch`. */
  readonly vendor?: VendorName
  readonly clock?: ManualClock
  readonly random?: Random
  readonly behaviourOptions?: Partial<BehaviourOptions>
  /** Default none: namespaces need not exist. */
  readonly admission?: readonly AdmissionPlugin[]
}

/** Called once per server in a test. Namespaces need not exist: nothing is admitted or refused. */
export async function openRegistry(options: OpenRegistryOptions = {}): Promise<OpenRegistry> {
  const clock = options.clock ?? createManualClock()
  const store = options.store ?? (await openMemoryStore({ clock }))
  const vendor = vendorProfile(options.vendor ?? "orch")
  const random = options.random ?? systemRandom
  const storePrefix = "/registry/"
  const cache = openCaches({ store, prefix: storePrefix, clock })
  const table = new KindTable(kindsOfVendor(kinds, vendor))
  const key = (path: string): string => storePrefix + path
  const parts = (): ServerParts => {
    const stopping = new AbortController().signal
    const more = {
      authorizers: [],
      inFlight: new InFlightRequests(),
      body: bodyLoader(bodies, vendor),
      stopping,
      options: defaultOptions(),
    }
    // The operations of a client read no others.
    return { ...more, registry, kinds: table, vendor, clock, random, watches: new OpenWatches(clock, stopping) } as unknown as ServerParts
  }
  const registry: Registry = new Registry({
    kinds: table,
    store,
    cache,
    vendor,
    clock,
    random,
    storePrefix,
    behaviours,
    subresourceBehaviours,
    storageFormat: "compact",
    tokens: new ContinueTokens(Buffer.from("a secret of tests")),
    ttlSeconds: {},
    behaviourDeps: {
      get client() {
        return ownClient(parts(), serverUser)
      },
      vendor,
      clock,
      random,
      key,
      options: {
        "service-cluster-ip-range": ["10.0.0.0/24"],
        "service-node-port-range": { first: 30000, last: 32767 },
        ...options.behaviourOptions,
      },
      read: (path) => store.get({ key: key(path) }),
      readAll: async (path) => (path === "services/specs" ? objectsOf(registry, await handleOf(registry, "services")) : []),
    },
    admission: new AdmissionChain(options.admission ?? [], { clock, timeoutMs: 60_000 }),
  })
  const logged: string[] = []
  return {
    registry,
    api: (user) => api(ownClient(parts(), user)),
    client: (user) => ownClient(parts(), user),
    store,
    clock,
    logged,
    log: { warn: (_values, text) => logged.push(text) },
    ...verbs(registry),
    close: () => cache.close(),
  }
}

function verbs(registry: Registry): Pick<OpenRegistry, "handle" | "create" | "get" | "update" | "remove" | "names"> {
  return {
    handle: (resource) => handleOf(registry, resource),
    async create(resource, object, { dryRun = false } = {}) {
      const handle = await handleOf(registry, resource)
      const full: ApiObject = { kind: handle.kind.kind, apiVersion: handle.apiVersion, ...structuredClone(object) }
      const result = await createObject(registry, handle, {
        attributes: writeAttributes("CREATE", handle, { namespace: object.metadata?.namespace ?? "", dryRun }),
        object: ownObject(registry, handle, full),
      })
      return result.object
    },
    async get(resource, path) {
      const handle = await handleOf(registry, resource)
      await awaitFreshness(registry, handle, { mode: "most-recent" })
      const entry = handle.cache.get(handle.key(...split(path)))
      return entry === undefined ? undefined : parseObject(entry.json())
    },
    async update(resource, path, change, { subresource: name, dryRun = false } = {}) {
      const handle = await handleOf(registry, resource)
      const subresource = handle.kind.subresources.find((one) => one.name === name)
      const [namespace, objectName] = split(path)
      const transform = (old: ApiObject | undefined): ApiObject => ownObject(registry, handle, change(structuredClone(old ?? {})))
      const result = await updateObject(registry, handle, {
        attributes: writeAttributes("UPDATE", handle, {
          namespace,
          name: objectName,
          dryRun,
          ...(name !== undefined && { subresource: name }),
        }),
        transform,
        put: true,
        ...(subresource !== undefined && { subresource }),
      })
      return result.object
    },
    async remove(resource, path, { dryRun = false, ...options } = {}) {
      const [namespace, name] = split(path)
      const handle = await handleOf(registry, resource)
      return deleteObject(registry, handle, { attributes: writeAttributes("DELETE", handle, { namespace, name, dryRun }), ...options })
    },
    async names(resource) {
      const handle = await handleOf(registry, resource)
      const objects = await objectsOf(registry, handle)
      return objects.map(({ metadata }) => (handle.kind.namespaced ? `${metadata?.namespace}/${metadata?.name}` : `${metadata?.name}`))
    },
  }
}

async function handleOf(registry: Registry, resource: string): Promise<KindHandle> {
  const kind = registry.deps.kinds.served().find((one) => one.resource === resource)
  if (kind === undefined) throw new Error(`no kind is served as ${resource}`)
  return registry.handle(kind)
}

async function objectsOf(registry: Registry, handle: KindHandle): Promise<ApiObject[]> {
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  return [...handle.cache.snapshot().entries({ prefix: handle.prefix("") })].map((entry) => parseObject(entry.json()))
}

/** `namespace/name`, or the bare name of a cluster-scoped object. */
function split(path: string): [string, string] {
  const slash = path.indexOf("/")
  return slash < 0 ? ["", path] : [path.slice(0, slash), path.slice(slash + 1)]
}
