/** Guarantees of etcd versions. */

/**
 * Whether the answer to a progress request guarantees that every event up to its revision was sent. In older versions
 * it may overtake events (etcd issue 15220) or never arrive on an idle watch (17567), and a cache that trusted it would
 * serve stale reads. `version` as in etcd's status (`3.5.21`, `3.6.0-rc.1`); false for any other text.
 */
export function hasReliableProgress(version: string): boolean {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return false
  if (major !== 3) return major > 3
  const since = firstReliable.get(minor)
  return since === undefined ? minor > newestListed : patch >= since
}

/** By minor version of 3: the first patch with the guarantee. */
const firstReliable = new Map([
  [4, 31],
  [5, 13],
])
const newestListed = Math.max(...firstReliable.keys())
