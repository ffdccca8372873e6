/** The topology terms of a class must differ (catalog validation.yaml: StorageClass). */
import { defineCheck } from "../../schema/define.ts"
import type { StorageClass } from "../../../generated/storage.orch.io/v1/storage-class/types.ts"

/** Causes of equal terms. Each is equal to all before it, so their number would grow with the square of the list. */
const duplicatesMax = 100

/**
 * Called for each StorageClass. Terms are equal if they have the same values for the same keys, in any order. The
 * reference compares each with as many empty terms as there are terms, and with the terms before it: none may be empty.
 */
export const classTopologies = defineCheck<StorageClass>(({ allowedTopologies = [] }, context) => {
  const before = new Map([["", allowedTopologies.length]])
  let left = duplicatesMax
  for (const [index, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    const values = new Map(matchLabelExpressions.map((one) => [one.key, [...new Set(one.values)].sort()]))
    const text = values.size === 0 ? "" : JSON.stringify([...values].sort(([left], [right]) => (left < right ? -1 : 1)))
    const equal = before.get(text) ?? 0
    for (let count = 0; count < equal && left > 0; count++) {
      left--
      context.fail("Duplicate", "", "", `allowedTopologies[${index}].matchLabelExpressions`)
    }
    before.set(text, equal + 1)
  }
})
