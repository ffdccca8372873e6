/**
 * A collection as a sequence of pieces of bytes, in any representation, without ever holding it whole: heads, cached items as they are,
 * separators, tails. Nothing is parsed or stringified per item in JSON and compact form.
 */
import protobuf from "protobufjs"
import { assert } from "../assert.ts"
import { type CompactCodec, createCompactCodec } from "../kit/compact.ts"
import { compactDescriptor } from "../kit/compact-descriptor.ts"
import { envelopeHead, envelopeTail } from "../kit/envelope.ts"
import type { JsonObject, JsonValue } from "../kit/json.ts"
import { parseJson, stringify } from "../kit/json-text.ts"
import { indentJson } from "./pretty.ts"
import { listMetaShape } from "./status.ts"
import { writeYaml } from "./yaml.ts"

const { Writer } = protobuf

export interface ListHead {
  readonly kind: string
  readonly apiVersion: string
  /** ListMeta: resourceVersion, continue, remainingItemCount. */
  readonly metadata: JsonObject
}

export interface JsonList extends ListHead {
  /** JSON bytes of one item each. */
  readonly items: Iterable<Buffer>
  /** Items start with this kind and apiVersion, which lists leave out. Absent: items are written whole. */
  readonly itemType?: { readonly kind: string; readonly apiVersion: string }
  /** Further fields before the items: the column definitions of a Table. */
  readonly fields?: JsonObject
  /** Default "items". */
  readonly itemsField?: string
  /** What stands for no items: `[]`, or null for the rows of a Table. */
  readonly emptyItems?: "[]" | "null"
}

const openItem = Buffer.from("{")
const nextItem = Buffer.from(",{")
const comma = Buffer.from(",")
const nothing: Uint8Array = Buffer.alloc(0)

/** Bytes to be written: `before`, then `bytes` from `start` on. */
export interface Piece {
  readonly before: Uint8Array
  readonly bytes: Uint8Array
  readonly start: number
}

/**
 * Compact JSON, with a line break at the end as the reference writes it. Items come as pieces, without a view of their own for what is left of
 * them: thousands of those are what a list costs beside its bytes. The same record is given for each; it holds until the next is asked for.
 */
export function* jsonListPieces(list: JsonList): Generator<Uint8Array | Piece> {
  const head = jsonHead(list)
  const itemHead = itemHeadOf(list)
  const piece = { before: nothing, bytes: nothing, start: 0 }
  let count = 0
  for (const item of list.items) {
    if (count++ === 0) yield Buffer.from(`${head}[`)
    const cut = startsWith(item, itemHead)
    if (count === 1) piece.before = cut ? openItem : nothing
    else piece.before = cut ? nextItem : comma
    piece.bytes = item
    piece.start = cut ? itemHead.length : 0
    yield piece
  }
  yield Buffer.from(count === 0 ? `${head}${list.emptyItems ?? "[]"}}\n` : "]}\n")
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

/** False for an empty head too. An item without the head (a foreign form) is written as it is. */
function startsWith(item: Uint8Array, head: Uint8Array): boolean {
  if (head.length === 0 || item.length <= head.length) return false
  for (let index = 0; index < head.length; index++) if (item[index] !== head[index]) return false
  return true
}

/** The same, laid out for people. */
export function* prettyListPieces(list: JsonList): Generator<Uint8Array> {
  const { kind, apiVersion, metadata, fields } = list
  const head = indentJson(Buffer.from(stringify({ kind, apiVersion, metadata, ...fields }))).toString()
  const open = `${head.slice(0, -2)},\n  ${JSON.stringify(list.itemsField ?? "items")}: `
  const itemHead = itemHeadOf(list)
  let count = 0
  for (const item of list.items) {
    yield Buffer.from(count++ === 0 ? `${open}[\n    ` : ",\n    ")
    yield indentJson(startsWith(item, itemHead) ? Buffer.concat([openItem, item.subarray(itemHead.length)]) : item, 2)
  }
  yield Buffer.from(count === 0 ? `${open}${list.emptyItems ?? "[]"}\n}` : "\n  ]\n}")
}

/** YAML, fields sorted. Every item is parsed and written anew: YAML lists are for people. */
export function* yamlListPieces(list: JsonList): Generator<Uint8Array> {
  const { kind, apiVersion, metadata, fields } = list
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
    if (count++ === 0) yield Buffer.from(`${itemsField}:\n`)
    yield Buffer.from(writeYaml([yamlItem(item, list)]))
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

export interface CompactList extends ListHead {
  /** Messages of one item each, without envelope. Gone through twice: lengths stand before contents. */
  readonly items: Iterable<Uint8Array>
}

let listMetaCodec: CompactCodec | undefined

/** The compact form: an envelope around {1: ListMeta, 2: repeated item}. */
export function* compactListPieces(list: CompactList): Generator<Uint8Array> {
  const { apiVersion, kind } = list
  listMetaCodec ??= createCompactCodec(compactDescriptor(listMetaShape), listMetaShape)
  const metadata = Buffer.from(Writer.create().uint32(0x0a).bytes(listMetaCodec.encode(list.metadata)).finish())
  let rawBytes = metadata.length
  for (const item of list.items) rawBytes += 1 + lengthBytes(item.length) + item.length
  yield envelopeHead({ apiVersion, kind, rawBytes })
  yield metadata
  let left = rawBytes - metadata.length
  for (const item of list.items) {
    yield Buffer.from(Writer.create().uint32(0x12).uint32(item.length).finish())
    yield item
    left -= 1 + lengthBytes(item.length) + item.length
  }
  assert(left === 0, "items of a compact list have the same lengths both times", { kind, left })
  yield envelopeTail()
}

/** Bytes of a length as a varint. */
function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5
}
