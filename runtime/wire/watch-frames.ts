/**
 * Frames of a watch, one per event: JSON documents on lines, or length-prefixed protobuf messages. Built once per event
 * and shared by all its watchers. Specification section 2.5; the protobuf frame is the reference's.
 */
import { ProtobufWriter } from "../encoding/protobuf/writer.ts"

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"

const jsonHeads: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: jsonHead("ADDED"),
  MODIFIED: jsonHead("MODIFIED"),
  DELETED: jsonHead("DELETED"),
  BOOKMARK: jsonHead("BOOKMARK"),
  ERROR: jsonHead("ERROR"),
}
const jsonTail = Buffer.from("}\n")

function jsonHead(type: WatchEventType): Buffer {
  return Buffer.from(`{"type":"${type}","object":`)
}

/** `object` is the JSON of an object, a Table, or a Status; never indented, since a line is a frame. */
export function jsonFrame(type: WatchEventType, object: Uint8Array): Buffer {
  return Buffer.concat([jsonHeads[type], object, jsonTail])
}

/**
 * `envelope` is the object in its own envelope (`wrapUnknown`). The frame is four bytes of length, big-endian, and a
 * message WatchEvent {1: type, 2: {1: envelope}} without an envelope.
 */
export function protobufFrame(type: WatchEventType, envelope: Uint8Array): Buffer {
  writer.reset()
  writer.textField(1, type)
  const at = writer.openField(2)
  writer.bytesField(1, envelope)
  writer.close(at)
  const message = writer.finish()
  const frame = Buffer.allocUnsafe(4 + message.length)
  frame.writeUInt32BE(message.length, 0)
  frame.set(message, 4)
  return frame
}

/** Shared, since frames are written one after the other. */
const writer = new ProtobufWriter()
