/** A new embedded store whose versions begin where another store's end. */
import { openEnvironment, metaKeys } from "./environment.ts"
import { emptyState, encodeState } from "./layout.ts"

/** Called before the store is opened for the first time, by `store copy`. Nothing before `revision` can be asked for. Throws StoreError "full" or "unavailable". */
export async function beginLmdbAt(dir: string, revision: number): Promise<void> {
  const environment = openEnvironment({ dir })
  try {
    const state = { ...emptyState, revision, compactedRevision: revision, sweptRevision: revision }
    environment.root.transactionSync(() => environment.meta.putSync(metaKeys.state, encodeState(state)))
  } finally {
    await environment.root.close()
  }
}
