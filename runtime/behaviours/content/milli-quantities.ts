/** Resource lists are stored in thousandths; finer amounts are rounded up (catalog defaults.yaml: ResourceList). */
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { containersOf } from "../pods/fields.ts"
import { formatQuantity, parseQuantity, QuantityError, roundUpToMilli } from "../../base/quantity.ts"

/**
 * Rounds the quantities of a map in place. Called by behaviours on their own copy of an object. The validator reports
 * texts that are not quantities.
 */
export function roundAmounts(amounts: Record<string, string> | undefined): void {
  for (const [resource, value] of Object.entries(amounts ?? {})) {
    const rounded = roundedText(value)
    if (amounts !== undefined && rounded !== undefined) amounts[resource] = rounded
  }
}

/**
 * Rounds, in place, the resources of the containers of a pod spec and its overhead. Called for pods and pod templates.
 */
export function roundResources(spec: PodSpec): void {
  for (const { container } of containersOf(spec)) {
    roundAmounts(container.resources.limits)
    roundAmounts(container.resources.requests)
  }
  roundAmounts(spec.overhead)
}

/** Whether `roundResources` would change the spec. */
export function hasFineResources(spec: PodSpec): boolean {
  return (
    isFine(spec.overhead) ||
    containersOf(spec).some(({ container: { resources } }) => isFine(resources.limits) || isFine(resources.requests))
  )
}

function isFine(amounts: Record<string, string> | undefined): boolean {
  for (const resource in amounts) if (roundedText(amounts[resource] ?? "") !== undefined) return true
  return false
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
