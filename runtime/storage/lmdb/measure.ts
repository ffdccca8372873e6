/** Sizes of an embedded store: the size of its resources, the length of its log, and the free part of its file. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { assert } from "../../base/assert.ts"
import { createTotals, type ResourceTotals } from "../tools/totals.ts"
import { dataFile, type Environment, openEnvironment, readState, storeErrorOf } from "./environment.ts"
import { asBuffer, createIndexKeys, decodeVersion, logRecordKey, logRecordValue, revisionOfLogKey } from "./layout.ts"

export interface LmdbMeasure {
  readonly revision: number
  /** The oldest revision for lists and watches. */
  readonly compactedRevision: number
  readonly keys: number
  readonly fileBytes: number
  readonly pages: {
    readonly bytes: number
    readonly total: number
    /** Later writes reuse them; the file does not shrink. */
    readonly free: number
  }
  readonly log: {
    readonly records: number
    readonly bytes: number
    /** Records of replaced values and of deletions; the next compactions delete them. */
    readonly pastRecords: number
    readonly pastBytes: number
    /** The oldest record; absent in an empty store. */
    readonly oldest?: { readonly revision: number; readonly key: string }
  }
  /** Keys with a time to live. */
  readonly expiring: number
  readonly resources: readonly ResourceTotals[]
}

/** Entries read before other work gets a turn. */
const stepEntries = 2000

/**
 * Called by `store stats`, also while a server has the store open. Reads the whole log once. Throws StoreError
 * "unavailable".
 */
export async function measureLmdb(dir: string, resourceOf: (key: string) => string): Promise<LmdbMeasure> {
  const environment = openEnvironment({ dir, readOnly: true })
  const transaction = environment.root.useReadTransaction()
  try {
    const { revision, compactedRevision, keys } = readState(environment, transaction)
    const totals = createTotals(resourceOf)
    const log = await measureLog(environment, transaction, totals.add)
    const { pages, expiring } = measurePages(environment)
    const fileBytes = statSync(join(dir, dataFile)).size
    return { revision, compactedRevision, keys, fileBytes, pages, log, expiring, resources: totals.resources() }
  } catch (error) {
    throw storeErrorOf(error, dir)
  } finally {
    transaction.done()
    await environment.root.close()
  }
}

async function measureLog(
  { index, log }: Environment,
  transaction: ReturnType<Environment["root"]["useReadTransaction"]>,
  onCurrent: (key: string, bytes: number) => void,
): Promise<LmdbMeasure["log"]> {
  const keys = createIndexKeys()
  const measure = { records: 0, bytes: 0, pastRecords: 0, pastBytes: 0 }
  let oldest: { revision: number; key: string } | undefined
  for (const entry of log.getRange({ transaction })) {
    const record = asBuffer(entry.value)
    const key = logRecordKey(record)
    const { revision, place } = revisionOfLogKey(entry.key)
    oldest ??= { revision, key: key.toString() }
    measure.records++
    measure.bytes += record.length
    const current = index.get(keys.current(key), { transaction })
    const version = current === undefined ? undefined : decodeVersion(asBuffer(current))
    if (version?.modRevision === revision && version.place === place) onCurrent(key.toString(), logRecordValue(record).length)
    else {
      measure.pastRecords++
      measure.pastBytes += record.length
    }
    if (measure.records % stepEntries === 0) await nextTurn()
  }
  return { ...measure, ...(oldest !== undefined && { oldest }) }
}

/**
 * End of the store's data in its file, in bytes; the file may be longer. Called by the writing thread, between
 * transactions.
 */
export function usedFileBytes({ log, root }: Environment): number {
  const stats = log.getStats()
  // This read must not keep old pages from being reused.
  root.resetReadTxn()
  return (count(stats, "lastPageNumber") + 1) * count(stats, "pageSize")
}

/** Two pages at the beginning of the file belong to no tree. */
const metaPages = 2

/** The present state, not the transaction's: a server may have written meanwhile. */
function measurePages({ expiry, index, log, meta, root }: Environment): Pick<LmdbMeasure, "pages" | "expiring"> {
  root.resetReadTxn()
  const stats = log.getStats()
  const trees = [part(stats, "root"), part(stats, "free"), stats, ...[index, expiry, meta].map((table) => table.getStats())]
  const used = trees.reduce<number>((sum, tree) => sum + treePages(tree), metaPages)
  const total = count(stats, "lastPageNumber") + 1
  return {
    pages: { bytes: count(stats, "pageSize"), total, free: Math.max(0, total - used) },
    expiring: count(expiry.getStats(), "entryCount"),
  }
}

function treePages(stats: object): number {
  return count(stats, "treeBranchPageCount") + count(stats, "treeLeafPageCount") + count(stats, "overflowPages")
}

/** The types of the package omit the content of its statistics. */
function count(stats: object, name: string): number {
  const value: unknown = Reflect.get(stats, name)
  assert(typeof value === "number", "LMDB reports its statistics as numbers", { name })
  return value
}

function part(stats: object, name: string): object {
  const value: unknown = Reflect.get(stats, name)
  assert(typeof value === "object" && value !== null, "LMDB reports the statistics of its own trees", { name })
  return value
}
