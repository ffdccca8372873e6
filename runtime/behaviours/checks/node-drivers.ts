/** Storage drivers of a node: an entry may come and go, but not change (catalog validation.yaml: CSINode). */
import { deepEqual } from "../../encoding/field-path.ts"
import type { JsonValue } from "../../base/json.ts"
import { typed } from "../../schema/typed.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CSINode } from "../../../generated/storage.orch.io/v1/csi-node/types.ts"

const nodeIdBytesMax = 256

/** Called for each CSINode. */
export const nodeDrivers = defineCheck<CSINode>((node, context) => {
  const stored = new Map((context.old?.spec.drivers ?? []).map((driver) => [driver.name, driver]))
  for (const [index, driver] of (node.spec.drivers ?? []).entries()) {
    const old = stored.get(driver.name)
    if (Buffer.byteLength(driver.nodeID) > nodeIdBytesMax)
      context.fail("Invalid", driver.nodeID, `must be ${nodeIdBytesMax} characters or less`, `spec.drivers[${index}].nodeID`)
    if (old !== undefined && !deepEqual(driver, old))
      context.fail("Invalid", typed<JsonValue>(driver), "field is immutable", "CSINodeDriver")
  }
})
