/**
 * Reads of kinds whose objects are computed and not stored (`answeredBy` of a schema, with the verbs get and list). The
 * objects that a behaviour returns become a snapshot: selectors, pages, orders and encodings work as in all lists.
 */
import { assert } from "../base/assert.ts"
import { notFound } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { type ByteRange, setWholeRange } from "../base/shared-bytes.ts"
import { normalize } from "../encoding/normalize.ts"
import { stringify } from "../encoding/json/text.ts"
import type { CachedObject, Snapshot } from "../storage/cache.ts"
import { compareBytes } from "../base/byte-order.ts"
import type { KindHandle, Registry } from "./registry.ts"

/** Computes the objects as they are now; with `name`, it may omit others. Called for each list, also of later pages. */
export async function computedSnapshot(
  registry: Registry,
  handle: KindHandle,
  { namespace, name }: { readonly namespace: string; readonly name?: string },
): Promise<Snapshot> {
  const behaviour = registry.subresourceBehaviour(handle.kind.answeredBy ?? "")
  assert(behaviour.read !== undefined, "a behaviour whose kind is read has the function read", { kind: handle.kind.kind })
  const found = await behaviour.read({ namespace, ...(name !== undefined && { name }) })
  const objects = found.map((object) => new ComputedObject(handle, object)).sort((one, other) => compareBytes(one.key, other.key))
  return snapshotOf(objects)
}

/** One object as it is now. Throws 404. */
export async function computedObject(
  registry: Registry,
  handle: KindHandle,
  place: { readonly namespace: string; readonly name: string },
): Promise<CachedObject> {
  const key = handle.key(place.namespace, place.name)
  const { group, resource } = handle.kind
  // Bounded: computed objects are few.
  for (const object of (await computedSnapshot(registry, handle, place)).entries({ prefix: key })) if (object.key === key) return object
  throw notFound({ group, resource, name: place.name })
}

function snapshotOf(objects: readonly CachedObject[]): Snapshot {
  const below = ({ prefix, startAfter }: { prefix: string; startAfter?: string }): CachedObject[] =>
    objects.filter(({ key }) => key.startsWith(prefix) && (startAfter === undefined || compareBytes(key, startAfter) > 0))
  return {
    revision: 0,
    entries: below,
    ranges(options) {
      const found = below(options)
      return found.length === 0 ? [] : [{ objects: found, start: 0, end: found.length, encoded: () => undefined }]
    },
    count: (options) => below(options).length,
    selected: () => undefined,
  }
}

/** An object without a stored value: it lives as long as the request, and nothing of it is kept. */
class ComputedObject implements CachedObject {
  readonly createRevision = 0
  readonly modRevision = 0
  readonly hasJson = true
  readonly key: string
  private readonly bytes: Buffer
  private described: ReturnType<KindHandle["codec"]["describe"]> | undefined

  constructor(
    private readonly handle: KindHandle,
    object: ApiObject,
  ) {
    const { namespace = "", name = "" } = object.metadata ?? {}
    this.key = handle.key(namespace, name)
    const { kind: _kind, apiVersion: _apiVersion, ...fields } = normalize(handle.parts.shape, object, { reportUnknown: false }).object
    this.bytes = Buffer.from(stringify({ kind: handle.kind.kind, apiVersion: handle.apiVersion, ...fields }))
  }

  get sizeBytes(): number {
    return this.bytes.length
  }

  json(): Buffer {
    return this.bytes
  }

  jsonPlace(place: ByteRange): void {
    setWholeRange(place, this.bytes)
  }

  labels(): Readonly<Record<string, string>> {
    return this.description().labels
  }

  field(name: string): string {
    return this.description().fields[name] ?? ""
  }

  mayHaveMetadata(): boolean {
    return true
  }

  derived(_form: string, make: () => Buffer): Buffer {
    return make()
  }

  private description(): ReturnType<KindHandle["codec"]["describe"]> {
    this.described ??= this.handle.codec.describe(this.bytes)
    return this.described
  }
}
