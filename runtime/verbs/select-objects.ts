/**
 * Finds the few objects of a collection that concern a request, by a test of their content: the disruption budgets that
 * select a pod. The reading of an object is kept until the object changes, so that a short request need not parse all
 * stored objects.
 */
import { Pace } from "../base/pace.ts"
import { Turns } from "../base/turns.ts"
import type { ApiObject } from "../base/json.ts"
import { keptReadingsBytesMax } from "../base/limits.ts"
import { lookWork, readWork } from "../base/work.ts"
import type { Reading } from "../schema/behaviour.ts"
import type { CachedObject, ResourceCache } from "../storage/cache.ts"
import { parseObject } from "../registry/object-codec.ts"
import type { KindHandle } from "../registry/registry.ts"

/** Time to read an object, as a multiple of the time to parse it; measured with selectors of many keys. */
const readingTimes = 8

interface Selection<Read> {
  readonly prefix: string
  readonly reading: Reading<Read>
  readonly test: (read: Read) => boolean
}

/** Returns the objects below a prefix whose reading passes the test. */
export async function selectObjects<Read>(handle: KindHandle, { prefix, reading, test }: Selection<Read>): Promise<ApiObject[]> {
  const { cache, conversion } = handle
  const kept = readingsOf(cache, reading)
  const selected: ApiObject[] = []
  const turns = new Turns()
  for (const entry of cache.snapshot().entries({ prefix })) {
    const known = kept.find(entry)
    const shown = known !== undefined || conversion === undefined ? entry : await conversion.one(entry)
    const { read } = known ?? kept.keep(entry, await readNow(handle, shown, reading))
    if (test(read)) selected.push(objectIn(handle, conversion === undefined ? entry : await conversion.one(entry)))
    if (turns.isOver(known === undefined ? readingTimes * readWork(entry) : lookWork)) await turns.next()
  }
  return selected
}

function objectIn(handle: KindHandle, entry: CachedObject): ApiObject {
  return handle.fromStored(parseObject(entry.json()))
}

async function readNow<Read>(handle: KindHandle, entry: CachedObject, reading: Reading<Read>): Promise<Read> {
  const object = objectIn(handle, entry)
  const pace = new Pace(entry.sizeBytes)
  await pace.turn()
  return pace.run(reading.read(object))
}

interface KeptReading<Read> {
  readonly modRevision: number
  readonly bytes: number
  readonly read: Read
}

/** Results of one reading for the objects of one resource, by their keys. */
class KeptReadings<Read> {
  private readonly byKey = new Map<string, KeptReading<Read>>()
  private bytes = 0
  /** Readings that found no room since outdated ones were last removed. */
  private refused = 0

  constructor(private readonly cache: ResourceCache) {}

  find({ key, modRevision }: CachedObject): KeptReading<Read> | undefined {
    const kept = this.byKey.get(key)
    return kept?.modRevision === modRevision ? kept : undefined
  }

  /** Keeps it if there is room. A user who stores more than that pays for reading the rest each time. */
  keep({ key, modRevision, sizeBytes }: CachedObject, read: Read): KeptReading<Read> {
    const reading: KeptReading<Read> = { modRevision, bytes: sizeBytes, read }
    this.drop(key)
    if (this.bytes + sizeBytes > keptReadingsBytesMax && ++this.refused > this.byKey.size) this.dropOutdated()
    if (this.bytes + sizeBytes > keptReadingsBytesMax) return reading
    this.byKey.set(key, reading)
    this.bytes += sizeBytes
    return reading
  }

  private drop(key: string): void {
    const kept = this.byKey.get(key)
    if (kept === undefined) return
    this.byKey.delete(key)
    this.bytes -= kept.bytes
  }

  private dropOutdated(): void {
    this.refused = 0
    for (const [key, { modRevision }] of this.byKey) if (this.cache.get(key)?.modRevision !== modRevision) this.drop(key)
  }
}

const keptReadings = new WeakMap<ResourceCache, Map<object, KeptReadings<unknown>>>()

function readingsOf<Read>(cache: ResourceCache, reading: Reading<Read>): KeptReadings<Read> {
  const ofCache = keptReadings.get(cache) ?? new Map<object, KeptReadings<unknown>>()
  keptReadings.set(cache, ofCache)
  const found = ofCache.get(reading) ?? new KeptReadings<unknown>(cache)
  ofCache.set(reading, found)
  return found as KeptReadings<Read> // Only this reading has filled it.
}
