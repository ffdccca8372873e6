/**
 * Inspects the index: keys in order, each with its versions newest first, and each version with its record in the log.
 */
import { crc32 } from "node:zlib"
import { recordAt, type ValidRecord, readValidRecord } from "./record.ts"
import { asBuffer, decodeVersion, expiryKey, tombstone, logKey, revisionOfLogKey, readIndexKey, type RecordVersion } from "../layout.ts"
import type { Inspector } from "./inspector.ts"

/**
 * A version of a key with its record. Versions are newest first, so the next one must be the version that this one
 * replaced.
 */
interface NewerVersion {
  readonly key: string
  readonly revision: number
  readonly record: ValidRecord
}

/** Resolves with the number of current keys. */
export async function inspectIndex(inspector: Inspector): Promise<number> {
  const { environment, transaction, fault } = inspector
  let keys = 0
  let before: Buffer | undefined
  let newer: NewerVersion | undefined
  for (const entry of environment.index.getRange({ transaction })) {
    await inspector.step()
    const bytes = Buffer.from(entry.key)
    const place = readPlace(bytes)
    if (before !== undefined && Buffer.compare(before, bytes) >= 0) fault("the index is out of order here", place)
    before = bytes
    if (place === undefined) {
      fault(`the index has an entry that is no key: ${bytes.toString("hex")}`)
      continue
    }
    if (place.revision === undefined) keys++
    const found = inspectEntry(inspector, place, asBuffer(entry.value))
    inspectPast(inspector, newer, found ?? place)
    newer = found
  }
  inspectPast(inspector, newer, { key: "" })
  return keys
}

interface IndexPlace {
  readonly key: string
  /** Absent for the current version. */
  readonly revision?: number
}

/** Undefined when the bytes are not an index key. */
function readPlace(bytes: Buffer): IndexPlace | undefined {
  const end = bytes.indexOf(0)
  return end > 0 && (bytes.length === end + 1 || bytes.length === end + 9) ? readIndexKey(bytes) : undefined
}

function inspectEntry(inspector: Inspector, place: IndexPlace, value: Buffer): NewerVersion | undefined {
  const { fault, state } = inspector
  const isGravestone = value.length === tombstone.length
  const { key } = place
  let version: RecordVersion | undefined
  try {
    version = decodeVersion(value)
  } catch {
    fault(`its entry in the index has ${value.length} bytes, which is no version's length`, place)
    return undefined
  }
  const revision = place.revision ?? version?.modRevision ?? 0
  const at = { key, revision }
  if (isGravestone && place.revision === undefined) fault("a key that is current is marked as deleted", at)
  if (version !== undefined && version.modRevision !== revision) fault(`its entry in the index is of version ${version.modRevision}`, at)
  if (revision > state.revision) fault(`it is newer than the store, which is at ${state.revision}`, at)
  if (version !== undefined && version.createRevision > revision) fault(`it was created later, at ${version.createRevision}`, at)
  const record = version === undefined ? deletionOf(inspector, at) : recordAt(inspector, revision, version.place)
  if (record === undefined) fault(version === undefined ? "the log has no record of its deletion" : "the log has no value of it", at)
  else if (typeof record === "string") fault(record, at)
  else if (record.key.toString() !== key) fault(`its record in the log is of another key, ${record.key.toString()}`, at)
  else {
    compareRecord(inspector, { at, version, record })
    if (place.revision === undefined && version !== undefined) takeCurrent(inspector, { at, version, record })
    return { key, revision, record }
  }
  return undefined
}

/** A tombstone does not store the place of the deletion in its commit. */
function deletionOf({ environment, transaction }: Inspector, { key, revision }: Required<IndexPlace>): ValidRecord | undefined {
  for (const entry of environment.log.getRange({ start: logKey(revision, 0), end: logKey(revision + 1, 0), transaction })) {
    const record = readValidRecord(entry.value)
    if (typeof record !== "string" && record.key.toString() === key && revisionOfLogKey(entry.key).revision === revision) return record
  }
  return undefined
}

interface FoundVersion {
  readonly at: Required<IndexPlace>
  /** Undefined for a deletion. */
  readonly version: RecordVersion | undefined
  readonly record: ValidRecord
}

function compareRecord({ fault }: Inspector, { at, version, record }: FoundVersion): void {
  if ((record.type === "delete") !== (version === undefined)) fault(`its record in the log is a ${record.type}`, at)
  if (version === undefined) return
  if (version.checksum !== undefined && version.checksum !== crc32(record.bytes))
    fault("its record in the log is not what was written: the checksum differs", at)
  if (record.createRevision !== version.createRevision)
    fault(`index and log disagree about its creation: ${version.createRevision} and ${record.createRevision}`, at)
  if (record.expiresAtMs !== version.expiresAtMs)
    fault(`index and log disagree about its end: ${version.expiresAtMs} and ${record.expiresAtMs} ms`, at)
}

function takeCurrent(
  { content, environment, fault, transaction }: Inspector,
  { at, version, record }: FoundVersion & { readonly version: RecordVersion },
): void {
  content.update(`${at.key}\0${record.value.length}\0`).update(record.value)
  if (version.expiresAtMs === 0) return
  const due = environment.expiry.get(expiryKey(version.expiresAtMs, record.key), { transaction })
  if (due === undefined) fault(`it should end at ${new Date(version.expiresAtMs).toISOString()}, but nothing will end it`, at)
}

/** `next`: the entry after `newer` in the index. History must be complete back to the swept revision. */
function inspectPast({ fault, state }: Inspector, newer: NewerVersion | undefined, next: IndexPlace | NewerVersion): void {
  if (newer === undefined) return
  const { key, revision, record } = newer
  const older = next.key === key ? next : undefined
  if (older?.revision !== undefined && older.revision >= revision)
    fault(`the version after it in the index, ${older.revision}, is not older`, { key, revision })
  const isSwept = revision <= state.sweptRevision
  if (isSwept && (older !== undefined || record.type === "delete"))
    fault(`history before ${state.sweptRevision} was swept, but something of it is left`, { key, revision })
  if (isSwept || record.previousRevision === 0) return
  const replaced = older?.revision
  if (replaced !== record.previousRevision)
    fault(`it replaced version ${record.previousRevision}, but the one before it is ${replaced ?? "missing"}`, { key, revision })
}
