/**
 * `store migrate`: rewrites the objects of a storage path for the present schema. Each value is decoded with the shape
 * that wrote it, as the record of the path describes it, so that fields keep their names whatever their numbers are. A
 * page of objects and the record of the progress are one commit: a migration that ends early resumes there.
 */
import { codecOfKind, createProtobufCodec, unwrapUnknown } from "../encoding/protobuf/codec.ts"
import { isEnvelope } from "../encoding/protobuf/envelope.ts"
import { deepClone, deletePath } from "../encoding/field-path.ts"
import { DecodeFault } from "../encoding/json/decode-fault.ts"
import { normalize } from "../encoding/normalize.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { nextTurn } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Kind, KindParts } from "../schema/kind.ts"
import type { TypeShape } from "../schema/shape.ts"
import { shapeOfForm, type StoredForm } from "../schema/stored-shape.ts"
import { compareBytes } from "../base/byte-order.ts"
import { type Store, StoreError, type StoredValue, type Write } from "../storage/store.ts"
import type { KindTable } from "./kinds.ts"
import { createObjectCodec, type ObjectCodec, parseObject, type StorageFormat } from "./object-codec.ts"
import { apiVersionOf, conversionsOf } from "./registry.ts"
import { formOfKind, type KeptRecord, kindOf, readShapeRecord, type ShapeRecord, shapeRecordBytes, shapesPrefix } from "./stored-shapes.ts"

export interface MigrationOptions {
  /** The store of the objects and of their records. No server may be using it. */
  readonly store: Store
  /** `--store-prefix`, with a slash at both ends. */
  readonly prefix: string
  readonly kinds: KindTable
  readonly vendor: Vendor
  readonly format: StorageFormat
  readonly nowMs: () => number
}

/** Result of the migration of one storage path. */
export interface MigrationCounts {
  readonly objects: number
  /** Objects with other bytes than before. */
  readonly rewritten: number
  /** Stored fields that the present schema does not have, or not with this type, and how many objects have each. */
  readonly dropped: ReadonlyMap<string, number>
}

/** Objects in one commit: etcd accepts 128 operations by default, and a request of 1.5 MiB. */
const pageObjects = 100
const pageBytes = 1024 * 1024
/** Attempts at a page that another program changes. */
const attemptsMax = 10

/** The migration of one storage path. Made by `openMigration`. */
export interface Migration {
  /** Reads and converts every object without writing. Throws StoreError that names the object that cannot be read. */
  count(): Promise<MigrationCounts>
  /** Rewrites the objects, then the record. Throws StoreError; a later call resumes where this one ended. */
  run(): Promise<MigrationCounts>
}

/**
 * Called for each storage path with a record. Returns undefined when nothing has to be rewritten. Throws StoreError
 * when a version that wrote objects is not served, or when an unfinished migration was begun for another schema.
 */
export async function openMigration(options: MigrationOptions, stored: Kind, kept: KeptRecord): Promise<Migration | undefined> {
  const parts = await options.kinds.load(stored)
  const isCompact = options.format === "compact" && stored.storage.format !== "json"
  const current = formOfKind(stored, parts.shape, isCompact)
  const { forms, migrating } = kept.record
  if (migrating === undefined && !differs(forms, current)) return undefined
  if (migrating !== undefined && migrating.to.shape !== current.shape)
    throw new StoreError("unavailable", `the migration of ${stored.resource} was begun for another schema; finish it with that one first`)
  const target: Target = { options, stored, current, codec: await codecOf(options, stored, parts) }
  const readers = await readersOf(target, [...forms, ...(await unrecordedForms(target, forms))])
  return new PathMigration(target, kept, readers, migrating === undefined ? undefined : await readersOf(target, [migrating.to]))
}

function differs(forms: readonly StoredForm[], current: StoredForm): boolean {
  const [first, ...others] = forms
  if (first === undefined || others.length > 0 || first.shape !== current.shape) return true
  const isSame = first.group === current.group && first.version === current.version && first.kind === current.kind
  return !isSame || (first.compact && !current.compact)
}

/** The versions of the path that the record does not name: a program that keeps no record may have written them. */
async function unrecordedForms(
  { options: { kinds }, stored, current }: Target,
  forms: readonly StoredForm[],
): Promise<readonly StoredForm[]> {
  const recorded = forms.map((form) => kindOf(kinds, stored, form))
  const others = kinds.sharing(stored.storage.path).filter((kind) => kind.postsTo === undefined && !recorded.includes(kind))
  return Promise.all(others.map(async (kind) => formOfKind(kind, (await kinds.load(kind)).shape, current.compact)))
}

interface Target {
  readonly options: MigrationOptions
  readonly stored: Kind
  readonly current: StoredForm
  readonly codec: ObjectCodec
}

async function codecOf({ format, vendor }: MigrationOptions, stored: Kind, parts: KindParts): Promise<ObjectCodec> {
  return createObjectCodec({
    format: stored.storage.format ?? format,
    apiVersion: vendor.apiVersion(apiVersionOf(stored)),
    kind: stored.kind,
    compact: codecOfKind(parts),
    shape: parts.shape,
    normalizeStored: (object) => normalize(parts.shape, object).object,
    selectable: [],
  })
}

/** Reads values of one form, as objects of the present storage version. */
interface FormReader {
  readonly apiVersion: string
  readonly decode: (raw: Uint8Array) => JsonObject
  readonly convert: (object: JsonObject) => { readonly object: ApiObject; readonly lost: readonly string[] }
}

async function readersOf(target: Target, forms: readonly StoredForm[]): Promise<readonly FormReader[]> {
  return Promise.all(forms.map((form) => readerOf(target, form)))
}

async function readerOf({ options, stored }: Target, form: StoredForm): Promise<FormReader> {
  const { kinds, vendor } = options
  const kind = kindOf(kinds, stored, form)
  if (kind === undefined) {
    const name = `${apiVersionOf(form)} ${form.kind}`
    throw new StoreError(
      "unavailable",
      `the ${stored.resource} of the store are ${name}, which is not served: how they convert is not known`,
    )
  }
  const parts = await kinds.load(kind)
  const shape = form.compact ? shapeOfForm(form) : parts.shape
  const compact = createProtobufCodec(shape)
  const apiVersion = vendor.apiVersion(apiVersionOf(form))
  const storedShape = (await kinds.load(stored)).shape
  const { toStored } = conversionsOf(vendor, { kind, parts }, { stored, storedShape })
  return {
    apiVersion,
    // Drops fields that the shape would leave out: zero values that are not pointers were written as well.
    decode: (raw) => normalize(shape, { kind: kind.kind, apiVersion, ...compact.decode(raw) }).object,
    convert(read) {
      const { object, lost } = fitted(parts.shape, read)
      // Also lists fields for which the conversion has no place.
      const unplaced = parts.toStored === undefined ? [] : normalize(storedShape, parts.toStored(object, { vendor })).unknown
      return { object: toStored(object), lost: [...lost, ...unplaced] }
    },
  }
}

/** The object without fields that the shape does not have, and without values that do not fit. */
function fitted(shape: TypeShape, read: JsonObject): { readonly object: ApiObject; readonly lost: readonly string[] } {
  const misfits: string[] = []
  for (let fitting = read; ; ) {
    try {
      const { object, unknown } = normalize(shape, fitting)
      return { object, lost: [...unknown, ...misfits] }
    } catch (error) {
      const path = error instanceof DecodeFault ? existingPath(read, error.field) : ""
      if (path === "" || misfits.includes(path)) throw error
      if (misfits.length === 0) fitting = deepClone(read)
      deletePath(fitting, path)
      misfits.push(path)
    }
  }
}

/** The part of a path above its first list or map: "spec.rows[3].x" is "spec.rows". */
function existingPath(object: JsonObject, path: string): string {
  const steps: string[] = []
  let value: JsonValue | undefined = object
  for (const step of path.split(".")) {
    const [name = ""] = step.split("[", 1)
    if (!isObject(value) || !Object.hasOwn(value, name)) break
    steps.push(name)
    if (name !== step) break
    value = value[name]
  }
  return steps.join(".")
}

class PathMigration implements Migration {
  private readonly recordKey: string

  constructor(
    private readonly target: Target,
    private readonly kept: KeptRecord,
    private readonly readers: readonly FormReader[],
    /** Readers of the objects that an earlier run rewrote. */
    private readonly doneReaders: readonly FormReader[] | undefined,
  ) {
    this.recordKey = shapesPrefix(target.options.prefix) + target.stored.storage.path
  }

  async count(): Promise<MigrationCounts> {
    const counts = new Counts()
    for (let after = ""; ; ) {
      const { page, more } = await this.page(after)
      for (const item of page) this.rewritten(item, counts)
      const last = page.at(-1)
      if (last === undefined || !more) return counts
      after = last.key
    }
  }

  async run(): Promise<MigrationCounts> {
    const counts = new Counts()
    let { modRevision } = this.kept
    let after = this.kept.record.migrating?.after ?? ""
    for (let attempt = 1; ; ) {
      const { page, more } = await this.page(after)
      const attempted = new Counts()
      const writes = page.flatMap((item) => this.rewritten(item, attempted) ?? [])
      const last = page.at(-1)
      const isLast = !more || last === undefined
      const revision = await this.commit({ page, writes, modRevision, record: this.recordAfter(isLast ? undefined : last.key) })
      if (revision === undefined) {
        if (++attempt > attemptsMax) throw new StoreError("unavailable", "another program keeps writing these objects; stop all servers")
        continue
      }
      counts.add(attempted)
      modRevision = revision
      if (isLast) return counts
      attempt = 1
      after = last.key
    }
  }

  /** The next objects, as many as one commit may change. */
  private async page(after: string): Promise<{ readonly page: readonly StoredValue[]; readonly more: boolean }> {
    // An embedded store answers at once; without a turn the process would not see that its parent has ended.
    await nextTurn()
    const { kinds, prefix, store } = this.target.options
    const { path } = this.target.stored.storage
    const below = `${prefix}${path}/`
    const { items, more } = await store.list({ prefix: below, limit: pageObjects, ...(after !== "" && { startAfter: after }) })
    const deeper = kinds.all().flatMap((kind) => (kind.storage.path.startsWith(`${path}/`) ? [`${prefix}${kind.storage.path}/`] : []))
    let bytes = 0
    const end = items.findIndex((item, index) => {
      bytes += item.value.byteLength
      return index > 0 && bytes > pageBytes
    })
    const taken = end < 0 ? items : items.slice(0, end)
    const page = taken.filter(({ key }) => !deeper.some((other) => key.startsWith(other)))
    if (page.length === 0 && taken.length > 0 && more) return this.page(taken.at(-1)?.key ?? "")
    return { page, more: more || end >= 0 }
  }

  /** The write of an object in its new form; undefined when its bytes stay. */
  private rewritten(item: StoredValue, counts: Counts): Write | undefined {
    const { key, expiresAtMs } = item
    counts.objects++
    let value: Uint8Array
    try {
      const { object, lost } = this.read(item)
      counts.drop(lost)
      value = this.target.codec.encode(object).value
    } catch (error) {
      throw new StoreError("unavailable", `${key} cannot be migrated: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (Buffer.compare(value, item.value) === 0) return undefined
    counts.rewritten++
    if (expiresAtMs === undefined) return { type: "put", key, value }
    return { type: "put", key, value, ttlSeconds: Math.max(1, Math.ceil((expiresAtMs - this.target.options.nowMs()) / 1000)) }
  }

  private read({ key, value }: StoredValue): ReturnType<FormReader["convert"]> {
    const { migrating } = this.kept.record
    const isDone = migrating !== undefined && compareBytes(key, migrating.after) <= 0
    const readers = isDone ? (this.doneReaders ?? this.readers) : this.readers
    const readerFor = (apiVersion: string | undefined): FormReader => {
      const reader = readers.find((one) => one.apiVersion === apiVersion) ?? readers[0]
      if (reader === undefined) throw new Error("the record of the stored shape names no form")
      return reader
    }
    if (!isEnvelope(value)) {
      const object = parseObject(value)
      return readerFor(object.apiVersion).convert(object)
    }
    const { apiVersion, raw } = unwrapUnknown(value)
    const reader = readerFor(apiVersion)
    return reader.convert(reader.decode(raw))
  }

  private recordAfter(after: string | undefined): ShapeRecord {
    const { current } = this.target
    if (after === undefined) return { forms: [current] }
    return { forms: this.kept.record.forms, migrating: { to: current, after } }
  }

  /** Returns the revision of the record, or undefined when an object has changed meanwhile. */
  private async commit(step: {
    readonly page: readonly StoredValue[]
    readonly writes: readonly Write[]
    readonly modRevision: number
    readonly record: ShapeRecord
  }): Promise<number | undefined> {
    const changed = new Set(step.writes.map(({ key }) => key))
    const checks = step.page.filter(({ key }) => changed.has(key)).map(({ key, modRevision }) => ({ key, modRevision }))
    const key = this.recordKey
    const result = await this.target.options.store.commit({
      checks: [...checks, { key, modRevision: step.modRevision }],
      writes: [...step.writes, { type: "put", key, value: shapeRecordBytes(step.record) }],
    })
    if (result.ok) return result.revision
    const record = result.current.get(key)
    if (record === undefined) return undefined
    const { migrating } = readShapeRecord(record)
    const what = migrating === undefined ? "a server has started" : "another migration is running"
    throw new StoreError("unavailable", `${what} on this store: it changed ${key}`)
  }
}

class Counts implements MigrationCounts {
  objects = 0
  rewritten = 0
  readonly dropped = new Map<string, number>()

  drop(paths: readonly string[]): void {
    const names = new Set(paths.map((path) => path.replaceAll(/\[[^[\]]*\]/g, "[]")))
    for (const name of names) this.dropped.set(name, (this.dropped.get(name) ?? 0) + 1)
  }

  add(other: Counts): void {
    this.objects += other.objects
    this.rewritten += other.rewritten
    for (const [name, objects] of other.dropped) this.dropped.set(name, (this.dropped.get(name) ?? 0) + objects)
  }
}
