/**
 * Objects between verbs and store. The server has one `Registry`; `handle(kind)` returns what the verbs need for one
 * kind. The operations have a file each: create, update, delete, read, watch.
 */
import type { AdmissionChain } from "../admission/chain.ts"
import { featureGates } from "../base/feature-gates.ts"
import { type GatedFields, gatedFieldsOf } from "./gated-fields.ts"
import type { Clock } from "../base/clock.ts"
import type { Behaviour, BehaviourFactory, SubresourceBehaviour, SubresourceBehaviourFactory, BehaviourDeps } from "../schema/behaviour.ts"
import { codecOfKind, type ProtobufCodec } from "../encoding/protobuf/codec.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { isStored, type Kind, type KindParts } from "../schema/kind.ts"
import { normalize } from "../encoding/normalize.ts"
import { settledField } from "../encoding/settled.ts"
import { SettledTexts } from "../encoding/settled-texts.ts"
import type { TypeShape } from "../schema/shape.ts"
import type { Random } from "../base/random.ts"
import type { Cache, ResourceCache } from "../storage/cache.ts"
import type { Store } from "../storage/store.ts"
import type { Vendor } from "../base/vendor.ts"
import type { ContinueTokens } from "./continue-token.ts"
import { DefinitionStates } from "./definition-states.ts"
import { FirstWrites, firstWritesMax } from "./first-writes.ts"
import { InFlightCreates } from "./in-flight-creates.ts"
import type { KindTable } from "./kinds.ts"
import { RecentObjects } from "./recent-objects.ts"
import { createObjectCodec, type EarlierVersions, type ObjectCodec, type StorageFormat } from "./object-codec.ts"
import type { StoredShapes } from "./stored-shapes.ts"
import type { StoredConversions } from "./stored-state.ts"
import { type ConversionVersion, type KnownConversions, VersionConversion } from "./version-conversion.ts"
import { behaviourOfVersion } from "./version-behaviours.ts"
import { ReleasedKindError } from "./released-kind.ts"
import { WriteQueues } from "./write-queue.ts"

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
  /** `CommitOptions.beforeWrite` of each change of an object. Absent: nothing is called. */
  readonly beforeWrite?: () => void
  /** Called with the seconds that each commit took. Absent: commits are not measured. */
  readonly storeMeter?: { committed(kind: Kind, operation: "create" | "update" | "delete", seconds: number): void }
  /** Other servers write to the same store. Absent: no. */
  readonly sharedStore?: boolean
  /** Remembers the shapes that wrote the store. Absent: none are, as for a store that ends with the process. */
  readonly shapes?: StoredShapes
  /** A garbage collector removes the finalizers that propagation policies add. Absent: yes. */
  readonly garbageCollector?: boolean
  readonly behaviours: Readonly<Record<string, BehaviourFactory>>
  /** The names of `behaviours` that an author wrote, not this package. Absent: none. */
  readonly ownBehaviours?: ReadonlySet<string>
  readonly subresourceBehaviours: Readonly<Record<string, SubresourceBehaviourFactory>>
  readonly behaviourDeps: BehaviourDeps
  readonly admission: AdmissionChain
}

/** The parts of one kind in one version that the operations use. */
export interface KindHandle extends StoredConversions {
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
  /** The fields that writes drop because their gates are off. Absent: none. */
  readonly gatedFields?: GatedFields
  /** The values of the field that objects of the kind share. Absent: there is no such field. */
  readonly settled?: SettledTexts
  /** The size as which its first writes count. */
  readonly firstWrites: FirstWrites
  /** Another server converts the versions of the kind. Absent: `fromStored` and `toStored` do. */
  readonly conversion?: VersionConversion
  /** Reads return objects in this version, whose bytes are sent as they are. */
  readonly readsOwnVersion: boolean
  /** An author wrote some of the hooks that the kind names. */
  readonly hasOwnHooks: boolean
  /** Store key of an object. */
  key(namespace: string, name: string): string
  /** Store prefix of a namespace, or of all namespaces for "". Ends with "/". */
  prefix(namespace: string): string
}

interface StoredResource {
  readonly codec: ObjectCodec
  readonly cache: ResourceCache
}

export class Registry {
  /** Creations in flight, for the namespace controller. */
  readonly creations = new InFlightCreates()
  /** Under which states of the definitions objects may be written. */
  readonly definitions = new DefinitionStates()
  /** The order of writers that write one object at once. */
  readonly writes: WriteQueues
  /** The objects that were written last, decoded. */
  readonly recent = new RecentObjects()
  private readonly handles = new Map<Kind, Promise<KindHandle>>()
  private readonly ready = new Map<Kind, KindHandle>()
  private readonly resources = new Map<string, Promise<StoredResource>>()
  private readonly knownConversions: KnownConversions = new Map()
  private readonly madeBehaviours = new Map<string, Behaviour>()
  private readonly madeSubresources = new Map<string, SubresourceBehaviour>()

  constructor(readonly deps: RegistryDeps) {
    this.writes = new WriteQueues(deps.clock)
  }

  /** Whether containers may have the rights of their node; undefined: they may. */
  get allowsPrivileged(): boolean | undefined {
    return this.deps.behaviourDeps.options["allow-privileged"]
  }

  /** The handle of a kind that is already open. Undefined: call `handle` and wait. */
  opened(kind: Kind): KindHandle | undefined {
    return this.ready.get(kind)
  }

  /**
   * The handle of a kind. The first call loads decoder, validator and cache. Throws ReleasedKindError if the kind has
   * left the table.
   */
  async handle(kind: Kind): Promise<KindHandle> {
    const known = this.ready.get(kind)
    if (known !== undefined) return known
    let opening = this.handles.get(kind)
    if (opening === undefined) {
      opening = this.open(kind)
      this.handles.set(kind, opening)
      opening.then(
        (handle) => {
          // The kind may have been released meanwhile.
          if (this.handles.get(kind) === opening) this.ready.set(kind, handle)
        },
        () => this.handles.delete(kind),
      )
    }
    return opening
  }

  /**
   * Forgets kinds that have left the table. Reads that have a handle go on with it, writes are refused. `storage`: the
   * storage path, if objects are no longer read as they were; its watches end, so that clients read the objects after
   * the change.
   */
  release(kinds: readonly Kind[], storage?: string): void {
    for (const kind of kinds) {
      this.handles.delete(kind)
      this.ready.delete(kind)
    }
    if (storage !== undefined && this.resources.delete(storage)) this.deps.cache.release(storage)
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
    this.checkCurrent(kind)
    const stored = kinds.stored(kind)
    const parts = await kinds.load(kind)
    const storedParts = await kinds.load(stored)
    const storedShape = storedParts.shape
    this.checkCurrent(kind)
    const { codec, cache } = await this.resource(stored)
    await cache.ready
    const root = `${storePrefix}${stored.storage.path}/`
    const gates = { ...featureGates, ...this.deps.behaviourDeps.options["feature-gates"] }
    const gatedFields = gatedFieldsOf(parts.shape, (gate) => gate === "removed" || !gates[gate])
    const shared = this.sharedField(kind, parts.shape)
    const conversion = this.conversionOf({ kind, parts }, { kind: stored, parts: storedParts }, codec)
    return {
      kind,
      parts,
      stored,
      codec,
      cache,
      apiVersion: vendor.apiVersion(apiVersionOf(kind)),
      storedApiVersion: vendor.apiVersion(apiVersionOf(stored)),
      compact: codecOfKind(parts),
      behaviours: await this.behavioursOf({ kind, parts }, { stored, storedShape }),
      ...(gatedFields !== undefined && { gatedFields }),
      ...(shared !== undefined && { settled: new SettledTexts(shared) }),
      ...(conversion !== undefined && { conversion }),
      firstWrites: new FirstWrites(kind.custom === undefined ? firstWritesMax : 0),
      readsOwnVersion: kind === stored || conversion !== undefined,
      hasOwnHooks: this.hasOwnHooks(kind),
      key: (namespace, name) => (kind.namespaced ? `${root}${namespace}/${name}` : `${root}${name}`),
      prefix: (namespace) => (namespace === "" ? root : `${root}${namespace}/`),
      ...storedConversionsOf(vendor, { kind, parts }, { stored, storedShape }),
    }
  }

  private checkCurrent(kind: Kind): void {
    if (kind.custom !== undefined && this.deps.kinds.current(kind) !== kind) throw new ReleasedKindError(kind)
  }

  private conversionOf(own: LoadedKind, stored: LoadedKind, codec: ObjectCodec): VersionConversion | undefined {
    const { clock, vendor } = this.deps
    const { convert } = own.parts
    if (convert === undefined) return undefined
    const version = ({ kind }: LoadedKind): Omit<ConversionVersion, "normalize"> => ({
      apiVersion: vendor.apiVersion(apiVersionOf(kind)),
      kind: kind.kind,
    })
    return new VersionConversion({
      own: { ...version(own), normalize: (object) => normalize(own.parts.shape, object, { reportUnknown: false, stored: true }).object },
      // Includes the defaults that a read applies.
      stored: { ...version(stored), normalize: (object) => storedObject(vendor, stored, object) },
      convert,
      codec,
      clock,
      known: this.knownConversions,
    })
  }

  /**
   * The behaviours that the kind names, then the behaviours that only other versions of its storage name, which see the
   * object in their version. Each runs once.
   */
  private async behavioursOf(own: LoadedKind, target: { stored: Kind; storedShape: TypeShape }): Promise<readonly Behaviour[]> {
    const { kinds, vendor } = this.deps
    const { kind, parts } = own
    const found = kind.behaviours.map((name) => this.behaviour(name))
    const named = new Set(kind.behaviours)
    // Bounded: a kind has few versions.
    for (const other of kinds.sharing(kind.storage.path)) {
      if (other === kind) continue
      const missing = other.behaviours.filter((name) => !named.has(name))
      if (missing.length === 0) continue
      const pair = {
        shape: parts.shape,
        own: storedConversionsOf(vendor, own, target),
        other: conversionsOf(vendor, { kind: other, parts: await kinds.load(other) }, target),
      }
      for (const name of missing) found.push(behaviourOfVersion(this.behaviour(name), pair))
      for (const name of missing) named.add(name)
    }
    return found
  }

  /** One codec and one cache per storage path, with the selectable fields of every version that shares the path. */
  private resource(stored: Kind): Promise<StoredResource> {
    const { path } = stored.storage
    const known = this.resources.get(path)
    if (known !== undefined) return known
    const making = this.makeCodec(stored).then((codec) => {
      // The path may have been released meanwhile, and belong to a newer record.
      if (this.resources.get(path) !== making) throw new ReleasedKindError(stored)
      return { codec, cache: this.deps.cache.resource(path, codec) }
    })
    this.resources.set(path, making)
    return making
  }

  private async makeCodec(stored: Kind): Promise<ObjectCodec> {
    const { kinds, vendor, storageFormat } = this.deps
    const parts = await kinds.load(stored)
    const sharing = kinds.sharing(stored.storage.path)
    const earlier = await this.earlierVersions(stored, parts.shape, sharing)
    return createObjectCodec({
      format: stored.storage.format ?? storageFormat,
      apiVersion: vendor.apiVersion(apiVersionOf(stored)),
      kind: stored.kind,
      compact: codecOfKind(parts),
      shape: parts.shape,
      normalizeStored: (object) => storedObject(vendor, { kind: stored, parts }, object),
      selectable: sharing.flatMap((kind) => kind.selectable),
      shared: this.sharedField(stored, parts.shape),
      ...(earlier !== undefined && { earlier }),
    })
  }

  /** The field whose values objects share. None where hooks of an author see objects: they may change them in place. */
  private sharedField(kind: Kind, shape: TypeShape): string | undefined {
    const sharing = this.deps.kinds.sharing(kind.storage.path)
    return sharing.some((one) => this.hasOwnHooks(one)) ? undefined : settledField(shape)
  }

  private hasOwnHooks({ behaviours }: Kind): boolean {
    return behaviours.some((name) => this.deps.ownBehaviours?.has(name) === true)
  }

  /** The versions that share the storage of `stored`: one of them may have been the storage version before. */
  private async earlierVersions(stored: Kind, storedShape: TypeShape, sharing: readonly Kind[]): Promise<EarlierVersions | undefined> {
    const { kinds, vendor } = this.deps
    const versions = new Map<string, { decode: (raw: Uint8Array) => ApiObject; convert: (object: ApiObject) => ApiObject }>()
    // Bounded: a kind has few versions.
    for (const kind of sharing) {
      if (kind === stored || !isStored(kind)) continue
      const parts = await kinds.load(kind)
      const apiVersion = vendor.apiVersion(apiVersionOf(kind))
      const compact = codecOfKind(parts)
      const { toStored } = conversionsOf(vendor, { kind, parts }, { stored, storedShape })
      const convert = (object: ApiObject): ApiObject => toStored(storedObject(vendor, { kind, parts }, object))
      versions.set(apiVersion, { convert, decode: (raw) => convert({ kind: kind.kind, apiVersion, ...compact.decode(raw) }) })
    }
    if (versions.size === 0) return undefined
    return {
      convert: (object) => versions.get(object.apiVersion ?? "")?.convert(object),
      decode: (apiVersion, raw) => versions.get(apiVersion)?.decode(raw),
    }
  }
}

interface LoadedKind {
  readonly kind: Kind
  readonly parts: KindParts
}

function storedConversionsOf(
  vendor: Vendor,
  own: LoadedKind,
  target: { readonly stored: Kind; readonly storedShape: TypeShape },
): StoredConversions {
  const { storedShape } = target
  return { ...conversionsOf(vendor, own, target), storedShape, ofStored: (object) => normalize(storedShape, object).object }
}

/**
 * A stored value in its own version. Objects of a run-time definition get the defaults of its present schema, which may
 * be younger than they are.
 */
function storedObject(vendor: Vendor, { kind, parts }: LoadedKind, value: JsonObject): ApiObject {
  const { object } = normalize(parts.shape, value, { reportUnknown: false, stored: true })
  if (kind.custom !== undefined) parts.applyDefaults(object, { vendor, stored: true })
  return object
}

/** The conversions between a version and the stored one, with the fields that the target always writes. */
export function conversionsOf(
  vendor: Vendor,
  { kind, parts }: LoadedKind,
  { stored, storedShape }: { readonly stored: Kind; readonly storedShape: TypeShape },
): Pick<KindHandle, "fromStored" | "toStored"> {
  const { fromStored, toStored } = parts
  if (fromStored === undefined || toStored === undefined) return { fromStored: (object) => object, toStored: (object) => object }
  return {
    fromStored: reversioned((object) => fromStored(object, { vendor }), {
      shape: parts.shape,
      apiVersion: vendor.apiVersion(apiVersionOf(kind)),
      kind: kind.kind,
    }),
    toStored: reversioned((object) => toStored(object, { vendor }), {
      shape: storedShape,
      apiVersion: vendor.apiVersion(apiVersionOf(stored)),
      kind: stored.kind,
    }),
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
