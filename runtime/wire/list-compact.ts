/** A collection in the compact encoding as a sequence of pieces of bytes; as `list-pieces.ts` has it of the others. */
import protobuf from "protobufjs"
import { assert } from "../assert.ts"
import { type CompactCodec, createCompactCodec } from "../kit/compact.ts"
import { compactDescriptor } from "../kit/compact-descriptor.ts"
import { envelopeHead, envelopeTail } from "../kit/envelope.ts"
import type { Turns } from "../turns.ts"
import type { ListHead } from "./list-pieces.ts"
import { listMetaShape } from "./status.ts"

const { Writer } = protobuf

export interface CompactList extends ListHead {
  /** Gone through once, before `items`: lengths stand before contents. What it says must come true. */
  readonly sizes: Iterable<ItemSize | FramedItems>
  /** Messages of one item each, without envelope, or some of them framed already. */
  readonly items: Iterable<Uint8Array | FramedItems>
  /** Counts what it takes to learn sizes and to make items. */
  readonly turns: Turns
}

/** Of the message of one item, in bytes; the message itself will do. */
export interface ItemSize {
  readonly length: number
}

/** Items as they stand in a list, each with its tag and length. */
export interface FramedItems {
  readonly framed: Uint8Array
}

/** Called with messages of one item each; the answer is memory of its own. */
export function frameItems(messages: readonly Uint8Array[]): Buffer {
  const framed = Buffer.allocUnsafeSlow(messages.reduce((sum, { length }) => sum + framedBytes(length), 0))
  let at = 0
  for (const message of messages) {
    const frame = frameOf(message.length)
    framed.set(frame, at)
    framed.set(message, at + frame.length)
    at += frame.length + message.length
  }
  return framed
}

let listMetaCodec: CompactCodec | undefined

/** The compact form: an envelope around {1: ListMeta, 2: repeated item}. Gives `list.turns` whenever a turn is over. */
export function* compactListPieces(list: CompactList): Generator<Uint8Array | Turns> {
  const { apiVersion, kind, turns } = list
  listMetaCodec ??= createCompactCodec(compactDescriptor(listMetaShape), listMetaShape)
  const metadata = Buffer.from(Writer.create().uint32(0x0a).bytes(listMetaCodec.encode(list.metadata)).finish())
  let rawBytes = metadata.length
  for (const item of list.sizes) {
    rawBytes += "framed" in item ? item.framed.length : framedBytes(item.length)
    if (turns.isOver(0)) yield turns
  }
  yield envelopeHead({ apiVersion, kind, rawBytes })
  yield metadata
  let left = rawBytes - metadata.length
  for (const item of list.items) {
    if ("framed" in item) {
      left -= item.framed.length
      yield item.framed
    } else {
      left -= framedBytes(item.length)
      yield frameOf(item.length)
      yield item
    }
    if (turns.isOver(0)) yield turns
  }
  assert(left === 0, "items of a compact list have the same lengths both times", { kind, left })
  yield envelopeTail()
}

/** What stands before an item of so many bytes: tag and length. */
function frameOf(length: number): Buffer {
  return Buffer.from(Writer.create().uint32(0x12).uint32(length).finish())
}

function framedBytes(length: number): number {
  return 1 + lengthBytes(length) + length
}

/** Bytes of a length as a varint. */
function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5
}
