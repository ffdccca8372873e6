/** Writes a collection in protobuf as a sequence of byte pieces. `list-pieces.ts` has the other encodings. */
import { assert } from "../base/assert.ts"
import { type ProtobufCodec, createProtobufCodec } from "../encoding/protobuf/codec.ts"
import { envelopeHead, envelopeTail } from "../encoding/protobuf/envelope.ts"
import { ProtobufWriter, varintBytes, wireType } from "../encoding/protobuf/writer.ts"
import type { Turns } from "../base/turns.ts"
import type { ListHead } from "./list-pieces.ts"
import { listMetaShape } from "./status.ts"

/** Numbers of the fields of a list. */
const field = { metadata: 1, items: 2 } as const

const writer = new ProtobufWriter(64)

export interface ProtobufList extends ListHead {
  /** Consumed once, before `items`, because lengths precede contents. They must match the items. */
  readonly sizes: Iterable<ItemSize | FramedItems>
  /** The message of each item, without envelope, or several items with their framing. */
  readonly items: Iterable<Uint8Array | FramedItems>
  /** Counts the work of computing sizes and encoding items. */
  readonly turns: Turns
}

/** The size of an item's message in bytes; the message itself also fits. */
export interface ItemSize {
  readonly length: number
}

/** Items as encoded in a list, each with its tag and length. */
export interface FramedItems {
  readonly framed: Uint8Array
}

/** Adds tag and length to the message of each item; returns a copy. */
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

let listMetaCodec: ProtobufCodec | undefined

/**
 * Yields the protobuf encoding: an envelope around {1: ListMeta, 2: repeated item}. Yields `list.turns` whenever a turn
 * is over.
 */
export function* protobufListPieces(list: ProtobufList): Generator<Uint8Array | Turns> {
  const { apiVersion, kind, turns } = list
  listMetaCodec ??= createProtobufCodec(listMetaShape)
  const metadata = encodedField(field.metadata, listMetaCodec.encode(list.metadata))
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

function encodedField(number: number, content: Uint8Array): Buffer {
  writer.reset()
  writer.bytesField(number, content)
  return writer.finish()
}

/** Tag and length of an item with this many bytes. */
function frameOf(length: number): Buffer {
  writer.reset()
  writer.varint(field.items * 8 + wireType.bytes)
  writer.varint(length)
  return writer.finish()
}

function framedBytes(length: number): number {
  return 1 + varintBytes(length) + length
}
