/** The annotation in which a node names controllers whose pods it prefers to avoid (catalog validation.yaml: Node). */
import { isObject, type JsonValue } from "../../base/json.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Node } from "../../../generated/core/v1/node/types.ts"
import { listOf, objectAt } from "../../base/untyped.ts"

const annotation = "scheduler.alpha.orch.io/preferAvoidPods"

/**
 * Called for each node. The annotation holds JSON: a list of pods, identified by their controllers, which must be named
 * in full.
 */
export const nodeAvoidPods = defineCheck<Node>((node, context) => {
  const name = context.vendor.domain(annotation)
  const text = node.metadata.annotations?.[name] ?? ""
  if (text === "") return
  const value = parse(text)
  // The reference names these paths so.
  if (value === undefined) return context.fail("Invalid", name, "must hold a JSON object", "metadata.annotations.AvoidPods")
  for (const [index, entry] of listOf(value, "preferAvoidPods").entries()) {
    const controller = objectAt(entry, "podSignature", "podController")
    const at = `metadata.annotations.${name}[${index}].PodSignature`
    if (controller === undefined) context.fail("Required", undefined, "", at)
    else if (controller["controller"] !== true)
      context.fail("Invalid", controller["controller"] ?? null, "must point to a controller", `${at}.PodController.Controller`)
  }
})

function parse(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
