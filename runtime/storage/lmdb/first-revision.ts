/** Creates an embedded store that continues the revisions of another store. */
import { openEnvironment, metaKeys } from "./environment.ts"
import { emptyState, encodeState } from "./layout.ts"

/**
 * Called by `store copy` before the store is opened for the first time. Revisions before `revision` count as compacted.
 * Throws StoreError "full" or "unavailable".
 */
export async function createLmdbAt(dir: string, revision: number): Promise<void> {
  const environment = openEnvironment({ dir })
  try {
    const state = { ...emptyState, revision, compactedRevision: revision, sweptRevision: revision }
    environment.root.transactionSync(() => environment.meta.putSync(metaKeys.state, encodeState(state)))
  } finally {
    await environment.root.close()
  }
}
