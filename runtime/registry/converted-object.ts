/** An object of the cache in another version than the stored one, for readers that take cached objects. */
import { type ByteRange, setWholeRange } from "../base/shared-bytes.ts"
import type { CachedObject, MetadataMark, ResourceCodec } from "../storage/cache.ts"

/** The bytes live as long as the request that reads them; encodings made from them are kept with the cached object. */
export class ConvertedObject implements CachedObject {
  readonly hasJson = true
  encodedBytes: number | undefined
  private described: ReturnType<ResourceCodec["describe"]> | undefined

  constructor(
    private readonly stored: CachedObject,
    private readonly bytes: Buffer,
    private readonly made: { readonly form: string; readonly codec: ResourceCodec },
  ) {}

  get key(): string {
    return this.stored.key
  }

  get createRevision(): number {
    return this.stored.createRevision
  }

  get modRevision(): number {
    return this.stored.modRevision
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

  /** A conversion changes neither owners nor the time of deletion. */
  mayHaveMetadata(names: readonly MetadataMark[]): boolean {
    return this.stored.mayHaveMetadata(names)
  }

  derived(form: string, make: () => Buffer): Buffer {
    return this.stored.derived(`${this.made.form}:${form}`, make)
  }

  private description(): ReturnType<ResourceCodec["describe"]> {
    this.described ??= this.made.codec.describe(this.bytes)
    return this.described
  }
}
