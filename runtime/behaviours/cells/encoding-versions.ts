/** In which version each server stores a resource (catalog tables.yaml: StorageVersion). */
import { defineCell } from "../../schema/define.ts"
import type { StorageVersion } from "../../../generated/internal.apiserver.orch.io/v1alpha1/storage-version/types.ts"

const shownMax = 3

/** Called for each row: the first servers, and how many more there are. */
export const encodingVersions = defineCell<StorageVersion>(({ status: { storageVersions = [] } }) => {
  if (storageVersions.length === 0) return { text: "<unset>" }
  const shown = storageVersions.slice(0, shownMax).map(({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`)
  const more = storageVersions.length - shown.length
  return { text: `${shown.join(",")}${more > 0 ? ` + ${more} more...` : ""}` }
})
