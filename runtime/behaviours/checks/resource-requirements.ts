/**
 * Names and amounts of compute resources, and requests against limits (catalog validation.yaml: ResourceRequirements).
 * Resources without a domain are cpu, memory, ephemeral-storage and huge pages. Resources of another domain are counted
 * in whole numbers.
 */
import { quantity } from "../../schema/expression.ts"
import { Amount } from "../../schema/measures.ts"
import { compareQuantities, formatQuantity, type Quantity, quantityMilliValue, quantityValue } from "../../base/quantity.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ResourceRequirements } from "../../../generated/core/v1/shared/resources/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { containerResourceFaults } from "../content/quota-resources.ts"

const hugePagesPrefix = "hugepages-"

/** Called for the resources of each container. */
export const resourceRequirements = defineCheck<ResourceRequirements>((resources, context) => {
  const { limits = {}, requests = {} } = resources
  checkAmounts(limits, "limits", context)
  checkAmounts(requests, "requests", context)
  for (const [name, value] of Object.entries(requests)) checkRequest(name, amountOf(value), amountOf(limits[name]), context)
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some((name) => name.startsWith(hugePagesPrefix)) && !names.includes("cpu") && !names.includes("memory")) {
    context.fail("Forbidden", undefined, "HugePages require cpu or memory")
  }
})

/**
 * Checks names and amounts of one map; failures are reported below `at`. Called for limits and requests, and for the
 * overhead of a pod.
 */
export function checkAmounts(amounts: Readonly<Record<string, string>>, at: string, context: CheckContext<unknown>): void {
  for (const [name, value] of Object.entries(amounts)) {
    checkName(name, `${at}[${name}]`, context)
    const amount = amountOf(value)
    if (amount === undefined) continue
    if (isExtended(name, context.vendor) && quantityMilliValue(amount) % 1000n !== 0n)
      context.fail("Invalid", value, "must be an integer", `${at}[${name}]`)
    if (name.startsWith(hugePagesPrefix) && !isMultiple(amount, name.slice(hugePagesPrefix.length)))
      context.fail("Invalid", value, `${formatQuantity(amount)} is not positive integer multiple of ${name}`, `${at}[${name}]`)
  }
}

function checkRequest(name: string, request: Quantity | undefined, limit: Quantity | undefined, context: CheckContext<unknown>): void {
  if (request === undefined) return
  const mayExceed = !isExtended(name, context.vendor) && !name.startsWith(hugePagesPrefix)
  if (limit === undefined) {
    if (!mayExceed) context.fail("Required", undefined, "Limit must be set for non overcommitable resources", "limits")
    return
  }
  const order = compareQuantities(request, limit)
  if (order !== 0 && !mayExceed)
    context.fail("Invalid", formatQuantity(request), `must be equal to ${name} limit of ${formatQuantity(limit)}`, "requests")
  else if (order > 0)
    context.fail("Invalid", formatQuantity(request), `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`, "requests")
}

/** Reports the faults of the name of a container's resource. The reference does not quote the name. */
function checkName(name: string, at: string, context: CheckContext<unknown>): void {
  for (const detail of containerResourceFaults(name, context.vendor))
    context.failures.add({ type: "Invalid", field: context.at(at), value: name, shown: name, detail })
}

function isExtended(name: string, vendor: Vendor): boolean {
  return name.includes("/") && !name.includes(vendor.domain("orch.io/"))
}

function isMultiple(amount: Quantity, pageSize: string): boolean {
  const size = amountOf(pageSize)
  return size !== undefined && quantityValue(size) > 0n && quantityValue(amount) % quantityValue(size) === 0n
}

/** The field itself reports texts that are not quantities. */
function amountOf(value: string | undefined): Quantity | undefined {
  const amount = quantity(value)
  return amount instanceof Amount ? amount.quantity : undefined
}
