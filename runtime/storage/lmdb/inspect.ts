/**
 * What must be true of an embedded store, looked up entry by entry: every version in the index has its record in the log and the other way
 * round, keys and versions stand in order, no revision is missing, and the counters are right (`layout.ts` says how the data lies). Reads one
 * snapshot, so a store that is open elsewhere may be inspected, and memory does not grow with the store.
 */
import { createHash, type Hash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type Environment, openEnvironment, readState, storeErrorOf } from "./environment.ts"
import { inspectExpiry } from "./inspect-expiry.ts"
import { inspectIndex } from "./inspect-index.ts"
import { inspectLog } from "./inspect-log.ts"
import type { State } from "./layout.ts"

/** One thing that is wrong. */
export interface StoreFault {
  /** Empty when it is about no key. */
  readonly key: string
  /** The version it is about; 0 when it is about none. */
  readonly revision: number
  /** In words, without key and version. */
  readonly what: string
}

/** A fault in one line. */
export function faultText({ key, revision, what }: StoreFault): string {
  const about = [key, ...(revision === 0 ? [] : [`version ${revision}`])].filter((part) => part !== "").join(" ")
  return about === "" ? what : `${about}: ${what}`
}

/** One version of a value, as it is kept. */
export interface KeptValue {
  readonly key: string
  readonly value: Uint8Array
  readonly revision: number
}

export interface InspectOptions {
  /** Called for each fault, in no particular order. */
  readonly onFault: (fault: StoreFault) => void
  /** Called with every value that is kept, past versions included, in the order of writing; answers what is wrong with it. */
  readonly checkValue?: (kept: KeptValue) => string | undefined
}

/** What was found; as of one moment. */
export interface Inspection {
  readonly revision: number
  readonly compactedRevision: number
  readonly keys: number
  /** Values that are kept, past versions included. */
  readonly values: number
  /** SHA-256 over every current key and value in key order, versions left out: the same in a copy that has other versions. */
  readonly contentHash: string
}

export type ReadTransaction = ReturnType<Environment["root"]["useReadTransaction"]>

/** One inspection under way; handed to the parts. */
export interface Inspector {
  readonly environment: Environment
  readonly transaction: ReadTransaction
  readonly state: State
  readonly checkValue: InspectOptions["checkValue"]
  readonly content: Hash
  fault(what: string, about?: { key?: string; revision?: number }): void
  /** Called once per entry: others get a turn now and then. */
  step(): Promise<void> | undefined
}

/** Entries looked at before other work gets a turn. */
const stepEntries = 2000

/**
 * Called by `store verify`, after a backup and a restore, and by tests. Every fault is told to `onFault`; throws StoreError "unavailable" only
 * when the store cannot be read at all.
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
