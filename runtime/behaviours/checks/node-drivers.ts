/** Storage drivers of a node: an entry may come and go, but not change (catalog validation.yaml: CSINode). */
import { deepEqual } from "../../encoding/field-path.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CSINode } from "../../../generated/storage.orch.io/v1/csi-node/types.ts"

const nodeIdBytesMax = 192
/** Stored objects may have longer ones, from before the limit. */
const storedNodeIdBytesMax = 256

/** Called for each CSINode. */
export const nodeDrivers = defineCheck<CSINode>((node, context) => {
  const stored = new Map((context.old?.spec.drivers ?? []).map((driver) => [driver.name, driver]))
  for (const [index, driver] of (node.spec.drivers ?? []).entries()) {
    const at = `spec.drivers[${index}]`
    const old = stored.get(driver.name)
    const max = old?.nodeID === driver.nodeID ? storedNodeIdBytesMax : nodeIdBytesMax
    if (Buffer.byteLength(driver.nodeID) > max)
      context.fail("Invalid", driver.nodeID, `nodeID is too long; must be ${max} characters or less`, `${at}.nodeID`)
    if (old !== undefined && !deepEqual(driver, old)) context.fail("Invalid", driver, "field is immutable", at)
  }
})
