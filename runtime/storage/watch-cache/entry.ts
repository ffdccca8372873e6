/**
 * The objects of the cache: encoded bytes and two revisions; everything else is derived on demand. Few fields and no
 * closures, because there is one entry per object in the store (bytes first).
 */
import type { ApiObject } from "../../base/json.ts"
import { messageCharactersMax } from "../../base/limits.ts"
import { type ByteRange, setWholeRange } from "../../base/shared-bytes.ts"
import { type CachedObject, type MetadataMark, type ResourceCodec, UndecodableError } from "../cache.ts"
import { bytesOf, placeOf } from "./byte-arena.ts"
import type { ByteArena } from "./byte-arena.ts"
import type { StoredValue } from "../store.ts"
import type { Description, Encoding, EncodingCache } from "./encoding-cache.ts"
import { labelsInJson, withResourceVersion } from "./resource-version.ts"
import type { Slab } from "./slab-pool.ts"
import type { Allocation } from "./slab-pool.ts"

/** Parts that all entries of one resource share. */
export interface EntryContext {
  readonly arena: ByteArena
  readonly codec: ResourceCodec
  readonly encodings: EncodingCache
  /** Decoded objects, where the writer had them, of the entries of this turn. Their fields are read without a parse. */
  readonly written: Map<CachedEntry, ApiObject>
  /** Called whenever a value is found to be undecodable, possibly several times for the same value. */
  readonly onUndecodable: (error: UndecodableError) => void
}

/** Names of an entry's own encodings; names given by callers never start with a NUL. */
const descriptionForm = "\0description"
const labelsForm = "\0labels"
const deletionForm = "\0deletion"
const heldJsonForm = "\0json"

/**
 * Value of `holders` when the bytes are the JSON. If the length of its compact message is known, the value is less by
 * that length and one.
 */
const isJson = -1

const metadataMarks: Readonly<Record<MetadataMark, Buffer>> = {
  ownerReferences: Buffer.from('"ownerReferences"'),
  deletionTimestamp: Buffer.from('"deletionTimestamp"'),
}

/** Rough size of a description beyond its text; only the byte budget uses it. */
const textOverheadBytes = 48

/**
 * One stored version of one object. The bytes are the stored value until JSON is requested, afterwards only the JSON.
 */
export class CachedEntry implements CachedObject, Allocation {
  encodings: Encoding | undefined = undefined
  memory: Uint8Array | Slab
  offset = 0
  length: number
  current = false
  /**
   * Number of holds on the stored value, or `isJson` and less. One field for all of it, since there is one per object.
   */
  private holders = 0

  constructor(
    private readonly context: EntryContext,
    readonly key: string,
    readonly createRevision: number,
    readonly modRevision: number,
    value: Uint8Array,
  ) {
    this.memory = value
    this.length = value.byteLength
  }

  json(): Buffer {
    if (this.holders > 0) return this.jsonBeside()
    this.decode()
    return bytesOf(this)
  }

  jsonPlace(place: ByteRange): void {
    if (this.holders > 0) return setWholeRange(place, this.jsonBeside())
    this.decode()
    placeOf(this, place)
  }

  message(): Buffer | undefined {
    return this.hasJson ? undefined : this.context.codec.toMessage?.(this.stored())
  }

  pinMessage(): Buffer | undefined {
    const message = this.message()
    if (message !== undefined) this.holders++
    return message
  }

  unpinMessage(): void {
    this.holders--
  }

  get hasJson(): boolean {
    return this.holders < 0
  }

  get encodedBytes(): number | undefined {
    return this.holders < isJson ? isJson - 1 - this.holders : undefined
  }

  set encodedBytes(length: number) {
    if (this.hasJson) this.holders = isJson - 1 - length
  }

  private decode(): void {
    if (this.hasJson) return
    const text = this.toJson()
    this.holders = isJson
    this.context.arena.storeText(this, text)
  }

  /** While the stored value is held, the JSON is kept as one more encoding. */
  private jsonBeside(): Buffer {
    return this.derived(heldJsonForm, () => Buffer.from(this.toJson()))
  }

  /** Throws UndecodableError. */
  private toJson(): string {
    try {
      return this.context.codec.toJson(this.stored())
    } catch (error) {
      const why = error instanceof Error ? error.message.slice(0, messageCharactersMax) : String(error)
      const fault = new UndecodableError(this.key, this.modRevision, why)
      this.context.onUndecodable(fault)
      throw fault
    }
  }

  private stored(): StoredValue {
    const { createRevision, key, modRevision } = this
    return { key, value: bytesOf(this), createRevision, modRevision }
  }

  /** Called first, with JSON that the writer has already made: the stored value is not needed then. */
  giveJson(json: Buffer): void {
    this.holders = isJson
    this.context.arena.store(this, json)
  }

  /** Called when this version becomes the newest. */
  enter(): void {
    this.current = true
    this.context.arena.store(this, bytesOf(this))
  }

  /** Called when another version or a deletion replaced it. */
  retire(): void {
    this.context.arena.retire(this)
  }

  /** Size of the bytes held, for the byte budget of the event window. */
  get sizeBytes(): number {
    return this.length
  }

  labels(): Readonly<Record<string, string>> {
    const kept = this.keptLabels()
    if (kept !== undefined) return kept
    const labels = this.readLabels()
    this.context.encodings.keep(this, labelsForm, { labels, fields: {} }, textBytes(labels))
    return labels
  }

  /** The same for callers that visit every object once: keeps nothing. */
  labelsUncached(): Readonly<Record<string, string>> {
    return this.keptLabels() ?? this.readLabels()
  }

  private keptLabels(): Readonly<Record<string, string>> | undefined {
    const { encodings } = this.context
    const kept = encodings.find(this, descriptionForm) ?? encodings.find(this, labelsForm)
    return kept === undefined || Buffer.isBuffer(kept) ? undefined : kept.labels
  }

  private readLabels(): Readonly<Record<string, string>> {
    if (this.hasJson) return labelsInJson(bytesOf(this))
    return this.context.codec.labels?.(bytesOf(this)) ?? labelsInJson(this.json())
  }

  field(name: string): string {
    const { fields } = this.describe()
    return Object.hasOwn(fields, name) ? (fields[name] ?? "") : ""
  }

  /** The same for callers that visit every object once: keeps nothing. */
  fieldUncached(name: string): string {
    const kept = this.context.encodings.find(this, descriptionForm)
    const { fields } = kept === undefined || Buffer.isBuffer(kept) ? this.readDescription() : kept
    return Object.hasOwn(fields, name) ? (fields[name] ?? "") : ""
  }

  mayHaveMetadata(names: readonly MetadataMark[]): boolean {
    const bytes = bytesOf(this)
    if (this.hasJson) return names.some((name) => bytes.includes(metadataMarks[name]))
    return this.context.codec.mayHaveMetadata?.(bytes, names) ?? true
  }

  derived(form: string, make: () => Buffer): Buffer {
    return cachedEncoding(this.context.encodings, this, form, make)
  }

  kept(form: string): Buffer | undefined {
    return keptEncoding(this.context.encodings, this, form)
  }

  private describe(): Description {
    const kept = this.context.encodings.find(this, descriptionForm)
    if (kept !== undefined && !Buffer.isBuffer(kept)) return kept
    const description = this.readDescription()
    this.context.encodings.keep(this, descriptionForm, description, textBytes(description.labels) + textBytes(description.fields))
    return description
  }

  private readDescription(): Description {
    const { codec, written } = this.context
    const object = written.get(this)
    if (object !== undefined && codec.describeObject !== undefined) return codec.describeObject(object)
    return (this.hasJson ? undefined : codec.describeStored?.(bytesOf(this))) ?? codec.describe(this.json())
  }
}

/** The object of a DELETED event: the last state with the revision of its deletion. Its bytes are patched on demand. */
export class DeletedEntry implements CachedObject {
  encodings: Encoding | undefined = undefined

  constructor(
    private readonly budget: EncodingCache,
    private readonly last: CachedEntry,
    readonly modRevision: number,
  ) {}

  get key(): string {
    return this.last.key
  }

  get createRevision(): number {
    return this.last.createRevision
  }

  json(): Buffer {
    return this.derived(deletionForm, () => withResourceVersion(this.last.json(), this.modRevision))
  }

  jsonPlace(place: ByteRange): void {
    setWholeRange(place, this.json())
  }

  get hasJson(): boolean {
    return this.last.hasJson
  }

  get sizeBytes(): number {
    return this.last.sizeBytes
  }

  labels(): Readonly<Record<string, string>> {
    return this.last.labels()
  }

  field(name: string): string {
    return this.last.field(name)
  }

  mayHaveMetadata(names: readonly MetadataMark[]): boolean {
    return this.last.mayHaveMetadata(names)
  }

  derived(form: string, make: () => Buffer): Buffer {
    return cachedEncoding(this.budget, this, form, make)
  }

  kept(form: string): Buffer | undefined {
    return keptEncoding(this.budget, this, form)
  }
}

function cachedEncoding(budget: EncodingCache, holder: CachedEntry | DeletedEntry, form: string, make: () => Buffer): Buffer {
  const kept = keptEncoding(budget, holder, form)
  if (kept !== undefined) return kept
  const made = make()
  budget.keep(holder, form, made, made.byteLength)
  return made
}

function keptEncoding(budget: EncodingCache, holder: CachedEntry | DeletedEntry, form: string): Buffer | undefined {
  const kept = budget.find(holder, form)
  return Buffer.isBuffer(kept) ? kept : undefined
}

function textBytes(record: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const name in record) bytes += name.length + (record[name]?.length ?? 0) + textOverheadBytes
  return bytes
}
