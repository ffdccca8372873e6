/** Reads records of the log for an inspection, assuming nothing about their content. */
import { asBuffer, logHeaderBytes, logKey, type LogRecord, logRecordKey, logRecordValue, logType, readLogRecord } from "../layout.ts"
import type { Inspector } from "./inspector.ts"

/** A record with a valid header. */
export interface ValidRecord extends LogRecord {
  /** All of its bytes, which the checksum covers. */
  readonly bytes: Buffer
  readonly key: Buffer
  readonly value: Buffer
}

/** Called with a record's bytes. A string describes the fault. */
export function readValidRecord(bytes: Uint8Array): ValidRecord | string {
  const record = asBuffer(bytes)
  if (record.length < logHeaderBytes) return `its record has ${record.length} bytes, less than its header`
  const type = record.readUInt16LE(0)
  if (type !== logType.put && type !== logType.delete) return `its record is of an unknown type, ${type}`
  const header = readLogRecord(record)
  if (record.length < logHeaderBytes + header.keyLength) return `its record is shorter than its key, which has ${header.keyLength} bytes`
  return { ...header, bytes: record, key: logRecordKey(record), value: logRecordValue(record) }
}

/** The record at a place in the log; undefined: there is none. */
export function recordAt({ environment, transaction }: Inspector, revision: number, place: number): ValidRecord | string | undefined {
  const bytes = environment.log.get(logKey(revision, place), { transaction })
  return bytes === undefined ? undefined : readValidRecord(bytes)
}
