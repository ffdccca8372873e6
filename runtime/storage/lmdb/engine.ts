/**
 * The writing side of the embedded store: evaluates checks, applies commits inside LMDB transactions and deletes
 * compacted history. Synchronous, and used by one thread only, the storage worker. Every method leaves the data
 * durable, or throws and leaves it unchanged; after StoreError "undecided" it may be either.
 */
import { crc32 } from "node:zlib"
import { assert } from "../../base/assert.ts"
import { ByteReader, ByteWriter, outcome, writeStored } from "./batch.ts"
import { StoreError } from "../store.ts"
import type { Environment } from "./environment.ts"
import { metaKeys, readState, storeErrorOf, viewValue } from "./environment.ts"
import type { State, RecordVersion } from "./layout.ts"
import {
  asBuffer,
  completeLogHeader,
  createIndexKeys,
  decodeVersion,
  encodeState,
  encodeVersion,
  expiryKey,
  tombstone,
  logHeaderBytes,
  logKey,
  logRecordKey,
  readLogRecord,
  revisionOfLogKey,
} from "./layout.ts"

export interface Engine {
  /** Applies the commits of one batch in order, in one transaction. `results` has the same order. */
  apply(batch: Buffer): { results: ByteWriter; revision: number }
  /** From now on nothing below `revision` may be read; `sweep` deletes the data. */
  compact(revision: number): void
  /** Deletes a bounded part of the compacted history; returns whether that was the rest. */
  sweep(): boolean
  /** Writes `bytes` bytes; throws while the disk has no room. */
  tryRoom(bytes: number): void
}

/** Initial capacity for the results of a batch: more than a few commits without a failed check need. */
const resultsBytes = 512

/** Writes per sweeping transaction: about two milliseconds, by which a commit may be delayed. */
const sweepWrites = 400

/** Called once in the storage worker, with an environment that no other process writes. */
export function createEngine(environment: Environment): Engine {
  const { root } = environment
  /** Undefined after a failed transaction: the state is then read from LMDB again. */
  let state: State | undefined
  let broken: StoreError | undefined
  /**
   * After a transaction failed for any reason but a full disk, this engine refuses all writes: the system reports a
   * failed flush only once, and a later flush that succeeds would hide that data of the first one is lost.
   */
  function write<T>(action: () => T): T {
    if (broken !== undefined) throw broken
    let isComplete = false
    try {
      return root.transactionSync(() => {
        const answer = action()
        isComplete = true
        return answer
      })
    } catch (error) {
      const failure = storeErrorOf(error, environment.dir)
      if (failure.code !== "unavailable") throw failure
      broken = failure
      // A failure inside the action rolled the transaction back. One at its end may have reached the disk.
      throw isComplete ? new StoreError("undecided", failure.message) : failure
    }
  }
  function transact<T>(action: (state: State) => T): T {
    const before = state ?? readState(environment)
    state = undefined
    const after = { ...before }
    const answer = write(() => {
      const result = action(after)
      if (!sameState(before, after)) environment.meta.putSync(metaKeys.state, encodeState(after))
      return result
    })
    state = after
    return answer
  }
  const tables = createTables(environment)
  return {
    apply(batch) {
      const results = new ByteWriter(resultsBytes)
      const revision = transact((after) => {
        const reader = new ByteReader(batch)
        for (let commits = reader.u32(); commits > 0; commits--) applyCommit(tables, after, reader, results)
        return after.revision
      })
      return { results, revision }
    },
    compact(revision) {
      // A process that was killed during a backup still pins the pages it was reading.
      root.readerCheck()
      transact((after) => {
        assert(revision <= after.revision, "only the past is compacted", { revision, current: after.revision })
        after.compactedRevision = Math.max(after.compactedRevision, revision)
      })
    },
    sweep() {
      return transact((after) => {
        after.sweptRevision = sweepFrom(tables, after)
        return after.sweptRevision === after.compactedRevision
      })
    },
    tryRoom(bytes) {
      write(() => environment.meta.putSync(metaKeys.room, Buffer.alloc(bytes)))
    },
  }
}

function sameState(left: State, right: State): boolean {
  return (
    left.revision === right.revision && left.compactedRevision === right.compactedRevision && left.sweptRevision === right.sweptRevision
  )
}

/** The tables and the engine's operations on them; used inside its transactions only. */
interface Tables extends Environment {
  current(key: Uint8Array): RecordVersion | undefined
  /** Valid until the next call into the tables. */
  value(version: RecordVersion): Uint8Array
  setCurrent(key: Uint8Array, version: RecordVersion): void
  /** Moves the current version to the past versions. */
  retire(key: Uint8Array, version: RecordVersion): void
  writeTombstone(key: Uint8Array, revision: number): void
  append(revision: number, place: number, record: Buffer): void
  dropPast(key: Uint8Array, revision: number): void
  dropRecord(revision: number, place: number): void
}

function createTables(environment: Environment): Tables {
  const { index, log } = environment
  const keys = createIndexKeys()
  const logScratch = Buffer.allocUnsafeSlow(12)
  return {
    ...environment,
    current(key) {
      const bytes = index.getBinaryFast(keys.current(key))
      return bytes === undefined ? undefined : decodeVersion(bytes)
    },
    value(version) {
      const value = viewValue(log, logKey(version.modRevision, version.place, logScratch))
      assert(value !== undefined, "every version has its record", { ...version })
      return value
    },
    setCurrent: (key, version) => index.putSync(keys.current(key), encodeVersion(version)),
    retire(key, version) {
      index.putSync(keys.past(key, version.modRevision), encodeVersion(version))
    },
    writeTombstone(key, revision) {
      index.removeSync(keys.current(key))
      index.putSync(keys.past(key, revision), tombstone)
    },
    append: (revision, place, record) => log.putSync(logKey(revision, place, logScratch), record, { append: true }),
    dropPast: (key, revision) => index.removeSync(keys.past(key, revision)),
    dropRecord: (revision, place) => log.removeSync(logKey(revision, place, logScratch)),
  }
}

function applyCommit(tables: Tables, state: State, reader: ByteReader, results: ByteWriter): void {
  const checks = reader.u32()
  const writes = reader.u32()
  const failed: { key: Buffer; current: RecordVersion | undefined }[] = []
  for (let check = 0; check < checks; check++) {
    const modRevision = reader.f64()
    const key = reader.block()
    const current = tables.current(key)
    if ((current?.modRevision ?? 0) !== modRevision) failed.push({ key, current })
  }
  if (failed.length > 0) {
    for (let write = 0; write < writes; write++) reader.block()
    writeFailure(tables, state, failed, results)
    return
  }
  results.u32(outcome.done)
  const revisionAt = results.reserve(8)
  const revision = state.revision + 1
  let place = 0
  for (let write = 0; write < writes; write++)
    place += applyWrite(tables, state, { record: reader.block(), revision, place }, results) ? 1 : 0
  if (place > 0) state.revision = revision
  results.bytes.writeDoubleLE(state.revision, revisionAt)
}

function writeFailure(
  tables: Tables,
  state: State,
  failed: readonly { key: Buffer; current: RecordVersion | undefined }[],
  results: ByteWriter,
): void {
  results.u32(outcome.failed)
  results.f64(state.revision)
  results.u32(failed.length)
  for (const { key, current } of failed) {
    results.block(key)
    writeStored(results, current, tables.value)
  }
}

/** Returns whether there was anything to do. */
function applyWrite(
  tables: Tables,
  state: State,
  write: { record: Buffer; revision: number; place: number },
  results: ByteWriter,
): boolean {
  const { record, revision, place } = write
  const { type, expiresAtMs } = readLogRecord(record)
  const key = logRecordKey(record)
  const previous = tables.current(key)
  if (type === "delete" && previous === undefined) {
    results.f64(0)
    return false
  }
  const createRevision = previous?.createRevision ?? revision
  results.f64(createRevision)
  completeLogHeader(record, createRevision, previous)
  tables.append(revision, place, record)
  if (previous !== undefined) {
    tables.retire(key, previous)
    if (previous.expiresAtMs !== 0) tables.expiry.removeSync(expiryKey(previous.expiresAtMs, key))
  }
  if (type === "delete") {
    tables.writeTombstone(key, revision)
    state.keys--
    return true
  }
  const version = { modRevision: revision, createRevision, expiresAtMs, place, checksum: crc32(record) }
  tables.setCurrent(key, version)
  if (expiresAtMs !== 0) tables.expiry.putSync(expiryKey(expiresAtMs, key), encodeVersion(version))
  if (previous === undefined) state.keys++
  return true
}

/**
 * Sweeps whole commits, oldest first, until it has done enough; returns the revision swept up to. A version that a
 * write replaced is not part of the state at any revision from the compacted one on, so the version and its record are
 * deleted; so is a deletion itself.
 */
function sweepFrom(tables: Tables, state: State): number {
  const range = { start: logKey(state.sweptRevision + 1, 0), end: logKey(state.compactedRevision + 1, 0) }
  const due: { revision: number; place: number; record: Buffer }[] = []
  for (const entry of tables.log.getRange(range)) {
    const { revision, place } = revisionOfLogKey(entry.key)
    if (due.length >= sweepWrites && revision !== due.at(-1)?.revision) {
      sweepRecords(tables, due)
      return revision - 1
    }
    const record = asBuffer(entry.value)
    due.push({ revision, place, record: record.subarray(0, logHeaderBytes + readLogRecord(record).keyLength) })
  }
  sweepRecords(tables, due)
  return state.compactedRevision
}

function sweepRecords(tables: Tables, due: readonly { revision: number; place: number; record: Buffer }[]): void {
  for (const { revision, place, record } of due) {
    const { type, previousRevision, previousPlace } = readLogRecord(record)
    const key = logRecordKey(record)
    if (previousRevision !== 0) {
      tables.dropPast(key, previousRevision)
      tables.dropRecord(previousRevision, previousPlace)
    }
    if (type === "delete") {
      tables.dropPast(key, revision)
      tables.dropRecord(revision, place)
    }
  }
}
