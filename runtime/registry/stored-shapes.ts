/**
 * The records of the shapes that wrote a store: one per storage path, at a key beside the resources that the reference
 * does not read. The start compares them with the served kinds; the first write of a kind adds its record.
 * docs/STORE.md, "Stored shapes".
 */
import { programText } from "../base/program-text.ts"
import { internal } from "../base/errors.ts"
import { isObject } from "../base/json.ts"
import { isStored, type Kind } from "../schema/kind.ts"
import type { TypeShape } from "../schema/shape.ts"
import { compareForms, type ShapeFault, type StoredForm, storedForm } from "../schema/stored-shape.ts"
import { type Store, StoreError, type StoredValue } from "../storage/store.ts"
import type { KindTable } from "./kinds.ts"
import type { StorageFormat } from "./object-codec.ts"

/** The stored record of one storage path. */
export interface ShapeRecord {
  /** The present storage version first, then earlier ones of which there may be values. */
  readonly forms: readonly StoredForm[]
  /** `store migrate` has begun to rewrite the objects: objects up to the key `after` are of the form `to`. */
  readonly migrating?: { readonly to: StoredForm; readonly after: string }
}

/** A record as it was read. */
export interface KeptRecord {
  readonly record: ShapeRecord
  readonly modRevision: number
}

/** The reason why a server would misread stored objects. */
interface Misreading {
  /** Completes "this server would misread ...: ". */
  readonly text: string
  /** The way out, as a sentence. */
  readonly remedy: string
}

/** A kind that this server would misread. */
export interface StoredShapeFault extends Misreading {
  readonly kind: Kind
}

/** Attempts at a record that other servers write at the same time. */
const attemptsMax = 10

/** Called with `--store-prefix`, with a slash at both ends. The last segments of the key are the storage path. */
export function shapesPrefix(prefix: string): string {
  return `${prefix}orch-apiserver/shapes/`
}

/** Reads a record. Throws for one that another program wrote or that is damaged. */
export function readShapeRecord({ key, value }: StoredValue): ShapeRecord {
  const parsed: unknown = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8"))
  if (!isRecord(parsed)) throw new Error(`the value of ${key} is not the record of a stored shape`)
  return parsed
}

function isRecord(value: unknown): value is ShapeRecord {
  return typeof value === "object" && value !== null && "forms" in value && Array.isArray(value.forms) && value.forms.every(isObject)
}

export function shapeRecordBytes(record: ShapeRecord): Buffer {
  return Buffer.from(JSON.stringify(record))
}

/** One per server. Not used for a store that ends with the process. */
export class StoredShapes {
  /** Storage paths whose record matches the served kind. */
  private readonly recorded = new Set<string>()
  private readonly writing = new Map<string, Promise<void>>()

  constructor(private readonly options: { readonly store: Store; readonly prefix: string; readonly format: StorageFormat }) {}

  /**
   * Called once, before the server reads an object. Compares each record with the kind that is stored there now, and
   * rewrites records of kinds that have changed in a way that loses nothing. Returns the kinds that would misread their
   * stored objects. Throws StoreError.
   */
  async check(kinds: KindTable): Promise<readonly StoredShapeFault[]> {
    const records = await this.records({ partial: true })
    if (records.size === 0) return []
    const faults: StoredShapeFault[] = []
    // Bounded: one per kind, at the start.
    for (const kind of storedKinds(kinds)) {
      const kept = records.get(kind.storage.path)
      const misreading = kept === undefined ? undefined : await this.reconcile(kinds, kind, kept)
      if (misreading !== undefined) faults.push({ kind, ...misreading })
    }
    return faults
  }

  /**
   * Called before every commit of an object. Returns undefined once the kind's record is written, else a promise of it,
   * which throws StoreError, or ApiError 500 when another server has meanwhile written a shape that this one misreads.
   */
  pending(kinds: KindTable, stored: Kind): Promise<void> | undefined {
    const { path } = stored.storage
    // Values of a definition's kinds are JSON, which a changed schema does not misread.
    if (this.recorded.has(path) || stored.custom !== undefined) return undefined
    let writing = this.writing.get(path)
    if (writing === undefined) {
      writing = this.record(kinds, stored).finally(() => this.writing.delete(path))
      this.writing.set(path, writing)
    }
    return writing
  }

  /** Called at the start for each kind: objects of an older server, which kept no records, get one. */
  async adopt(kinds: KindTable, stored: Kind): Promise<void> {
    if (stored.custom === undefined && !this.recorded.has(stored.storage.path) && (await this.hasObjects(stored.storage.path)))
      await this.pending(kinds, stored)
  }

  /**
   * Every record, by storage path. `partial`: without the records in an unreachable etcd of a single resource, as a
   * server starts without it; the record of that resource is compared before its first write. Throws StoreError.
   */
  async records({ partial = false }: { readonly partial?: boolean } = {}): Promise<ReadonlyMap<string, KeptRecord>> {
    const prefix = shapesPrefix(this.options.prefix)
    const stores = new Set([this.options.store, ...(this.options.store.overrides ?? []).map(({ store }) => store)])
    const found = new Map<string, KeptRecord>()
    // Bounded: the configuration names the stores.
    for (const store of stores) {
      const isWhole = store === this.options.store
      const { items } = await store.list({ prefix }).catch((error: unknown) => {
        if (isWhole || !partial || !(error instanceof StoreError)) throw error
        return { items: [] }
      })
      for (const item of items) {
        const path = item.key.slice(prefix.length)
        if (this.storeOf(path) === store || isWhole) found.set(path, { record: readShapeRecord(item), modRevision: item.modRevision })
      }
    }
    return found
  }

  /** The store of a path: the record is where the objects are, so that a copy or backup of them has it. */
  private storeOf(path: string): Store {
    return this.options.store.overrides?.find((override) => override.path === path)?.store ?? this.options.store
  }

  private async hasObjects(path: string): Promise<boolean> {
    return (await this.options.store.list({ prefix: `${this.options.prefix}${path}/`, limit: 1 })).items.length > 0
  }

  private async record(kinds: KindTable, stored: Kind): Promise<void> {
    const { path } = stored.storage
    const kept = await this.put(path, { forms: await this.firstForms(kinds, stored) }, 0)
    if (kept === "written") return
    const misreading = await this.reconcile(kinds, stored, kept)
    if (misreading !== undefined)
      throw internal(`the ${stored.resource} of this store were written by another server meanwhile: ${misreading.text}`)
  }

  /** Writes the record of a path if it is still at that revision; else returns the present one. */
  private async put(path: string, record: ShapeRecord, modRevision: number): Promise<"written" | KeptRecord> {
    const key = shapesPrefix(this.options.prefix) + path
    const value = shapeRecordBytes(record)
    const result = await this.storeOf(path).commit({ checks: [{ key, modRevision }], writes: [{ type: "put", key, value }] })
    if (!result.ok) {
      const current = result.current.get(key)
      if (current !== undefined) return { record: readShapeRecord(current), modRevision: current.modRevision }
      return this.put(path, record, 0)
    }
    this.recorded.add(path)
    return "written"
  }

  /** Updates the record to the served kind. Returns the reason if the kind would misread stored objects. */
  private async reconcile(kinds: KindTable, stored: Kind, found: KeptRecord): Promise<Misreading | undefined> {
    const { path } = stored.storage
    let kept = found
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      if (this.isCurrent(kinds, stored, kept.record)) {
        this.recorded.add(path)
        return undefined
      }
      const next = await this.nextRecord(kinds, stored, kept.record)
      const record = "forms" in next ? next : (await this.hasObjects(path)) ? undefined : { forms: [await this.formOf(kinds, stored)] }
      if (record === undefined) return "text" in next ? next : undefined
      const outcome = await this.put(path, record, kept.modRevision)
      if (outcome === "written") return undefined
      kept = outcome
    }
    return { text: "other servers keep changing the record of their shape", remedy: "Start one server after the other" }
  }

  /** Whether the record matches the served kinds, compared by fingerprints. */
  private isCurrent(kinds: KindTable, stored: Kind, { forms, migrating }: ShapeRecord): boolean {
    if (migrating !== undefined) return false
    return forms.every((form, index) => {
      const kind = kindOf(kinds, stored, form)
      if (kind?.storage.shape !== form.shape || (index === 0) !== (kind === stored)) return false
      return index > 0 || form.compact || !this.isCompact(stored)
    })
  }

  private async nextRecord(kinds: KindTable, stored: Kind, record: ShapeRecord): Promise<ShapeRecord | Misreading> {
    if (record.migrating !== undefined) return unfinished
    const current = await this.formOf(kinds, stored)
    const others: StoredForm[] = []
    let own = current
    // Bounded: a record has a form per version.
    for (const form of record.forms) {
      const kind = kindOf(kinds, stored, form)
      if (kind === undefined) return unknownForm(stored, form)
      const now = kind === stored ? current : await this.formOf(kinds, kind)
      const merged = mergedForm(form, now)
      if ("fault" in merged) return misread(kind, merged.fault)
      if (kind === stored) own = merged
      else others.push(merged)
    }
    return { forms: [own, ...others] }
  }

  /** Another program may have written objects without a record, in a version that is read but no longer served. */
  private async firstForms(kinds: KindTable, stored: Kind): Promise<readonly StoredForm[]> {
    const { path } = stored.storage
    const unserved = kinds.sharing(path).filter((kind) => kind !== stored && kind.served === false)
    const mayHold = unserved.length > 0 && (await this.hasObjects(path)) ? unserved : []
    return Promise.all([stored, ...mayHold].map((kind) => this.formOf(kinds, kind)))
  }

  private isCompact(kind: Kind): boolean {
    return kind.storage.format !== "json" && this.options.format === "compact"
  }

  private async formOf(kinds: KindTable, kind: Kind): Promise<StoredForm> {
    return formOfKind(kind, (await kinds.load(kind)).shape, this.isCompact(kind))
  }
}

/** The form of a served kind. `compact`: whether this server writes compact values of it. */
export function formOfKind(kind: Kind, shape: TypeShape, compact: boolean): StoredForm {
  const form = storedForm(kind, shape, compact)
  return { ...form, shape: kind.storage.shape ?? form.shape }
}

/** The kinds that are stored in their own form. */
export function storedKinds(kinds: KindTable): readonly Kind[] {
  return kinds.all().filter((kind) => isStored(kind) && kinds.stored(kind) === kind)
}

/** The served kind that wrote a form, if it has the same storage. */
export function kindOf(kinds: KindTable, stored: Kind, form: Pick<StoredForm, "group" | "version" | "kind">): Kind | undefined {
  const kind = kinds.findKind(form.group, form.version, form.kind)
  return kind?.storage.path === stored.storage.path ? kind : undefined
}

function mergedForm(before: StoredForm, now: StoredForm): StoredForm | { readonly fault: ShapeFault } {
  const compared = compareForms(before, now)
  if ("fault" in compared) return compared
  return { ...now, compact: before.compact || now.compact, messages: compared.messages }
}

function nameOf({ group, version, kind }: Pick<StoredForm, "group" | "version" | "kind">): string {
  return `${group === "" ? "" : `${group}/`}${version} ${kind}`
}

const migrate = `while no server is running: ${programText("store migrate")}, with the options of the server`

const unfinished: Misreading = {
  text: "a migration of them was begun and not finished",
  remedy: `Finish it ${migrate}`,
}

function unknownForm(stored: Kind, form: StoredForm): Misreading {
  const text = `the store has them as ${nameOf(form)}, and this server reads ${nameOf(stored)} there`
  if (form.group !== stored.group || form.kind !== stored.kind) return { text, remedy: "Give one of the two kinds another storage path" }
  const facts = `served: false, storage: {sharedWith: ${JSON.stringify(nameOf(stored))}}`
  return { text, remedy: `Keep the schema of ${form.version} (${facts}), which says how it converts` }
}

function misread(kind: Kind, { path, reads, wrote }: ShapeFault): Misreading {
  const field = path === "" ? "a field" : `the field ${path}`
  const now = reads.startsWith('"') ? `would read ${reads}` : `has ${reads} for it`
  return {
    text: `${field} of ${nameOf(kind)} was written as ${wrote}, and this server ${now}`,
    remedy: `Restore the schema, or rewrite the objects ${migrate}`,
  }
}
