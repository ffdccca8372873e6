/** The LMDB environment of a store: its databases, its format number, and the translation of its errors. */
import { existsSync, statfsSync } from "node:fs"
import { join } from "node:path"
import type { Database, RootDatabase, Transaction } from "lmdb"
import { open } from "lmdb"
import { makeFolder } from "../../base/make-folder.ts"
import { StoreError } from "../store.ts"
import type { State } from "./layout.ts"
import { requireRoom } from "./room-to-start.ts"
import { asBuffer, decodeState, emptyState, formatVersion, knownFormats, logHeaderBytes, readLogRecord } from "./layout.ts"

export type Table = Database<Buffer, Uint8Array>

/** Shared by the threads of a process that open the same folder; each thread has its own handles. */
export interface Environment {
  readonly dir: string
  readonly root: RootDatabase<Buffer, Uint8Array>
  readonly log: Table
  readonly index: Table
  readonly expiry: Table
  readonly meta: Table
}

export interface EnvironmentOptions {
  readonly dir: string
  /** Initial size of the address space; it grows as needed. */
  readonly mapSize?: number
  /** For backups, which must not even create a database. */
  readonly readOnly?: boolean
}

/** Enough that a small control plane never has to map the file again; it is address space, not memory. */
const defaultMapSize = 1024 ** 3

/** The file in the store's folder that holds all data. */
export const dataFile = "data.mdb"

export const metaKeys = {
  format: Buffer.from("format"),
  state: Buffer.from("state"),
  owner: Buffer.from("owner"),
  room: Buffer.from("room"),
}

/**
 * Called once per thread and store. Throws StoreError "unavailable" when the folder holds something else or a newer
 * format. Pages of 8 KiB measured best (disk use 1.4 times the payload, against 2 times at 4 KiB). `overlappingSync`
 * must be off; otherwise a transaction ends before its data is durable.
 */
export function openEnvironment(options: EnvironmentOptions): Environment {
  const { dir, mapSize = defaultMapSize, readOnly = false } = options
  if (readOnly && !existsSync(join(dir, dataFile))) throw new StoreError("unavailable", `${dir} holds no store: there is no ${dataFile}`)
  // Values contain secrets: permissions for the owner only.
  if (!readOnly) {
    makeFolder(dir)
    requireRoom(dir)
  }
  const isNew = !existsSync(join(dir, dataFile))
  const root = openRoot(dir, mapSize, readOnly)
  try {
    return openTables(root, dir, isNew)
  } catch (error) {
    void root.close()
    throw error
  }
}

const encodings = { encoding: "binary", keyEncoding: "binary", cache: false } as const

function openRoot(dir: string, mapSize: number, readOnly: boolean): RootDatabase<Buffer, Uint8Array> {
  // Not a literal argument: the types of the package omit permissionsMode.
  const options = { ...encodings, noSubdir: false, pageSize: 8192, overlappingSync: false, mapSize, readOnly, permissionsMode: 0o600 }
  try {
    return open<Buffer, Uint8Array>(dir, options)
  } catch (error) {
    throw storeErrorOf(error, dir)
  }
}

function openTables(root: RootDatabase<Buffer, Uint8Array>, dir: string, isNew: boolean): Environment {
  const table = (name: string): Table => {
    const opened: Table | undefined = root.openDB<Buffer, Uint8Array>(name, encodings)
    if (opened === undefined)
      throw new StoreError("unavailable", `${dir}/${dataFile} is not a store of this program: it has no table "${name}"`)
    return opened
  }
  if (!isNew) checkFormat(table("meta"), dir)
  return { dir, root, meta: table("meta"), log: table("log"), index: table("index"), expiry: table("expiry") }
}

/** Refuses a store of a newer program: reading it by the old rules could lose data silently. */
function checkFormat(meta: Table, dir: string): void {
  const format = meta.get(metaKeys.format)?.toString()
  if (format === undefined || knownFormats.includes(Number(format))) return
  throw new StoreError(
    "unavailable",
    `the store in ${dir} has format ${format}; this program knows format ${formatVersion}. Use the program that wrote it, or a newer one`,
  )
}

/** The value in a log record, in memory that the next call into LMDB may overwrite; undefined: no such record. */
export function viewValue(log: Table, key: Buffer): Buffer | undefined {
  const found = log.getBinaryFast(key)
  if (found === undefined) return undefined
  // The memory is longer than the record; only `length` gives the record's end.
  return asBuffer(found).subarray(logHeaderBytes + readLogRecord(asBuffer(found)).keyLength, found.length)
}

/**
 * The state in a transaction, by default in this thread's present view. A store that was never written has the initial
 * state.
 */
export function readState(environment: Environment, transaction?: Transaction): State {
  const bytes = environment.meta.get(metaKeys.state, transaction && { transaction })
  return bytes === undefined ? { ...emptyState } : decodeState(bytes)
}

/** The codes of a full disk, as LMDB and Node report them. */
const noSpace = new Set<unknown>([
  27 /* EFBIG */,
  28 /* ENOSPC */,
  122 /* EDQUOT */,
  -30792 /* MDB_MAP_FULL */,
  "EFBIG",
  "ENOSPC",
  "EDQUOT",
])
/**
 * A disk with less free space counts as full: LMDB reports a write cut short by a full disk as EIO, and a failed copy
 * without a code.
 */
const roomBytes = 256 * 1024

/** Called with any error of LMDB or the file system; distinguishes a full disk from a broken one. */
export function storeErrorOf(error: unknown, dir: string): StoreError {
  if (error instanceof StoreError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (noSpace.has(code) || ((code === undefined || code === 5) && !hasRoom(dir))) {
    return new StoreError("full", `the disk that holds ${dir} is full: ${message}`)
  }
  return new StoreError("unavailable", `the store in ${dir} failed: ${message}`)
}

function hasRoom(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize > roomBytes
  } catch {
    // The folder cannot be read at all, so room is not the problem.
    return true
  }
}
