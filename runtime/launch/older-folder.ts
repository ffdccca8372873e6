/** A data folder from when all vendors shared one: it is no longer used by default, and keeps its objects. */
import { X509Certificate } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type VendorName, vendorProfile } from "../base/vendor.ts"
import type { LoadedOptions } from "../options/load.ts"
import { defaultDataDir } from "../options/table.ts"
import { storeFolder } from "./data-dir.ts"

/**
 * Called once, before the store is opened, which makes the folder. Warns when the start would begin a new folder beside
 * an older one that was filled with the names of the same vendor. `cwd`: the folder that both are in.
 */
export function warnOfOlderFolder({ options, given }: LoadedOptions, warn: (text: string) => void, cwd = "."): void {
  const [older, own] = [defaultDataDir("orch"), defaultDataDir(options.vendor)]
  if (older === own || given.has("data-dir") || options.store === "memory" || options["store-servers"].length > 0) return
  if (existsSync(storeFolder(join(cwd, own))) || !isFilledBy(options.vendor, join(cwd, older))) return
  warn(
    `${older} has objects that were stored with --vendor=${options.vendor}, and this start begins the new folder ${own}; --data-dir=${older} goes on with them`,
  )
}

/**
 * The certificate in the folder names the Service of the vendor that served its store last. The store itself may be
 * open in another process.
 */
function isFilledBy(vendor: VendorName, folder: string): boolean {
  if (!existsSync(storeFolder(folder))) return false
  try {
    const certificate = new X509Certificate(readFileSync(join(folder, "pki", "apiserver.crt")))
    return certificate.checkHost(`${vendorProfile(vendor).word}.default.svc`) !== undefined
  } catch {
    // There is no readable certificate: the operator used one of another place.
    return false
  }
}
