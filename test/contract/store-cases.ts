/** Types of the cases of the store contract. */
import type { Store } from "../../runtime/storage/store.ts"
import type { StorePlace } from "./store-fixture.ts"

/** Fixture of a case: an empty store, and a function that closes it and opens it again. */
export interface StoreCaseContext {
  readonly store: Store
  readonly place: StorePlace
  reopen(): Promise<Store>
}

export type StoreCases = Readonly<Record<string, (context: StoreCaseContext) => Promise<void>>>
