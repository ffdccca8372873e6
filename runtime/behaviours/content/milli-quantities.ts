/** Resource lists are stored in thousandths; finer amounts are rounded up (catalog defaults.yaml: ResourceList). */
import type { JsonObject } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { containersOf, objectAt } from "../pods/fields.ts"
import { formatQuantity, parseQuantity, QuantityError, roundUpToMilli } from "../../base/quantity.ts"

/**
 * Rounds the quantities of the map field `name` in place. Called by behaviours on their own copy of an object. The
 * validator reports texts that are not quantities.
 */
export function roundField(of: JsonObject | undefined, name: string): void {
  const list = of?.[name]
  if (!isObject(list)) return
  for (const resource of Object.keys(list)) {
    const value = list[resource]
    const rounded = typeof value === "string" ? roundedText(value) : undefined
    if (rounded !== undefined) list[resource] = rounded
  }
}

/**
 * Rounds, in place, the resources of the containers of a pod spec and its overhead. Called for pods and pod templates.
 */
export function roundResources(spec: JsonObject | undefined): void {
  for (const { container } of containersOf(spec)) {
    const resources = objectAt(container, "resources")
    roundField(resources, "limits")
    roundField(resources, "requests")
  }
  roundField(spec, "overhead")
}

/** Undefined when there is nothing to round. */
function roundedText(text: string): string | undefined {
  try {
    const quantity = parseQuantity(text)
    const rounded = roundUpToMilli(quantity)
    return rounded === quantity ? undefined : formatQuantity(rounded)
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}
