import type { JsonValue } from "../../runtime/base/json.ts"
import { equal } from "../values/equal.ts"
import { isError } from "../values/error.ts"
import { listOf } from "../values/list.ts"
import { print } from "../values/print.ts"
import { typeOf } from "../values/type-of.ts"
import { type ErrorValue, ListValue, MapValue, type Result } from "../values/value.ts"
import { Members } from "../libraries/members.ts"
import type { Reader } from "./reader.ts"
import { chargeWork } from "../work.ts"

/** Reading all elements counts as work when there are more. */
const fewElements = 16

/** A list whose elements have one schema. */
export class JsonList extends ListValue {
  private read: readonly Result[] | undefined

  override readonly intIndex = true

  constructor(
    private readonly json: readonly JsonValue[],
    private readonly reader: Reader,
  ) {
    super()
  }

  get size(): number {
    return this.json.length
  }

  at(index: number): Result {
    return this.read?.[index] ?? this.reader(this.json[index] ?? null)
  }

  toArray(): readonly Result[] {
    if (this.read === undefined) {
      if (this.json.length > fewElements) chargeWork(this.json.length)
      this.read = this.json.map((element) => this.reader(element))
    }
    return this.read
  }
}

/** Elements without an order, each once. */
class SetList extends ListValue {
  private found: Members | undefined

  override readonly intIndex = true

  constructor(private readonly elements: ListValue) {
    super()
  }

  get size(): number {
    return this.elements.size
  }

  at(index: number): Result {
    return this.elements.at(index)
  }

  toArray(): readonly Result[] {
    return this.elements.toArray()
  }

  private get members(): Members {
    this.found ??= new Members(this.elements.toArray().flatMap((element) => (isError(element) ? [] : [element])))
    return this.found
  }

  override matches(other: ListValue): boolean {
    return other.toArray().every((value) => !isError(value) && this.members.has(value))
  }

  /** The elements of both, each once. */
  override join(other: ListValue): ListValue {
    const joined = [...this.toArray()]
    const added = new Set<Result>()
    for (const value of other.toArray()) {
      if (added.has(value) || (!isError(value) && this.members.has(value))) continue
      added.add(value)
      joined.push(value)
    }
    return new SetList(listOf(joined))
  }
}

export class JsonSetList extends SetList {
  override readonly intIndex = true

  constructor(json: readonly JsonValue[], reader: Reader) {
    super(new JsonList(json, reader))
  }
}

/** Objects that are identified by the values of some of their fields. */
class MapList extends ListValue {
  private found: Map<string, Result> | undefined

  override readonly intIndex = true

  constructor(
    private readonly elements: ListValue,
    private readonly names: readonly string[],
  ) {
    super()
  }

  get size(): number {
    return this.elements.size
  }

  at(index: number): Result {
    return this.elements.at(index)
  }

  toArray(): readonly Result[] {
    return this.elements.toArray()
  }

  private get byKey(): ReadonlyMap<string, Result> {
    this.found ??= new Map(this.toArray().map((element) => [this.keyOf(element), element]))
    return this.found
  }

  private keyOf(element: Result): string {
    return JSON.stringify(this.names.map((name) => keyPart(element, name)))
  }

  override matches(other: ListValue): boolean | ErrorValue {
    for (const value of other.toArray()) {
      const same = sameElement(this.byKey.get(this.keyOf(value)), value)
      if (same !== true) return same
    }
    return true
  }

  /** The other's elements replace the elements with their keys; the rest is appended. */
  override join(other: ListValue): ListValue {
    const joined = new Map(this.byKey)
    for (const value of other.toArray()) joined.set(this.keyOf(value), value)
    return new MapList(listOf([...joined.values()]), this.names)
  }
}

export class JsonMapList extends MapList {
  override readonly intIndex = true

  constructor(json: readonly JsonValue[], reader: Reader, names: readonly string[]) {
    super(new JsonList(json, reader), names)
  }
}

function sameElement(one: Result | undefined, other: Result): boolean | ErrorValue {
  if (one === undefined) return false
  if (isError(one)) return one
  return isError(other) ? other : equal(one, other)
}

function keyPart(element: Result, name: string): readonly [type: string, text: string] | null {
  const value = element instanceof MapValue ? element.find(name) : undefined
  return value === undefined || isError(value) ? null : [typeOf(value).name, print(value)]
}
