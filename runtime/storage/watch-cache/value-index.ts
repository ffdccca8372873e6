/**
 * Indexes objects by the value of a label or a selectable field. Without an index, a list by label asks every object of
 * the resource, and one by field decodes every object; with it, a list costs as much as its result. An index is made
 * when a list first selects by its label or field, and dropped when no list uses it any more: a write pays only for the
 * indexes that lists are using.
 */
import { labelsWork, readWork } from "../../base/work.ts"
import { selectedNamesMax } from "../../base/limits.ts"
import { Turns } from "../../base/turns.ts"
import type { Selected } from "../cache.ts"
import { compareBytes } from "../../base/byte-order.ts"
import type { CachedEntry } from "./entry.ts"
import type { Objects } from "./objects.ts"

/**
 * Maximum number of objects per value. Beyond it a list visits all objects, which then costs little more, and no write
 * moves a long array.
 */
const objectsOfValueMax = 16_384
/** Changes of the resource without a lookup after which an index is dropped. */
const changesSinceUse = 10_000
/** Number of objects that are indexed at once, without yielding. */
const fewObjects = 100

/** The label or field of an index. */
type Indexed = Pick<Selected, "of" | "name">

/** An index in the making, and the changes since its start. */
interface PendingIndex {
  readonly changes: { readonly previous: CachedEntry | undefined; readonly next: CachedEntry | undefined }[]
  readonly done: Promise<void>
}

/** The indexes of one resource, for its newest state. */
export class ValueIndexes {
  /** By label or field, the most recently used last. */
  private readonly indexes = new Map<string, ValueIndex>()
  private readonly making = new Map<string, PendingIndex>()

  /**
   * Called before `find`: makes the index of many objects in turns. `newest`: a copy of the newest state. Undefined
   * when there is nothing to wait for.
   */
  prepare(indexed: Indexed, newest: () => Objects): Promise<void> | undefined {
    const id = idOf(indexed)
    if (this.indexes.has(id)) return undefined
    const known = this.making.get(id)
    if (known !== undefined) return known.done
    const objects = newest()
    if (objects.size <= fewObjects) {
      const index = new ValueIndex(indexed)
      for (const object of objects.all()) index.addUncached(object)
      this.take(id, index)
      return undefined
    }
    const making: PendingIndex = { changes: [], done: Promise.resolve().then(() => this.make(indexed, making, objects.all())) }
    this.making.set(id, making)
    return making.done
  }

  private async make(indexed: Indexed, making: PendingIndex, all: Iterable<CachedEntry>): Promise<void> {
    const id = idOf(indexed)
    const index = new ValueIndex(indexed)
    const turns = new Turns()
    try {
      for (const object of all) {
        const isOver = turns.isOver(indexed.of === "label" ? labelsWork : readWork(object))
        index.addUncached(object)
        if (!isOver) continue
        await turns.next()
        // The resource has started over, or there were more changes than an index is worth.
        if (this.making.get(id) !== making) return
      }
      for (const { previous, next } of making.changes) index.replace(previous, next)
      this.take(id, index)
    } finally {
      if (this.making.get(id) === making) this.making.delete(id)
    }
  }

  /** Keeps an index, evicting the least recently used one. */
  private take(id: string, index: ValueIndex): void {
    this.indexes.delete(id)
    this.indexes.set(id, index)
    const [oldest] = this.indexes.keys()
    if (this.indexes.size > selectedNamesMax && oldest !== undefined) this.indexes.delete(oldest)
  }

  /**
   * Objects with the selected value, in key order; undefined when there are so many that the caller must visit all
   * objects, or there is no index.
   */
  find(selected: Selected): readonly CachedEntry[] | undefined {
    const id = idOf(selected)
    const index = this.indexes.get(id)
    if (index === undefined) return undefined
    this.take(id, index)
    return index.find(selected.value)
  }

  /** Called with each change of the state, after it. */
  changed(previous: CachedEntry | undefined, next: CachedEntry | undefined): void {
    for (const [id, index] of this.indexes) {
      if (++index.changesUnasked > changesSinceUse || index.isRepairedBy(previous)) this.indexes.delete(id)
      else index.replace(previous, next)
    }
    for (const [id, { changes }] of this.making) {
      if (changes.length === changesSinceUse) this.making.delete(id)
      else changes.push({ previous, next })
    }
  }

  /** Called when the resource starts over. */
  clear(): void {
    this.indexes.clear()
    this.making.clear()
  }
}

function idOf({ name, of }: Indexed): string {
  return `${of} ${name}`
}

class ValueIndex {
  changesUnasked = 0
  /** In key order. "common": too many to keep, until the index is made again. */
  private readonly byValue = new Map<string, CachedEntry[] | "common">()
  /**
   * While there is an undecodable object the index answers nothing: a list that includes that object must fail, and
   * other lists and writes must not.
   */
  private unreadable: CachedEntry | undefined

  constructor(private readonly indexed: Indexed) {}

  find(value: string): readonly CachedEntry[] | undefined {
    this.changesUnasked = 0
    if (this.unreadable !== undefined) return undefined
    const objects = this.byValue.get(value) ?? []
    return objects === "common" ? undefined : objects
  }

  /** The undecodable object is gone, and the index can be made again. */
  isRepairedBy(previous: CachedEntry | undefined): boolean {
    return previous !== undefined && previous === this.unreadable
  }

  /** Keeps what it reads of changed objects: watches need it next, and the index again when the object is replaced. */
  replace(previous: CachedEntry | undefined, next: CachedEntry | undefined): void {
    const { name, of } = this.indexed
    const valueOf = of === "label" ? this.label : (object: CachedEntry) => object.field(name)
    const [from, to] = [this.read(previous, valueOf), this.read(next, valueOf)]
    if (previous !== undefined && from !== undefined) this.remove(previous, from)
    if (next !== undefined && to !== undefined) this.add(next, to)
  }

  /** Called with each existing object. */
  addUncached(object: CachedEntry): void {
    const { name, of } = this.indexed
    const value = this.read(object, of === "label" ? this.label : (one) => one.fieldUncached(name))
    if (value !== undefined) this.add(object, value)
  }

  private read(object: CachedEntry | undefined, valueOf: (object: CachedEntry) => string | undefined): string | undefined {
    if (object === undefined || this.unreadable !== undefined) return undefined
    try {
      return valueOf(object)
    } catch {
      this.unreadable = object
      return undefined
    }
  }

  private readonly label = (object: CachedEntry): string | undefined => {
    const labels = object.labelsUncached()
    return Object.hasOwn(labels, this.indexed.name) ? labels[this.indexed.name] : undefined
  }

  private add(object: CachedEntry, value: string): void {
    const objects = this.byValue.get(value)
    if (objects === "common") return
    if (objects === undefined) this.byValue.set(value, [object])
    else if (objects.length === objectsOfValueMax) this.byValue.set(value, "common")
    else objects.splice(placeOf(objects, object.key), 0, object)
  }

  private remove(object: CachedEntry, value: string): void {
    const objects = this.byValue.get(value)
    if (objects === undefined || objects === "common") return
    const place = placeOf(objects, object.key)
    if (objects[place]?.key === object.key) objects.splice(place, 1)
    if (objects.length === 0) this.byValue.delete(value)
  }
}

/**
 * The part of `objects` (in key order) whose keys start with `prefix`. Reads few of the keys: they are scattered in
 * memory.
 */
export function withPrefix(objects: readonly CachedEntry[], prefix: string): readonly CachedEntry[] {
  const first = placeOf(objects, prefix)
  if (objects.at(-1)?.key.startsWith(prefix) === true) return objects.slice(first)
  let low = first
  let high = objects.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (objects[middle]?.key.startsWith(prefix) === true) low = middle + 1
    else high = middle
  }
  return objects.slice(first, low)
}

/** Index of the first object whose key is not less than `key`. */
function placeOf(objects: readonly CachedEntry[], key: string): number {
  const last = objects.at(-1)
  // Most objects are created with names in order.
  if (last === undefined || compareBytes(last.key, key) < 0) return objects.length
  let low = 0
  let high = objects.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBytes(objects[middle]?.key ?? "", key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
