/**
 * Reads and writes of a kind whose versions another server converts (`KindParts.convert`). Code that cannot wait reads
 * objects that were converted before it runs: reads return objects in the version of the request, and writes are
 * converted before they are committed.
 */
import type { Clock } from "../base/clock.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { ByteRange } from "../base/shared-bytes.ts"
import { Turns } from "../base/turns.ts"
import { decodeWork, encodeWork, lookWork, parseWork } from "../base/work.ts"
import { stringify } from "../encoding/json/text.ts"
import type { ConvertObjects } from "../schema/kind.ts"
import type { CachedObject, CacheEvent, ObjectRange, ResourceCodec } from "../storage/cache.ts"
import { ConvertedObject } from "./converted-object.ts"
import { parseObject } from "./object-codec.ts"

/** Objects that are converted, and held as objects, at a time: one call of a converting server. */
const convertedAtOnce = 500

/**
 * Milliseconds for which the bytes of a converted object are read again. An author who changes the converting server
 * and reads the object again sees the new result soon. Kept bytes count towards the budget of encodings.
 */
export const convertedKeptMs = 10_000

/** One version of the kind. */
export interface ConversionVersion {
  /** As on the wire. */
  readonly apiVersion: string
  readonly kind: string
  /** Brings an object of this version into the form of its shape. */
  readonly normalize: (object: JsonObject) => JsonObject
}

export interface VersionConversionOptions {
  /** The version of the requests. */
  readonly own: ConversionVersion
  readonly stored: ConversionVersion
  readonly convert: ConvertObjects
  readonly codec: ResourceCodec
  readonly clock: Clock
  /** Objects that were converted for code that cannot wait; shared by all versions of all kinds. */
  readonly known: KnownConversions
}

/** Results of conversions by target version and JSON of the object, for as long as a caller of `waiting` needs them. */
export type KnownConversions = Map<string, ApiObject>

/** Thrown where a conversion is needed at once; `VersionConversion.waiting` makes it and starts over. */
class ConversionNeeded extends Error {
  constructor(
    readonly key: string,
    readonly object: ApiObject,
    readonly conversion: VersionConversion,
  ) {
    super("an object must be converted first")
    this.name = "ConversionNeeded"
  }
}

/** Conversions of one attempt; a write compares two states in each version that a manager wrote. */
const conversionsPerAttemptMax = 100

/** One per handle of such a kind. */
export class VersionConversion {
  private readonly ownHead: Buffer
  private readonly storedHead: Buffer
  private readonly running = new WeakMap<CachedObject, Promise<ReadonlyMap<CachedObject, Buffer>>>()
  private readonly events = new WeakMap<readonly CacheEvent[], Promise<readonly CacheEvent[]>>()
  private readonly place: ByteRange = { bytes: Buffer.alloc(0), start: 0, end: 0 }

  constructor(private readonly options: VersionConversionOptions) {
    this.ownHead = headOf(options.own)
    this.storedHead = headOf(options.stored)
  }

  /** The result's name among an object's encodings. It changes with time, so that old results are forgotten. */
  private form(): string {
    const { clock, own } = this.options
    return `converted:${own.apiVersion}:${Math.floor(clock.elapsedMs() / convertedKeptMs)}`
  }

  /** Whether an object of the cache is in the version of the requests, and is shown as it is. */
  isOwn(object: Pick<CachedObject, "jsonPlace">): boolean {
    return this.hasHead(object, this.ownHead)
  }

  /** Whether an object is stored in the storage version; an earlier one may have written it. */
  isCurrent(object: Pick<CachedObject, "jsonPlace">): boolean {
    return this.hasHead(object, this.storedHead)
  }

  /** Whether all objects of a range are shown as they are. The result for a range is kept with its encodings. */
  isOwnRange(range: ObjectRange): boolean {
    const known = range.encoded(`own:${this.options.own.apiVersion}`, () => (this.areOwn(range) ? yes : no))
    return known === undefined ? this.areOwn(range) : known.equals(yes)
  }

  /** As `present`, of one object. */
  async one(object: CachedObject): Promise<CachedObject> {
    const [shown = object] = this.isOwn(object) ? [] : await this.present([object])
    return shown
  }

  /**
   * The objects in the version of the requests, in order. Results are kept with the other encodings of the objects, and
   * callers that need an object at the same time share one conversion. Rejects as `KindParts.convert`.
   */
  async present(objects: readonly CachedObject[]): Promise<readonly CachedObject[]> {
    const { codec } = this.options
    const form = this.form()
    const turns = new Turns()
    const missing: CachedObject[] = []
    const begun: CachedObject[] = []
    const found = new Map<CachedObject, Buffer>()
    for (const object of objects) {
      if (turns.isOver(object.hasJson ? lookWork : decodeWork(object.sizeBytes))) await turns.next()
      if (this.isOwn(object)) continue
      const kept = object.kept?.(form)
      if (kept !== undefined) found.set(object, kept)
      else if (this.running.has(object)) begun.push(object)
      else missing.push(object)
    }
    await this.convertInto(found, missing, form)
    const failed = await this.awaitBegun(found, begun)
    await this.convertInto(found, failed, form)
    if (found.size === 0) return objects
    return objects.map((object) => {
      const bytes = found.get(object)
      return bytes === undefined ? object : new ConvertedObject(object, bytes, { form, codec })
    })
  }

  /** Events with their objects in the version of the requests; undefined if they all are. */
  presentEvents(events: readonly CacheEvent[], withPrevious: boolean): Promise<readonly CacheEvent[]> | undefined {
    const objects = events.flatMap(({ object, previous }) => (withPrevious && previous !== undefined ? [object, previous] : [object]))
    if (objects.every((object) => this.isOwn(object))) return undefined
    // Watchers of the same events share their frames by the batch.
    const known = withPrevious ? undefined : this.events.get(events)
    if (known !== undefined) return known
    const presented = this.eventsWith(events, objects)
    if (!withPrevious) this.events.set(events, presented)
    return presented
  }

  /** Converts an object that is going to be written: into its stored form, and into the form that clients see then. */
  async written(object: ApiObject): Promise<{ readonly object: ApiObject; readonly stored: ApiObject }> {
    const { own, stored: target } = this.options
    if (own.apiVersion === target.apiVersion) {
      // An object of an earlier storage version was read without the defaults that it is stored with.
      const stored = inFormOf(target, object)
      return { object: stored, stored }
    }
    const stored = await this.converted(object, target)
    return { object: await this.converted(stored, own), stored }
  }

  /**
   * For code that cannot wait, below `waiting`: an object of any version in the version of the requests. An object
   * without a version, which no manager has written, stays as it is.
   */
  now(object: ApiObject): ApiObject {
    const { own, known } = this.options
    if (object.apiVersion === undefined || object.apiVersion === own.apiVersion) return object
    const key = `${own.apiVersion} ${stringify(object)}`
    const found = known.get(key)
    if (found === undefined) throw new ConversionNeeded(key, object, this)
    return found
  }

  /** Repeats `work`, which is pure, until every conversion that it requests from `now` is known. */
  async waiting<T>(work: () => T | Promise<T>): Promise<T> {
    const { known } = this.options
    const own = new Map<string, ApiObject>()
    try {
      for (;;) {
        // Another caller may have removed conversions that both use.
        for (const [key, object] of own) known.set(key, object)
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof ConversionNeeded) || own.size >= conversionsPerAttemptMax) throw error
          own.set(error.key, await error.conversion.converted(error.object, error.conversion.options.own))
        }
      }
    } finally {
      for (const key of own.keys()) known.delete(key)
    }
  }

  private async converted(object: ApiObject, to: ConversionVersion): Promise<ApiObject> {
    const [result = object] = await this.options.convert([object], to.apiVersion)
    return inFormOf(to, result)
  }

  private async eventsWith(events: readonly CacheEvent[], objects: readonly CachedObject[]): Promise<readonly CacheEvent[]> {
    const shown = await this.present(objects)
    const byObject = new Map(objects.map((object, index) => [object, shown[index] ?? object]))
    return events.map((event) => {
      const { object, previous } = event
      const before = previous === undefined ? {} : { previous: byObject.get(previous) ?? previous }
      return { ...event, object: byObject.get(object) ?? object, ...before }
    })
  }

  private areOwn({ objects, start, end }: ObjectRange): boolean {
    for (let index = start; index < end; index++) {
      const object = objects[index]
      if (object !== undefined && !this.isOwn(object)) return false
    }
    return true
  }

  private hasHead(object: Pick<CachedObject, "jsonPlace">, head: Buffer): boolean {
    const { place } = this
    object.jsonPlace(place)
    const { bytes, end, start } = place
    return end - start >= head.length && bytes.compare(head, 0, head.length, start, start + head.length) === 0
  }

  private async convertInto(found: Map<CachedObject, Buffer>, objects: readonly CachedObject[], form: string): Promise<void> {
    // Bounded: each batch takes turns while it is read and written.
    for (let from = 0; from < objects.length; from += convertedAtOnce)
      for (const [object, bytes] of await this.started(objects.slice(from, from + convertedAtOnce), form)) found.set(object, bytes)
  }

  /** Waits for conversions of other callers. Returns the objects whose conversion failed, maybe for another object. */
  private async awaitBegun(found: Map<CachedObject, Buffer>, objects: readonly CachedObject[]): Promise<readonly CachedObject[]> {
    const failed: CachedObject[] = []
    const turns = new Turns()
    for (const object of objects) {
      if (turns.isOver(lookWork)) await turns.next()
      const made = await this.running.get(object)?.catch(() => undefined)
      const bytes = made?.get(object) ?? object.kept?.(this.form())
      if (bytes === undefined) failed.push(object)
      else found.set(object, bytes)
    }
    return failed
  }

  private started(objects: readonly CachedObject[], form: string): Promise<ReadonlyMap<CachedObject, Buffer>> {
    const running = this.bytesOf(objects, form)
    for (const object of objects) this.running.set(object, running)
    // The caller reports a failure.
    running.finally(() => objects.forEach((object) => this.running.delete(object))).catch(() => {})
    return running
  }

  private async bytesOf(objects: readonly CachedObject[], form: string): Promise<ReadonlyMap<CachedObject, Buffer>> {
    const { own, convert } = this.options
    const turns = new Turns()
    const read: ApiObject[] = []
    for (const object of objects) {
      read.push(parseObject(object.json()))
      if (turns.isOver(parseWork(object.sizeBytes))) await turns.next()
    }
    const converted = await convert(read, own.apiVersion)
    const made = new Map<CachedObject, Buffer>()
    for (const [index, object] of objects.entries()) {
      const bytes = Buffer.from(stringify(inFormOf(own, converted[index] ?? {})))
      made.set(
        object,
        object.derived(form, () => bytes),
      )
      if (turns.isOver(encodeWork(bytes.length))) await turns.next()
    }
    return made
  }
}

const yes = Buffer.from("y")
const no = Buffer.from("n")

/** The first bytes of the JSON of each object of a version; see `CachedObject.json`. */
function headOf({ kind, apiVersion }: ConversionVersion): Buffer {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`)
}

function inFormOf({ apiVersion, kind, normalize }: ConversionVersion, object: ApiObject): ApiObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = normalize(object)
  return { kind, apiVersion, ...rest }
}

/** Runs work that may need conversions. For kinds without conversion it is a plain call. */
export function withConversions<T>(conversion: VersionConversion | undefined, work: () => T | Promise<T>): T | Promise<T> {
  return conversion === undefined ? work() : conversion.waiting(work)
}

/** The objects in arrays of up to `convertedAtOnce`, each made when it is requested. */
export function* inBatches(objects: Iterable<CachedObject>): Generator<readonly CachedObject[]> {
  let batch: CachedObject[] = []
  for (const object of objects) {
    batch.push(object)
    if (batch.length < convertedAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
