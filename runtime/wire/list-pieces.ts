/**
 * Writes a collection as a sequence of byte pieces, in any encoding except protobuf (`list-protobuf.ts`), without ever
 * holding the whole: heads, cached items as they are, separators, tails. Compact JSON neither parses nor stringifies an
 * item.
 */
import type { JsonObject, JsonValue } from "../base/json.ts"
import { parseJson, stringify } from "../encoding/json/text.ts"
import { type ByteRange, setWholeRange } from "../base/shared-bytes.ts"
import { decodeWork, layOutWork, parseWork, yamlWork } from "../base/work.ts"
import type { Turns } from "../base/turns.ts"
import { indentJson } from "./pretty.ts"
import { writeYaml } from "./yaml-writer.ts"

export interface ListHead {
  readonly kind: string
  readonly apiVersion: string
  /** ListMeta: resourceVersion, continue, remainingItemCount. */
  readonly metadata: JsonObject
}

export interface JsonList extends ListHead {
  /** JSON bytes, one buffer per item. */
  readonly items: Iterable<Buffer>
  /** The same items by their places, so that compact JSON needs no view of them. All of them start with `itemType`. */
  readonly places?: Iterable<RangedItem>
  /** The same items in runs, some of which may be cached in one piece. Takes precedence over `places`. */
  readonly runs?: Iterable<ItemRun>
  /** Items start with this kind and apiVersion, which lists omit. Absent: items are written whole. */
  readonly itemType?: { readonly kind: string; readonly apiVersion: string }
  /** Other fields before the items: the column definitions of a Table. */
  readonly fields?: JsonObject
  /** Default "items". */
  readonly itemsField?: string
  /** Counts the work of producing items; writers add their own. */
  readonly turns: Turns
  /** Written when there are no items: `[]`, or null for the rows of a Table. */
  readonly emptyItems?: "[]" | "null"
}

const openItem = Buffer.from("{")
const nextItem = Buffer.from(",{")
const comma = Buffer.from(",")
const nothing: Uint8Array = Buffer.alloc(0)

/** An item whose JSON can be read without creating a view. */
export interface RangedItem {
  jsonPlace(place: ByteRange): void
  /** False: reading it decodes this many bytes. */
  readonly hasJson: boolean
  readonly sizeBytes: number
}

/** Consecutive items: `objects` from `start` to before `end`, at least one. */
export interface ItemRun {
  readonly objects: readonly RangedItem[]
  readonly start: number
  readonly end: number
  /**
   * Returns the cached result of `make`, if caching it pays; it stays valid. Undefined: the caller copies the items one
   * by one.
   */
  encoded(form: string, make: () => Buffer): Buffer | undefined
}

/** Bytes to write: `before`, which is short, then the bytes of the range. */
export interface Piece extends ByteRange {
  before: Uint8Array
}

/**
 * Yields compact JSON with a final line break, as the reference writes it. Like the other writers, it yields
 * `list.turns` whenever a turn is over.
 */
export function jsonListPieces(list: JsonList): IterableIterator<Uint8Array | Piece | Turns> {
  return new JsonListPieces(list)
}

/**
 * An iterator written by hand: nested generators, one for items and one for pieces, took as long as the copying. It
 * reuses its records, which are valid until the next call.
 */
class JsonListPieces implements IterableIterator<Uint8Array | Piece | Turns> {
  private readonly items: ItemSource
  private readonly piece: Piece = { before: nothing, bytes: Buffer.alloc(0), start: 0, end: 0 }
  private readonly result: IteratorResult<Uint8Array | Piece> = { done: false, value: this.piece }
  private readonly pause: IteratorResult<Turns>
  private readonly cut: HeadCut
  private state: "head" | "first" | "next" | "over" = "head"

  constructor(private readonly list: JsonList) {
    this.pause = { done: false, value: list.turns }
    const cut = new HeadCut(list)
    this.cut = cut
    this.items = list.runs === undefined ? new SingleItems(list.places ?? list.items, cut) : new ItemRuns(list.runs, cut)
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Uint8Array | Piece | Turns> {
    if (this.state === "first") {
      this.state = "next"
      return this.result
    }
    if (this.state === "over") return { done: true, value: undefined }
    if (this.cut.turnIsOver) {
      this.cut.turnIsOver = false
      return this.pause
    }
    const isFirst = this.state === "head"
    if (!this.items.next(this.piece)) return this.last()
    if (!isFirst) return this.result
    this.state = "first"
    withoutComma(this.piece)
    return { done: false, value: Buffer.from(`${jsonHead(this.list)}[`) }
  }

  return(): IteratorResult<Uint8Array | Piece | Turns> {
    if (this.state !== "over") this.items.return()
    this.state = "over"
    return { done: true, value: undefined }
  }

  private last(): IteratorResult<Uint8Array | Piece | Turns> {
    const { list, state } = this
    this.state = "over"
    return { done: false, value: Buffer.from(state === "head" ? `${jsonHead(list)}${list.emptyItems ?? "[]"}}\n` : "]}\n") }
  }
}

/** Items, each with a preceding comma. */
interface ItemSource {
  /** Sets the next item; false at the end. */
  next(piece: Piece): boolean
  return(): void
}

class SingleItems implements ItemSource {
  private readonly items: Iterator<Buffer | RangedItem>

  constructor(
    items: Iterable<Buffer | RangedItem>,
    private readonly cut: HeadCut,
  ) {
    this.items = items[Symbol.iterator]()
  }

  next(piece: Piece): boolean {
    const { value, done } = this.items.next()
    if (done === true) return false
    this.cut.place(piece, value)
    return true
  }

  return(): void {
    this.items.return?.()
  }
}

/** Cache key of a run in a JSON list. */
const runForm = "list:json"

class ItemRuns implements ItemSource {
  private readonly runs: Iterator<ItemRun>
  /** The run that is being read item by item, and the position in it. */
  private run: ItemRun | undefined
  private at = 0

  constructor(
    runs: Iterable<ItemRun>,
    private readonly cut: HeadCut,
  ) {
    this.runs = runs[Symbol.iterator]()
  }

  next(piece: Piece): boolean {
    const item = this.run?.objects[this.at++]
    if (item === undefined || this.run === undefined) return this.nextRun(piece)
    this.cut.place(piece, item)
    if (this.at === this.run.end) this.run = undefined
    return true
  }

  return(): void {
    this.runs.return?.()
  }

  private nextRun(piece: Piece): boolean {
    const { value: run, done } = this.runs.next()
    if (done === true) return false
    const gathered = run.encoded(runForm, () => gather(run, this.cut))
    if (gathered === undefined) {
      this.run = run
      this.at = run.start
      return this.next(piece)
    }
    piece.before = nothing
    setWholeRange(piece, gathered)
    return true
  }
}

/** Copies the items of a run into one buffer. */
function gather(run: ItemRun, cut: HeadCut): Buffer {
  const piece: Piece = { before: nothing, bytes: Buffer.alloc(0), start: 0, end: 0 }
  const items = run.objects.slice(run.start, run.end)
  let length = 0
  for (const item of items) {
    cut.place(piece, item)
    length += piece.before.length + piece.end - piece.start
  }
  const gathered = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const item of items) {
    cut.place(piece, item)
    gathered.set(piece.before, at)
    piece.bytes.copy(gathered, at + piece.before.length, piece.start, piece.end)
    at += piece.before.length + piece.end - piece.start
  }
  return gathered
}

/** Prepares items for a list: without kind and apiVersion, after a comma. */
class HeadCut {
  /** The writer must yield before the next item. */
  turnIsOver = false
  private readonly head: Buffer
  private readonly from: number
  private readonly turns: Turns

  constructor(list: JsonList) {
    this.turns = list.turns
    this.head = itemHeadOf(list)
    this.from = list.places === undefined && list.runs === undefined ? 0 : this.head.length - headTailBytes
  }

  place(piece: Piece, item: Buffer | RangedItem): void {
    if ("jsonPlace" in item) {
      if (!item.hasJson) this.turnIsOver = this.turns.isOver(decodeWork(item.sizeBytes))
      item.jsonPlace(piece)
    } else {
      this.turnIsOver = this.turns.isOver(0)
      setWholeRange(piece, item)
    }
    const cut = startsWith(piece, this.head, this.from)
    if (cut) piece.start += this.head.length
    piece.before = cut ? nextItem : comma
  }
}

/** The first item has no comma. */
function withoutComma(piece: Piece): void {
  if (piece.before === nothing) piece.start++
  else piece.before = piece.before === nextItem ? openItem : nothing
}

/** `{"kind":"PodList","apiVersion":"v1","metadata":{…},"items":` */
function jsonHead(list: JsonList): string {
  const { kind, apiVersion, metadata, fields } = list
  const open = stringify({ kind, apiVersion, metadata, ...fields })
  return `${open.slice(0, -1)},${JSON.stringify(list.itemsField ?? "items")}:`
}

function itemHeadOf(list: JsonList): Buffer {
  const { itemType } = list
  return Buffer.from(
    itemType === undefined ? "" : `{"kind":${JSON.stringify(itemType.kind)},"apiVersion":${JSON.stringify(itemType.apiVersion)},`,
  )
}

/**
 * Bytes compared at the end of an item's head: `"v1",` and a little before. Comparing the whole head costs as much as
 * copying the item.
 */
const headTailBytes = 8

/** False for an empty head too. An item without the head (of another form) is written unchanged. */
function startsWith({ bytes, start, end }: ByteRange, head: Uint8Array, from = 0): boolean {
  if (head.length === 0 || end - start <= head.length) return false
  for (let index = from; index < head.length; index++) if (bytes[start + index] !== head[index]) return false
  return true
}

/** The same, indented. */
export function* prettyListPieces(list: JsonList): Generator<Uint8Array | Turns> {
  const { kind, apiVersion, metadata, fields, turns } = list
  const head = indentJson(Buffer.from(stringify({ kind, apiVersion, metadata, ...fields }))).toString()
  const open = `${head.slice(0, -2)},\n  ${JSON.stringify(list.itemsField ?? "items")}: `
  const itemHead = itemHeadOf(list)
  let count = 0
  for (const item of list.items) {
    const cut = startsWith({ bytes: item, start: 0, end: item.length }, itemHead)
    const indented = indentJson(cut ? Buffer.concat([openItem, item.subarray(itemHead.length)]) : item, 2)
    const isOver = turns.isOver(layOutWork(item.length))
    yield Buffer.from(count++ === 0 ? `${open}[\n    ` : ",\n    ")
    yield indented
    if (isOver) yield turns
  }
  yield Buffer.from(count === 0 ? `${open}${list.emptyItems ?? "[]"}\n}` : "\n  ]\n}")
}

/** YAML with sorted fields. Every item is parsed and written again: only people read YAML lists. */
export function* yamlListPieces(list: JsonList): Generator<Uint8Array | Turns> {
  const { kind, apiVersion, metadata, fields, turns } = list
  const itemsField = list.itemsField ?? "items"
  const around: JsonObject = { kind, apiVersion, metadata, ...fields }
  const names = Object.keys(around).filter((name) => around[name] !== undefined)
  yield Buffer.from(
    yamlOf(
      around,
      names.filter((name) => name < itemsField),
    ),
  )
  let count = 0
  for (const item of list.items) {
    const text = writeYaml([yamlItem(item, list)])
    const isOver = turns.isOver(parseWork(item.length) + yamlWork(item.length))
    if (count++ === 0) yield Buffer.from(`${itemsField}:\n`)
    yield Buffer.from(text)
    if (isOver) yield turns
  }
  if (count === 0) yield Buffer.from(`${itemsField}: ${list.emptyItems ?? "[]"}\n`)
  yield Buffer.from(
    yamlOf(
      around,
      names.filter((name) => name > itemsField),
    ),
  )
}

function yamlOf(object: JsonObject, names: readonly string[]): string {
  return names.length === 0 ? "" : writeYaml(Object.fromEntries(names.map((name) => [name, object[name]])))
}

function yamlItem(item: Uint8Array, list: JsonList): JsonValue {
  const { value } = parseJson(Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString("utf8"))
  if (list.itemType === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return value
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = value
  return fields
}
