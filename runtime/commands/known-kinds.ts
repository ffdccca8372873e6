import { kinds } from "../../generated/index.ts"
import { vendorProfile } from "../base/vendor.ts"
import { kindsOfVendor } from "../definitions/definition-kind.ts"
import type { Kind } from "../schema/kind.ts"
import type { Options } from "../options/table.ts"

/** Returns the kinds of this program and of `--api`. Throws StartError for a folder without kinds. */
export async function knownKinds(options: Options): Promise<readonly Kind[]> {
  const vendor = vendorProfile(options.vendor)
  if (options.api.length === 0) return kindsOfVendor(kinds, vendor)
  const { loadApiFolder } = await import("../launch/user-api.ts")
  const folders = await Promise.all(options.api.map((folder) => loadApiFolder(folder)))
  return kindsOfVendor([...kinds, ...folders.flatMap((folder) => folder.kinds)], vendor)
}
