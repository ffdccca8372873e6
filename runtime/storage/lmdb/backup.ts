/** Backup and restore of an embedded store, and the verification that ends both. */
import { existsSync } from "node:fs"
import { chmod, mkdtemp, open, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { makeFolder } from "../../base/make-folder.ts"
import { programText } from "../../base/program-text.ts"
import { StoreError } from "../store.ts"
import { sealBackup, unsealBackup } from "./backup-file.ts"
import { createEngine } from "./engine.ts"
import { dataFile, metaKeys, openEnvironment, readState, storeErrorOf } from "./environment.ts"
import { faultText, inspectLmdb } from "./inspect/inspect.ts"
import { encodeState } from "./layout.ts"
import type { StoreFault } from "./inspect/inspector.ts"

/** Result of a verification. */
export interface LmdbSummary {
  readonly revision: number
  readonly compactedRevision: number
  readonly keys: number
  /** SHA-256 over keys and values (see Inspection). */
  readonly contentHash: string
}

/**
 * Called by `orch-apiserver backup` and by libraries, also while a server has the store open, in this process or
 * another: the copy is one snapshot without free pages, and writers go on. `file` appears complete or not at all, and
 * only after the copy was opened and verified. Throws StoreError "full" or "unavailable".
 */
export async function backupLmdb(dir: string, file: string): Promise<LmdbSummary> {
  const target = resolve(file)
  if (existsSync(target)) throw new StoreError("unavailable", `${file} is there already; a backup never writes over anything`)
  makeFolder(dirname(target))
  const source = openEnvironment({ dir, readOnly: true })
  const scratch = await mkdtemp(join(dirname(target), `.${basename(target)}-`))
  try {
    await source.root.backup(scratch, true)
    const summary = await verifyLmdb(scratch)
    const copy = join(scratch, dataFile)
    // It contains secrets.
    await chmod(copy, 0o600)
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

export interface RestoreOptions {
  /**
   * How many versions to skip: more than were written since the backup. The history then begins above them, so that no
   * version ever means two states.
   */
  readonly bumpRevision?: number
}

/**
 * Called by `orch-apiserver restore`. Makes `file` the store in `dir`, which must be new or empty: a restore never
 * overwrites anything, and on failure `dir` is unchanged. Throws StoreError "full", or "unavailable" when the folder is
 * in use or the file is damaged.
 */
export async function restoreLmdb(file: string, dir: string, { bumpRevision = 0 }: RestoreOptions = {}): Promise<LmdbSummary> {
  if (!existsSync(file)) throw new StoreError("unavailable", `there is no backup ${file}`)
  const target = resolve(dir)
  if (existsSync(target) && (await readdir(target)).length > 0)
    throw new StoreError("unavailable", `${dir} is not empty; restore into a new folder`)
  makeFolder(dirname(target))
  const scratch = await mkdtemp(join(dirname(target), `.${basename(target)}-`))
  try {
    await unsealBackup(file, join(scratch, dataFile))
    if (bumpRevision > 0) await bump(scratch, bumpRevision)
    const summary = await verifyLmdb(scratch)
    await flush(join(scratch, dataFile))
    await flush(scratch)
    await rename(scratch, target)
    await flush(dirname(target))
    return summary
  } catch (error) {
    await rm(scratch, { recursive: true, force: true })
    throw storeErrorOf(error, dirname(target))
  }
}

async function bump(dir: string, by: number): Promise<void> {
  const environment = openEnvironment({ dir })
  try {
    const state = readState(environment)
    const revision = state.revision + by
    environment.root.transactionSync(() => environment.meta.putSync(metaKeys.state, encodeState({ ...state, revision })))
    const engine = createEngine(environment)
    engine.compact(revision)
    while (!engine.sweep()) await nextTurn()
  } finally {
    await environment.root.close()
  }
}

/**
 * Called after backup and restore, and by tests: `inspectLmdb` must find no fault. Throws StoreError "unavailable" with
 * the first fault and the number of faults.
 */
export async function verifyLmdb(dir: string): Promise<LmdbSummary> {
  const faults: StoreFault[] = []
  const { revision, compactedRevision, keys, contentHash } = await inspectLmdb(dir, { onFault: (fault) => faults.push(fault) })
  const [first] = faults
  if (first === undefined) return { revision, compactedRevision, keys, contentHash }
  const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more; \`${programText("store verify")}\` names them)`
  throw new StoreError("unavailable", `the store in ${dir} is damaged: ${faultText(first)}${more}`)
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
