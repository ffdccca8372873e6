/** State that an inspection of an embedded store hands to its parts, and the faults that they report. */
import type { Hash } from "node:crypto"
import type { Environment } from "../environment.ts"
import type { State } from "../layout.ts"

/** One violated invariant. */
export interface StoreFault {
  /** Empty when the fault concerns no key. */
  readonly key: string
  /** The version concerned; 0 for none. */
  readonly revision: number
  /** Description, without key and version. */
  readonly what: string
}

/** One stored version of a value. */
export interface StoredVersion {
  readonly key: string
  readonly value: Uint8Array
  readonly revision: number
}

export interface InspectOptions {
  /** Called for each fault, in no particular order. */
  readonly onFault: (fault: StoreFault) => void
  /**
   * Called with every stored value, past versions included, in the order of writing; returns a description of its
   * fault.
   */
  readonly checkValue?: (kept: StoredVersion) => string | undefined
}

export type ReadTransaction = ReturnType<Environment["root"]["useReadTransaction"]>

/** State of one running inspection, passed to its parts. */
export interface Inspector {
  readonly environment: Environment
  readonly transaction: ReadTransaction
  readonly state: State
  readonly checkValue: InspectOptions["checkValue"]
  readonly content: Hash
  fault(what: string, about?: { key?: string; revision?: number }): void
  /** Called once per entry; yields to other work from time to time. */
  step(): Promise<void> | undefined
}
