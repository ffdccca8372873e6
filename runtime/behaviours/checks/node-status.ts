/** The status that a node reports about itself (catalog validation.yaml: Node). */
import type { JsonValue } from "../../base/json.ts"
import { defineCheck } from "../../schema/define.ts"
import { formatFaults } from "../../schema/formats.ts"
import { typed } from "../../schema/typed.ts"
import type { NodeStatus } from "../../../generated/core/v1/node/types.ts"
import { isWholeResource } from "../content/quota-resources.ts"
import { isWhole } from "./quota-status.ts"

/** Called for the status of each node. Only an update has to list each address once. */
export const nodeStatus = defineCheck<NodeStatus>((status, context) => {
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, text] of Object.entries(status[list] ?? {})) {
      const at = `${list}.${name}`
      for (const fault of formatFaults("quantity-non-negative", text)) context.fail("Invalid", text, fault, at)
      if (isWholeResource(name, context.vendor) && !isWhole(text)) context.fail("Invalid", text, "must be an integer", at)
    }
  }
  if (context.oldRoot === undefined) return
  const seen = new Set<string>()
  for (const [index, address] of (status.addresses ?? []).entries()) {
    const key = `${address.type}/${address.address}`
    if (seen.has(key)) context.fail("Duplicate", typed<JsonValue>(address), "", `addresses[${index}]`)
    seen.add(key)
  }
})
