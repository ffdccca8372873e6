/**
 * The format in which main thread and storage worker exchange commits: one buffer with many commits in one direction,
 * one with their results in the other. Buffers are transferred, not copied, and a put already has the form of its log
 * record (layout.ts).
 *
 * ```
 * commit   checks u32, writes u32, then
 *   check  modRevision f64, length u32, key
 *   write  length u32, log record
 * result   outcome u32, revision f64, then
 *   done   per write: createRevision f64 (0: there was no key to delete)
 *   failed checks u32, per check: length u32, key, current
 * current: modRevision f64 (0: none), then createRevision f64, expiresAtMs f64, length u32, value
 * ```
 */
import { assert } from "../../base/assert.ts"
import type { Check, StoredValue, Write } from "../store.ts"
import type { RecordVersion } from "./layout.ts"
import { logHeaderBytes, logType, writeLogHeader } from "./layout.ts"

export const outcome = { done: 1, failed: 2 } as const

/** A buffer that is filled from its beginning and grows as needed. */
export class ByteWriter {
  bytes: Buffer<ArrayBuffer>
  length = 0

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /** Makes room and moves past it; returns the offset of the room. */
  reserve(length: number): number {
    const at = this.length
    this.length = at + length
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.length, this.bytes.length * 2))
      this.bytes.copy(larger, 0, 0, at)
      this.bytes = larger
    }
    return at
  }

  u32(value: number): void {
    const at = this.reserve(4)
    this.bytes.writeUInt32LE(value, at)
  }

  f64(value: number): void {
    const at = this.reserve(8)
    this.bytes.writeDoubleLE(value, at)
  }

  /** Length, then content. */
  block(content: Uint8Array): void {
    const at = this.reserve(4 + content.length)
    this.bytes.writeUInt32LE(content.length, at)
    this.bytes.set(content, at + 4)
  }

  text(content: string): void {
    const at = this.reserve(4 + content.length * 3)
    const length = this.bytes.write(content, at + 4)
    this.bytes.writeUInt32LE(length, at)
    this.length = at + 4 + length
  }
}

/** Reads what a ByteWriter wrote; blocks are views of the same memory. */
export class ByteReader {
  private at = 0

  constructor(private readonly bytes: Buffer) {}

  u32(): number {
    const value = this.bytes.readUInt32LE(this.at)
    this.at += 4
    return value
  }

  f64(): number {
    const value = this.bytes.readDoubleLE(this.at)
    this.at += 8
    return value
  }

  block(): Buffer {
    const length = this.u32()
    const content = this.bytes.subarray(this.at, this.at + length)
    assert(content.length === length, "a batch is whole", { length, left: content.length })
    this.at += length
    return content
  }
}

/** Main thread: appends one commit to the batch. `expiresAtMs` converts a time to live. */
export function writeCommit(
  writer: ByteWriter,
  options: { checks: readonly Check[]; writes: readonly Write[] },
  expiresAtMs: (ttlSeconds: number) => number,
): void {
  writer.u32(options.checks.length)
  writer.u32(options.writes.length)
  for (const check of options.checks) {
    writer.f64(check.modRevision)
    writer.text(check.key)
  }
  for (const write of options.writes) writeRecord(writer, write, expiresAtMs)
}

function writeRecord(writer: ByteWriter, write: Write, expiresAtMs: (ttlSeconds: number) => number): void {
  const { key } = write
  const isPut = write.type === "put"
  const valueLength = isPut ? write.value.length : 0
  const at = writer.reserve(4 + logHeaderBytes + key.length * 3 + valueLength)
  const keyLength = writer.bytes.write(key, at + 4 + logHeaderBytes)
  const length = logHeaderBytes + keyLength + valueLength
  writer.bytes.writeUInt32LE(length, at)
  writeLogHeader(writer.bytes, at + 4, {
    type: logType[write.type],
    keyLength,
    expiresAtMs: isPut && write.ttlSeconds !== undefined ? expiresAtMs(write.ttlSeconds) : 0,
  })
  if (isPut) writer.bytes.set(write.value, at + 4 + logHeaderBytes + keyLength)
  writer.length = at + 4 + length
}

/** Worker: writes a version with its value, or that there is none. */
export function writeStored(writer: ByteWriter, version: RecordVersion | undefined, value: (version: RecordVersion) => Uint8Array): void {
  writer.f64(version?.modRevision ?? 0)
  if (version === undefined) return
  writer.f64(version.createRevision)
  writer.f64(version.expiresAtMs)
  writer.block(value(version))
}

/** Main thread: reads what `writeStored` wrote. */
export function readStored(reader: ByteReader, key: string): StoredValue | undefined {
  const modRevision = reader.f64()
  if (modRevision === 0) return undefined
  const createRevision = reader.f64()
  const expiresAtMs = reader.f64()
  return storedValue(key, { modRevision, createRevision, expiresAtMs }, reader.block())
}

export function storedValue(
  key: string,
  version: Pick<RecordVersion, "modRevision" | "createRevision" | "expiresAtMs">,
  value: Uint8Array,
): StoredValue {
  const { modRevision, createRevision, expiresAtMs } = version
  if (expiresAtMs === 0) return { key, value, createRevision, modRevision }
  return { key, value, createRevision, modRevision, expiresAtMs }
}
