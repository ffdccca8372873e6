/**
 * The data layout of the embedded store: five LMDB databases in one environment.
 *
 * ```
 * log     revision, place in the commit   → kind of write, previous version, key, value     the truth, in commit order
 * index   key NUL                         → current version
 *         key NUL (newest - revision)     → past version, or a tombstone                     newest first
 * expiry  milliseconds, key               → version that expires then
 * meta    "format", "state", "owner"
 * ```
 *
 * The NUL sorts below every byte of a key, so the entries of a key are adjacent, keys keep their own order, and the
 * current version precedes the past ones. Values are only in the log, which is written at its end. Whole numbers in
 * keys are big-endian, so that they sort; in values they are doubles, which hold 53 bits exactly.
 */
import { assert } from "../../base/assert.ts"

/**
 * Written into every store; a store with a greater number was made by a newer program. Increase it with every change
 * below.
 */
export const formatVersion = 2
/** Formats that this program reads and writes. Records of format 1 have no checksums. */
export const knownFormats: readonly number[] = [1, 2]

/** One version of a key, and the place of its value in the log. */
export interface RecordVersion {
  readonly modRevision: number
  readonly createRevision: number
  /** 0: never. */
  readonly expiresAtMs: number
  /** Position of the write in its commit. */
  readonly place: number
  /** CRC-32 of the record in the log, for `store verify`; undefined for records of format 1. */
  readonly checksum: number | undefined
}

const versionBytes = 32
const versionBytesUnchecked = 28

/** Called for each version written. The next call overwrites the result. */
export function encodeVersion(version: RecordVersion): Buffer {
  versionScratch.writeDoubleLE(version.modRevision, 0)
  versionScratch.writeDoubleLE(version.createRevision, 8)
  versionScratch.writeDoubleLE(version.expiresAtMs, 16)
  versionScratch.writeUInt32LE(version.place, 24)
  if (version.checksum === undefined) return versionScratch.subarray(0, versionBytesUnchecked)
  versionScratch.writeUInt32LE(version.checksum, 28)
  return versionScratch
}
const versionScratch = Buffer.allocUnsafeSlow(versionBytes)

/** Undefined for a tombstone. */
export function decodeVersion(bytes: Buffer): RecordVersion | undefined {
  if (bytes.length === tombstone.length) return undefined
  const isChecked = bytes.length === versionBytes
  assert(isChecked || bytes.length === versionBytesUnchecked, "a version has its length", { length: bytes.length })
  return {
    modRevision: bytes.readDoubleLE(0),
    createRevision: bytes.readDoubleLE(8),
    expiresAtMs: bytes.readDoubleLE(16),
    place: bytes.readUInt32LE(24),
    checksum: isChecked ? bytes.readUInt32LE(28) : undefined,
  }
}

/** The tombstone: the index entry at the revision of a deletion. */
export const tombstone = Buffer.of(0)

/** Size of the header before the key in a log record; the value follows the key. */
export const logHeaderBytes = 32
export const logType = { put: 1, delete: 2 } as const

/** A log record, read in place without copying. */
export interface LogRecord {
  readonly type: "put" | "delete"
  readonly createRevision: number
  /** 0: there was no version before. */
  readonly previousRevision: number
  readonly previousPlace: number
  readonly expiresAtMs: number
  readonly keyLength: number
}

/** Writes the fields that the author of a batch knows; `completeLogHeader` adds the rest. */
export function writeLogHeader(target: Buffer, at: number, header: { type: 1 | 2; keyLength: number; expiresAtMs: number }): void {
  target.writeUInt16LE(header.type, at)
  target.writeUInt16LE(header.keyLength, at + 2)
  target.writeDoubleLE(header.expiresAtMs, at + 24)
}

/** Called inside the transaction, where the previous version is known. */
export function completeLogHeader(record: Buffer, createRevision: number, previous: RecordVersion | undefined): void {
  record.writeUInt32LE(previous?.place ?? 0, 4)
  record.writeDoubleLE(createRevision, 8)
  record.writeDoubleLE(previous?.modRevision ?? 0, 16)
}

export function readLogRecord(record: Buffer): LogRecord {
  return {
    type: record.readUInt16LE(0) === logType.put ? "put" : "delete",
    keyLength: record.readUInt16LE(2),
    previousPlace: record.readUInt32LE(4),
    createRevision: record.readDoubleLE(8),
    previousRevision: record.readDoubleLE(16),
    expiresAtMs: record.readDoubleLE(24),
  }
}

/** The key in a log record, as a view of the same memory. */
export function logRecordKey(record: Buffer): Buffer {
  return record.subarray(logHeaderBytes, logHeaderBytes + record.readUInt16LE(2))
}

/** The value in a log record, as a view of the same memory. */
export function logRecordValue(record: Buffer): Buffer {
  return record.subarray(logHeaderBytes + record.readUInt16LE(2))
}

/** A key of the log. Pass a `target` to avoid an allocation when the key is used at once. */
export function logKey(revision: number, place: number, target: Buffer = Buffer.allocUnsafe(12)): Buffer {
  writeWhole(target, 0, revision)
  target.writeUInt32BE(place, 8)
  return target
}

export function revisionOfLogKey(key: Uint8Array): { revision: number; place: number } {
  const bytes = asBuffer(key)
  return { revision: readWhole(bytes, 0), place: bytes.readUInt32BE(8) }
}

/** Writes keys of the index into reused memory: each result is valid until the next call. */
export function createIndexKeys(): {
  current(key: Uint8Array): Buffer
  past(key: Uint8Array, revision: number): Buffer
} {
  const scratch = Buffer.allocUnsafeSlow(2048)
  return {
    current(key) {
      scratch.set(key, 0)
      scratch[key.length] = 0
      return scratch.subarray(0, key.length + 1)
    },
    past(key, revision) {
      scratch.set(key, 0)
      scratch[key.length] = 0
      writeWhole(scratch, key.length + 1, Number.MAX_SAFE_INTEGER - revision)
      return scratch.subarray(0, key.length + 9)
    },
  }
}

/** The key and, for a past version, its revision. */
export function readIndexKey(bytes: Uint8Array): { key: string; revision?: number } {
  const buffer = asBuffer(bytes)
  const end = buffer.indexOf(0)
  const key = buffer.toString("utf8", 0, end)
  return end + 1 === buffer.length ? { key } : { key, revision: Number.MAX_SAFE_INTEGER - readWhole(buffer, end + 1) }
}

/** Start of the index entries after the entries of `key`. */
export function afterKey(key: string): Buffer {
  return Buffer.from(`${key}\u0001`)
}

export function expiryKey(expiresAtMs: number, key: Uint8Array): Buffer {
  const target = Buffer.allocUnsafe(8 + key.length)
  writeWhole(target, 0, Math.ceil(expiresAtMs))
  target.set(key, 8)
  return target
}

export function readExpiryKey(bytes: Uint8Array): { expiresAtMs: number; key: Buffer } {
  const buffer = asBuffer(bytes)
  return { expiresAtMs: readWhole(buffer, 0), key: buffer.subarray(8) }
}

/** The store's own counters; written with every batch. */
export interface State {
  revision: number
  compactedRevision: number
  /** History is deleted up to here; less than compactedRevision while a compaction runs. */
  sweptRevision: number
  keys: number
}

export const emptyState: State = { revision: 1, compactedRevision: 0, sweptRevision: 0, keys: 0 }

export function encodeState(state: State): Buffer {
  const target = Buffer.allocUnsafe(32)
  target.writeDoubleLE(state.revision, 0)
  target.writeDoubleLE(state.compactedRevision, 8)
  target.writeDoubleLE(state.sweptRevision, 16)
  target.writeDoubleLE(state.keys, 24)
  return target
}

export function decodeState(bytes: Uint8Array): State {
  const buffer = asBuffer(bytes)
  return {
    revision: buffer.readDoubleLE(0),
    compactedRevision: buffer.readDoubleLE(8),
    sweptRevision: buffer.readDoubleLE(16),
    keys: buffer.readDoubleLE(24),
  }
}

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Writes a whole number below 2^53 big-endian, so that greater numbers sort later. */
function writeWhole(target: Buffer, at: number, value: number): void {
  target.writeUInt32BE(Math.floor(value / 2 ** 32), at)
  target.writeUInt32BE(value % 2 ** 32, at + 4)
}

function readWhole(source: Buffer, at: number): number {
  return source.readUInt32BE(at) * 2 ** 32 + source.readUInt32BE(at + 4)
}
