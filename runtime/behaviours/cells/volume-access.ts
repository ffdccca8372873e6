/** Access modes in short, for the Table columns of volumes and claims (catalog tables.yaml: PersistentVolume). */
import { defineCell } from "../../schema/define.ts"
import type { ApiObject } from "../../base/json.ts"

const letters: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
]

interface Accessible extends ApiObject {
  spec?: { accessModes?: string[] }
  status?: { accessModes?: string[] }
}

/** Called for each row: `modes` of the spec and `claimed` of the status. */
export const volumeAccess = defineCell<Accessible>(({ spec, status }) => ({
  modes: short(spec?.accessModes),
  claimed: short(status?.accessModes),
}))

function short(modes: readonly string[] = []): string {
  return letters.flatMap(([mode, text]) => (modes.includes(mode) ? [text] : [])).join(",")
}
