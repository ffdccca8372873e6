/**
 * Which objects have a label with a value. Without it a list by label asks every object of the resource; with it, it costs what it answers.
 * A label is indexed when a list first selects by it, and no longer once nobody asks: a write pays only for labels that lists are using.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { UndecodableError } from "../cache.ts"
import { compareKeys } from "../store.ts"
import type { CachedEntry } from "./entry.ts"
import type { Objects } from "./snapshot.ts"

/** Labels of one resource that are indexed at a time; the one that was asked for longest ago goes first. */
const labelsMax = 8
/** Objects that share a value; beyond it a list goes through all objects, which then costs little more, and no write moves a long array. */
const objectsOfValueMax = 16_384
/** Changes of the resource without a question after which an index is given up. */
const changesUnasked = 10_000

/** Objects that are indexed in one turn: about two milliseconds. */
const objectsATurn = 1000

/** An index that is being made, and what changed meanwhile. */
interface Making {
  readonly changes: { readonly previous: CachedEntry | undefined; readonly next: CachedEntry | undefined }[]
  readonly done: Promise<void>
}

/** The indexes of one resource, for its newest state. */
export class LabelIndexes {
  /** By label name, the one asked for last at the end. */
  private readonly indexes = new Map<string, LabelIndex>()
  private readonly making = new Map<string, Making>()

  /** Called before `find`: makes the index of many objects in turns. `newest`: a copy of the newest state. Undefined when there is nothing to wait for. */
  prepare(name: string, newest: () => Objects): Promise<void> | undefined {
    if (this.indexes.has(name)) return undefined
    const known = this.making.get(name)
    if (known !== undefined) return known.done
    const objects = newest()
    if (objects.size <= objectsATurn) return undefined
    const making: Making = { changes: [], done: Promise.resolve().then(() => this.make(name, making, objects.all())) }
    this.making.set(name, making)
    return making.done
  }

  private async make(name: string, making: Making, all: Iterable<CachedEntry>): Promise<void> {
    const index = new LabelIndex(name, [])
    let left = objectsATurn
    for (const object of all) {
      index.add(object)
      if (--left > 0) continue
      await nextTurn()
      // The resource has started over, or more happened than an index is worth.
      if (this.making.get(name) !== making) return
      left = objectsATurn
    }
    this.making.delete(name)
    for (const { previous, next } of making.changes) index.replace(previous, next)
    this.take(name, index)
  }

  /** The one asked for longest ago gives way. */
  private take(name: string, index: LabelIndex): void {
    this.indexes.delete(name)
    this.indexes.set(name, index)
    const [oldest] = this.indexes.keys()
    if (this.indexes.size > labelsMax && oldest !== undefined) this.indexes.delete(oldest)
  }

  /** Objects with the label, in key order; undefined when they are so many that the caller must look at all objects. `all`: the newest state. */
  find(all: () => Iterable<CachedEntry>, label: { name: string; value: string }): readonly CachedEntry[] | undefined {
    const { name, value } = label
    const index = this.indexes.get(name) ?? new LabelIndex(name, all())
    this.take(name, index)
    return index.find(value)
  }

  /** Called with each change of the state, after it. */
  changed(previous: CachedEntry | undefined, next: CachedEntry | undefined): void {
    for (const [name, index] of this.indexes) {
      if (++index.changesUnasked > changesUnasked) this.indexes.delete(name)
      else index.replace(previous, next)
    }
    for (const [name, { changes }] of this.making) {
      if (changes.length === changesUnasked) this.making.delete(name)
      else changes.push({ previous, next })
    }
  }

  /** Called when the resource starts over. */
  clear(): void {
    this.indexes.clear()
    this.making.clear()
  }
}

class LabelIndex {
  changesUnasked = 0
  /** In key order. "common": too many to be kept, until the index is made again. */
  private readonly byValue = new Map<string, CachedEntry[] | "common">()

  constructor(
    private readonly name: string,
    all: Iterable<CachedEntry>,
  ) {
    for (const object of all) this.add(object)
  }

  find(value: string): readonly CachedEntry[] | undefined {
    this.changesUnasked = 0
    const objects = this.byValue.get(value) ?? []
    return objects === "common" ? undefined : objects
  }

  replace(previous: CachedEntry | undefined, next: CachedEntry | undefined): void {
    if (previous !== undefined) this.remove(previous)
    if (next !== undefined) this.add(next)
  }

  add(object: CachedEntry): void {
    const value = this.valueOf(object)
    if (value === undefined) return
    const objects = this.byValue.get(value)
    if (objects === "common") return
    if (objects === undefined) this.byValue.set(value, [object])
    else if (objects.length === objectsOfValueMax) this.byValue.set(value, "common")
    else objects.splice(placeOf(objects, object.key), 0, object)
  }

  private remove(object: CachedEntry): void {
    const value = this.valueOf(object)
    const objects = value === undefined ? undefined : this.byValue.get(value)
    if (value === undefined || objects === undefined || objects === "common") return
    const place = placeOf(objects, object.key)
    if (objects[place]?.key === object.key) objects.splice(place, 1)
    if (objects.length === 0) this.byValue.delete(value)
  }

  /** What cannot be read has no labels here: lists that would have to show it fail (`ResourceCache.undecodable`). */
  private valueOf(object: CachedEntry): string | undefined {
    const labels = labelsOf(object)
    return Object.hasOwn(labels, this.name) ? labels[this.name] : undefined
  }
}

function labelsOf(object: CachedEntry): Readonly<Record<string, string>> {
  try {
    return object.passingLabels()
  } catch (error) {
    if (error instanceof UndecodableError) return {}
    throw error
  }
}

/** The part of `objects` (in key order) whose keys start with `prefix`. Looks at few of the keys: they lie all over the memory. */
export function below(objects: readonly CachedEntry[], prefix: string): readonly CachedEntry[] {
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

/** Index of the first object whose key is not below `key` in order. */
function placeOf(objects: readonly CachedEntry[], key: string): number {
  const last = objects.at(-1)
  // Most objects come with names in order.
  if (last === undefined || compareKeys(last.key, key) < 0) return objects.length
  let low = 0
  let high = objects.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(objects[middle]?.key ?? "", key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
