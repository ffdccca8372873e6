/** Taints of a node (catalog validation.yaml: Node): two of one effect have different keys. */
import { typed } from "../../schema/typed.ts"
import type { JsonValue } from "../../base/json.ts"
import { defineCheck } from "../../schema/define.ts"
import type { NodeSpec } from "../../../generated/core/v1/node/types.ts"

/** Called for the spec of each node. */
export const nodeTaints = defineCheck<NodeSpec>(({ taints = [] }, context) => {
  const seen = new Set<string>()
  for (const [index, taint] of taints.entries()) {
    const key = `${taint.effect}/${taint.key}`
    if (seen.has(key))
      context.fail("Duplicate", typed<JsonValue>(taint), "taints must be unique by key and effect pair", `../metadata.taints[${index}]`)
    seen.add(key)
  }
})
