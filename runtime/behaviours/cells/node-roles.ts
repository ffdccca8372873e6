/** Roles of a node, for its Table column (catalog tables.yaml: Node). */
import { defineCell } from "../../schema/define.ts"
import type { Node } from "../../../generated/core/v1/node/types.ts"

const rolePrefix = "node-role.orch.io/"
const roleLabel = "orch.io/role"

/**
 * Called for each row. Returns the suffixes of labels such as `node-role.orch.io/worker`, and the value of the older
 * role label.
 */
export const nodeRoles = defineCell<Node>((node, { vendor }) => {
  const [prefix, older] = [vendor.domain(rolePrefix), vendor.domain(roleLabel)]
  const roles = new Set<string>()
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(prefix)) roles.add(key.slice(prefix.length))
    else if (key === older) roles.add(value)
  }
  roles.delete("")
  return { text: roles.size === 0 ? "<none>" : [...roles].sort().join(",") }
})
