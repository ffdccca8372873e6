/**
 * Checks the invariants of an embedded store entry by entry: every version in the index has its record in the log and
 * vice versa, keys and versions are in order, no revision is missing, and the counters are right (`layout.ts` describes
 * the data). Reads one snapshot, so a store that is open elsewhere may be inspected, and memory does not grow with the
 * store.
 */
import { createHash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type Environment, openEnvironment, readState, storeErrorOf } from "../environment.ts"
import { inspectExpiry } from "./expiry.ts"
import { inspectIndex } from "./index.ts"
import { inspectLog } from "./log.ts"
import type { InspectOptions, Inspector, ReadTransaction, StoreFault } from "./inspector.ts"

/** A fault in one line. */
export function faultText({ key, revision, what }: StoreFault): string {
  const about = [key, ...(revision === 0 ? [] : [`version ${revision}`])].filter((part) => part !== "").join(" ")
  return about === "" ? what : `${about}: ${what}`
}

/** Result of an inspection; all of one snapshot. */
export interface Inspection {
  readonly revision: number
  readonly compactedRevision: number
  readonly keys: number
  /** Number of stored values, past versions included. */
  readonly values: number
  /**
   * SHA-256 over every current key and value in key order, without versions: equal for a copy that has other versions.
   */
  readonly contentHash: string
}

/** Entries inspected before other work gets a turn. */
const stepEntries = 2000

/**
 * Called by `store verify`, after a backup and a restore, and by tests. Reports every fault to `onFault`; throws
 * StoreError "unavailable" only when the store cannot be read at all.
 */
export async function inspectLmdb(dir: string, options: InspectOptions): Promise<Inspection> {
  const environment = openEnvironment({ dir, readOnly: true })
  const transaction = environment.root.useReadTransaction()
  try {
    const inspector = createInspector(environment, transaction, options)
    inspectState(inspector)
    const keys = await inspectIndex(inspector)
    const values = await inspectLog(inspector)
    await inspectExpiry(inspector)
    const { state } = inspector
    if (keys !== state.keys) inspector.fault(`the counter of keys says ${state.keys}, but there are ${keys}`)
    const { revision, compactedRevision } = state
    return { revision, compactedRevision, keys, values, contentHash: inspector.content.digest("hex") }
  } catch (error) {
    throw storeErrorOf(error, dir)
  } finally {
    transaction.done()
    await environment.root.close()
  }
}

function createInspector(environment: Environment, transaction: ReadTransaction, options: InspectOptions): Inspector {
  let steps = 0
  return {
    environment,
    transaction,
    state: readState(environment, transaction),
    checkValue: options.checkValue,
    content: createHash("sha256"),
    fault: (what, { key = "", revision = 0 } = {}) => options.onFault({ key, revision, what }),
    step: () => (++steps % stepEntries === 0 ? nextTurn() : undefined),
  }
}

function inspectState({ state, fault }: Inspector): void {
  const { revision, compactedRevision, sweptRevision } = state
  if (!(sweptRevision <= compactedRevision && compactedRevision <= revision && revision >= 1))
    fault(`the revisions of the store are out of order: swept ${sweptRevision}, compacted ${compactedRevision}, newest ${revision}`)
}
