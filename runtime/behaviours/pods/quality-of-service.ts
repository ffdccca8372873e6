/**
 * The quality-of-service class of a pod, derived from the requests and limits of its containers (catalog defaults.yaml:
 * Pod).
 */
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { addQuantities, compareQuantities, parseQuantity, type Quantity, quantitySign } from "../../base/quantity.ts"

export type QualityOfService = "Guaranteed" | "Burstable" | "BestEffort"

/** Only these resources determine the class. */
const counted = ["cpu", "memory"] as const

/**
 * Called on create with a decoded pod spec; ephemeral containers do not count. Throws QuantityError for amounts that
 * cannot be parsed.
 */
export function qualityOfService(spec: PodSpec): QualityOfService {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let everyLimit = true
  for (const container of containers) {
    sumInto(requests, container.resources.requests)
    const limited = sumInto(limits, container.resources.limits)
    if (limited < counted.length) everyLimit = false
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort"
  const same = requests.size === limits.size && [...requests].every(([name, request]) => equals(request, limits.get(name)))
  return everyLimit && same ? "Guaranteed" : "Burstable"
}

/** Adds the positive amounts of one container; returns how many there were. */
function sumInto(sums: Map<string, Quantity>, amounts: Readonly<Record<string, string>> | undefined): number {
  let found = 0
  for (const name of counted) {
    const amount = amounts?.[name]
    if (amount === undefined) continue
    const quantity = parseQuantity(amount)
    if (quantitySign(quantity) <= 0) continue
    const before = sums.get(name)
    sums.set(name, before === undefined ? quantity : addQuantities(before, quantity))
    found++
  }
  return found
}

function equals(left: Quantity, right: Quantity | undefined): boolean {
  return right !== undefined && compareQuantities(left, right) === 0
}
