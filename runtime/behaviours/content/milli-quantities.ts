/** Resource lists are kept to thousandths; what is finer is rounded up (catalog defaults.yaml: ResourceList). */
import type { JsonObject } from "../../kit/json.ts"
import { isObject } from "../../kit/json.ts"
import { formatQuantity, parseQuantity, QuantityError, roundUpToMilli } from "../../kit/quantity.ts"

/**
 * Rounds the quantities of the map field `name` in place. Called by behaviours on objects that are theirs to change;
 * what is no quantity stays for the validator to name.
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
