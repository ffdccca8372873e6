/** Whether a store was filled under the names of this vendor: its objects carry those names, and so do its keys. */
import type { Clock } from "../base/clock.ts"
import { type VendorName, vendorProfile } from "../base/vendor.ts"
import type { Store } from "../storage/store.ts"
import { storeRoot } from "./data-dir.ts"
import { StartError } from "../base/start-error.ts"

const vendorNames: readonly VendorName[] = ["orch", "kubernetes"]

/** Time for which an unresponsive store may delay the start: `/readyz` reports it later. */
const patienceMs = 2000

/**
 * Called at start, before anything is written. Throws StartError when the system namespace in the store has the name of
 * another vendor and not this one's. Such a server would never be ready: the other vendor's Service has the address of
 * its own. A store that does not answer is not checked.
 */
export async function checkStoreVendor(store: Store, given: { vendor: VendorName; prefix: string; clock: Clock }): Promise<void> {
  const { vendor, prefix, clock } = given
  const isFilledBy = async (name: VendorName): Promise<boolean> => {
    const key = `${storeRoot(prefix)}namespaces/${vendorProfile(name).namespace("orch-system")}`
    const answer = store.get({ key }).then(
      (value) => value !== undefined,
      () => false,
    )
    return Promise.race([answer, new Promise<boolean>((resolve) => clock.after(patienceMs, () => resolve(false)))])
  }
  for (const other of vendorNames) {
    if (other === vendor || !(await isFilledBy(other)) || (await isFilledBy(vendor))) continue
    throw new StartError(
      `the store was filled with --vendor=${other}, and its objects carry those names; ` +
        `start with --vendor=${other}, or name another store for --vendor=${vendor}: --data-dir, or --store-prefix with etcd`,
    )
  }
}
