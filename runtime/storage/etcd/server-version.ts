/** Which version of etcd this is, and what may be relied on there. */

/**
 * Whether the answer to a progress request says that every event up to its revision was sent. Before these versions it may overtake events
 * (etcd issue 15220) or never come for an idle watch (17567), so that a cache that trusted it would answer stale reads. `version` as etcd's
 * status has it (`3.5.21`, `3.6.0-rc.1`); of what is no version nothing is relied on.
 */
export function tellsProgress(version: string): boolean {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return false
  if (major !== 3) return major > 3
  const since = firstRight.get(minor)
  return since === undefined ? minor > newestListed : patch >= since
}

/** By minor version of 3: the first patch that is right. */
const firstRight = new Map([
  [4, 31],
  [5, 13],
])
const newestListed = Math.max(...firstRight.keys())
