/** Results of comparing the cache with the store. */

/** The outcome for one resource; hashes differ when it does not match. */
export interface Verification {
  /** Storage path. */
  readonly resource: string
  readonly matches: boolean
  /** The revision at which both sides were compared. */
  readonly revision: number
  readonly cacheHash: string
  readonly storeHash: string
}
