/**
 * Objects between verbs and store. The server has one `Registry`; `handle(kind)` returns what the verbs need for one
 * kind. The operations have a file each: create, update, delete, read, watch.
 */
import type { AdmissionChain } from "../admission/chain.ts"
import type { Clock } from "../base/clock.ts"
import type { Behaviour, BehaviourFactory, SubresourceBehaviour, SubresourceBehaviourFactory, BehaviourDeps } from "../schema/behaviour.ts"
import { codecOfKind, type ProtobufCodec } from "../encoding/protobuf/codec.ts"
import type { ApiObject } from "../base/json.ts"
import type { Kind, KindParts } from "../schema/kind.ts"
import { normalize } from "../encoding/normalize.ts"
import type { TypeShape } from "../schema/shape.ts"
import type { Random } from "../base/random.ts"
import type { Cache, ResourceCache } from "../storage/cache.ts"
import type { Store } from "../storage/store.ts"
import type { Vendor } from "../base/vendor.ts"
import type { ContinueTokens } from "./continue-token.ts"
import { InFlightCreates } from "./in-flight-creates.ts"
import type { KindTable } from "./kinds.ts"
import { createObjectCodec, type ObjectCodec, type StorageFormat } from "./object-codec.ts"

export interface RegistryDeps {
  readonly kinds: KindTable
  readonly store: Store
  readonly cache: Cache
  readonly vendor: Vendor
  readonly clock: Clock
  readonly random: Random
  /** `--store-prefix`, with a slash at both ends. */
  readonly storePrefix: string
  readonly storageFormat: StorageFormat
  readonly tokens: ContinueTokens
  /** Seconds for each `ttlOption` in the schemas. */
  readonly ttlSeconds: Readonly<Record<string, number>>
  /** Other servers write to the same store. Absent: no. */
  readonly sharedStore?: boolean
  /** A garbage collector removes the finalizers that propagation policies add. Absent: yes. */
  readonly garbageCollector?: boolean
  readonly behaviours: Readonly<Record<string, BehaviourFactory>>
  readonly subresourceBehaviours: Readonly<Record<string, SubresourceBehaviourFactory>>
  readonly behaviourDeps: BehaviourDeps
  readonly admission: AdmissionChain
}

/** What the operations need of one kind in one version. */
export interface KindHandle {
  readonly kind: Kind
  readonly parts: KindParts
  readonly stored: Kind
  /** `apiVersion` as clients write it, with the vendor's group names. */
  readonly apiVersion: string
  readonly storedApiVersion: string
  readonly compact: ProtobufCodec
  readonly codec: ObjectCodec
  readonly cache: ResourceCache
  readonly behaviours: readonly Behaviour[]
  /** Store key of an object. */
  key(namespace: string, name: string): string
  /** Store prefix of a namespace, or of all namespaces for "". Ends with "/". */
  prefix(namespace: string): string
  /** Converts from the stored form to this version; the identity if both are the same. */
  fromStored(object: ApiObject): ApiObject
  toStored(object: ApiObject): ApiObject
}

interface StoredResource {
  readonly codec: ObjectCodec
  readonly cache: ResourceCache
}

export class Registry {
  /** Creations in flight, for the namespace controller. */
  readonly creations = new InFlightCreates()
  private readonly handles = new Map<Kind, Promise<KindHandle>>()
  private readonly ready = new Map<Kind, KindHandle>()
  private readonly resources = new Map<string, Promise<StoredResource>>()
  private readonly madeBehaviours = new Map<string, Behaviour>()
  private readonly madeSubresources = new Map<string, SubresourceBehaviour>()

  constructor(readonly deps: RegistryDeps) {}

  /** The handle of a kind that is already open. Undefined: call `handle` and wait. */
  opened(kind: Kind): KindHandle | undefined {
    return this.ready.get(kind)
  }

  /** The handle of a kind. The first call loads decoder, validator and cache. */
  async handle(kind: Kind): Promise<KindHandle> {
    const known = this.ready.get(kind)
    if (known !== undefined) return known
    let opening = this.handles.get(kind)
    if (opening === undefined) {
      opening = this.open(kind)
      this.handles.set(kind, opening)
      opening.then(
        (handle) => this.ready.set(kind, handle),
        () => this.handles.delete(kind),
      )
    }
    return opening
  }

  /**
   * The behaviour that a schema refers to by `name`. All kinds that refer to it share one instance. Throws for an
   * unknown name, which is a fault of the build.
   */
  behaviour(name: string): Behaviour {
    return made(name, this.madeBehaviours, this.deps.behaviours, this.deps.behaviourDeps)
  }

  subresourceBehaviour(name: string): SubresourceBehaviour {
    return made(name, this.madeSubresources, this.deps.subresourceBehaviours, this.deps.behaviourDeps)
  }

  private async open(kind: Kind): Promise<KindHandle> {
    const { kinds, vendor, storePrefix } = this.deps
    const stored = kinds.stored(kind)
    const parts = await kinds.load(kind)
    const { shape: storedShape } = await kinds.load(stored)
    const { codec, cache } = await this.resource(stored)
    await cache.ready
    const root = `${storePrefix}${stored.storage.path}/`
    return {
      kind,
      parts,
      stored,
      codec,
      cache,
      apiVersion: vendor.apiVersion(apiVersionOf(kind)),
      storedApiVersion: vendor.apiVersion(apiVersionOf(stored)),
      compact: codecOfKind(parts),
      behaviours: kind.behaviours.map((name) => this.behaviour(name)),
      key: (namespace, name) => (kind.namespaced ? `${root}${namespace}/${name}` : `${root}${name}`),
      prefix: (namespace) => (namespace === "" ? root : `${root}${namespace}/`),
      fromStored:
        parts.fromStored === undefined
          ? (object) => object
          : reversioned(parts.fromStored, { shape: parts.shape, apiVersion: vendor.apiVersion(apiVersionOf(kind)), kind: kind.kind }),
      toStored:
        parts.toStored === undefined
          ? (object) => object
          : reversioned(parts.toStored, { shape: storedShape, apiVersion: vendor.apiVersion(apiVersionOf(stored)), kind: stored.kind }),
    }
  }

  /** One codec and one cache per storage path, with the selectable fields of every version that shares the path. */
  private resource(stored: Kind): Promise<StoredResource> {
    const { path } = stored.storage
    let making = this.resources.get(path)
    if (making === undefined) {
      making = this.makeCodec(stored).then((codec) => ({ codec, cache: this.deps.cache.resource(path, codec) }))
      this.resources.set(path, making)
    }
    return making
  }

  private async makeCodec(stored: Kind): Promise<ObjectCodec> {
    const { kinds, vendor, storageFormat } = this.deps
    const parts = await kinds.load(stored)
    const sharing = kinds.all().filter((kind) => kind.storage.path === stored.storage.path)
    return createObjectCodec({
      format: storageFormat,
      apiVersion: vendor.apiVersion(apiVersionOf(stored)),
      kind: stored.kind,
      compact: codecOfKind(parts),
      shape: parts.shape,
      normalizeStored: (object) => normalize(parts.shape, object).object,
      selectable: sharing.flatMap((kind) => kind.selectable),
    })
  }
}

/** `group/version`, or only the version for the core group; neutral. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`
}

/** Wraps a conversion: its result gets the fields that the target version always writes. */
function reversioned(
  convert: (object: ApiObject) => ApiObject,
  to: { shape: TypeShape; apiVersion: string; kind: string },
): (object: ApiObject) => ApiObject {
  return (object) => {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = normalize(to.shape, convert(object)).object
    return { kind: to.kind, apiVersion: to.apiVersion, ...rest }
  }
}

function made<T>(
  name: string,
  instances: Map<string, T>,
  factories: Readonly<Record<string, (deps: BehaviourDeps) => T>>,
  deps: BehaviourDeps,
): T {
  const known = instances.get(name)
  if (known !== undefined) return known
  const factory = factories[name]
  if (factory === undefined) throw new Error(`no behaviour is called ${name}; known: ${Object.keys(factories).sort().join(", ")}`)
  const instance = factory(deps)
  instances.set(name, instance)
  return instance
}
