/** Backup and restore of an embedded store, and the check that both end with. */
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { StoreError } from "../store.ts"
import { sealBackup, unsealBackup } from "./backup-file.ts"
import type { Environment } from "./environment.ts"
import { dataFile, openEnvironment, readState, storeErrorOf } from "./environment.ts"
import { asBuffer, decodeVersion, logKey, logRecordKey, readIndexKey } from "./layout.ts"

/** What a check found. */
export interface LmdbSummary {
  readonly revision: number
  readonly compactedRevision: number
  readonly keys: number
}

/** Keys looked at before other work gets a turn. */
const verifyStep = 2000

/**
 * Called by `orch-apiserver backup` and by libraries, also while a server has the store open, in this process or another:
 * the copy is one snapshot, without free pages, and writers go on. `file` appears whole or not at all, and only after the
 * copy was opened and checked. Throws StoreError "full" or "unavailable".
 */
export async function backupLmdb(dir: string, file: string): Promise<LmdbSummary> {
  const target = resolve(file)
  await mkdir(dirname(target), { recursive: true })
  const source = openEnvironment({ dir, readOnly: true })
  const scratch = await mkdtemp(join(dirname(target), `.${basename(target)}-`))
  try {
    await source.root.backup(scratch, true)
    const summary = await verifyLmdb(scratch)
    const copy = join(scratch, dataFile)
    await sealBackup(copy)
    await flush(copy)
    await rename(copy, target)
    await flush(dirname(target))
    return summary
  } catch (error) {
    throw storeErrorOf(error, dirname(target))
  } finally {
    await source.root.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Called by `orch-apiserver restore`. Makes `file` the store in `dir`, which must be new or empty: a restore never writes
 * over anything. Throws StoreError "unavailable" when the folder is in use or the file is damaged; the folder is empty then.
 */
export async function restoreLmdb(file: string, dir: string): Promise<LmdbSummary> {
  if (!existsSync(file)) throw new StoreError("unavailable", `there is no backup ${file}`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  if ((await readdir(dir)).length > 0) throw new StoreError("unavailable", `${dir} is not empty; restore into a new folder`)
  try {
    await unsealBackup(file, join(dir, dataFile))
    const summary = await verifyLmdb(dir)
    await flush(join(dir, dataFile))
    await flush(dir)
    return summary
  } catch (error) {
    for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true })
    throw storeErrorOf(error, dir)
  }
}

/**
 * Called after backup and restore, and by tests: every key's current version must have its record in the log, with that
 * key, and their number must be the one the store keeps. Throws StoreError "unavailable" with what was found. Reads only;
 * a store that is open elsewhere is seen as of one moment.
 */
export async function verifyLmdb(dir: string): Promise<LmdbSummary> {
  const environment = openEnvironment({ dir, readOnly: true })
  const transaction = environment.root.useReadTransaction()
  try {
    const { revision, compactedRevision, keys } = readState(environment, transaction)
    const counted = await countKeys(environment, transaction, revision)
    if (counted !== keys) throw damaged(dir, `it has ${counted} keys and should have ${keys}`)
    return { revision, compactedRevision, keys }
  } catch (error) {
    throw storeErrorOf(error, dir)
  } finally {
    transaction.done()
    await environment.root.close()
  }
}

type ReadTransaction = ReturnType<Environment["root"]["useReadTransaction"]>

async function countKeys({ dir, index, log }: Environment, transaction: ReadTransaction, newest: number): Promise<number> {
  let counted = 0
  for (const entry of index.getRange({ transaction })) {
    const { key, revision } = readIndexKey(entry.key)
    const version = decodeVersion(asBuffer(entry.value))
    if (version === undefined) continue
    const record = log.get(logKey(version.modRevision, version.place), { transaction })
    if (version.modRevision > newest || record === undefined || logRecordKey(asBuffer(record)).toString() !== key) {
      throw damaged(dir, `revision ${version.modRevision} of ${key} has no value`)
    }
    if (revision === undefined && ++counted % verifyStep === 0) await nextTurn()
  }
  return counted
}

function damaged(dir: string, what: string): StoreError {
  return new StoreError("unavailable", `the store in ${dir} is damaged: ${what}`)
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
