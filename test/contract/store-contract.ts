/**
 * The guarantees of every store driver, as one suite (cases that test the same as a storage test of the reference
 * implementation have its name). Callers: `store-<driver>.test.ts`.
 */
import { afterEach, beforeEach, describe, test } from "vitest"
import type { Store } from "../../runtime/storage/store.ts"
import { compactionCases } from "./store-compaction.ts"
import type { StoreContractOptions, StorePlace } from "./store-fixture.ts"
import { lifecycleCases, persistenceCases } from "./store-lifecycle.ts"
import { listCases } from "./store-list.ts"
import { watchCases } from "./store-watch.ts"
import { writeCases } from "./store-write.ts"
import type { StoreCases } from "./store-cases.ts"

/** Called once per driver at the top level of its test file. */
export function storeContract(options: StoreContractOptions): void {
  const groups: Record<string, StoreCases> = {
    write: writeCases,
    list: listCases,
    watch: watchCases,
    compaction: compactionCases,
    lifecycle: lifecycleCases,
    ...(options.persistent && { persistence: persistenceCases }),
  }
  describe(`store contract: ${options.driver}`, () => {
    for (const [group, cases] of Object.entries(groups)) describe(group, () => registerCases(options, cases))
  })
}

function registerCases(options: StoreContractOptions, cases: StoreCases): void {
  let place: StorePlace
  let store: Store
  beforeEach(async () => {
    place = await options.place()
    store = await place.open()
  })
  afterEach(async () => {
    await store.close()
    await place.dispose?.()
  })
  async function reopen(): Promise<Store> {
    await store.close()
    store = await place.open()
    return store
  }
  for (const [name, run] of Object.entries(cases)) {
    const skipped = options.skip?.find((skip) => skip.cases.includes(name))
    if (skipped !== undefined) test.skip(`${name} (${skipped.reason})`, () => undefined)
    else test(name, () => run({ store, place, reopen }))
  }
}
