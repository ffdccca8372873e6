/**
 * Which resource amounts a container can expose, and in which units (catalog validation.yaml: EnvVar,
 * `resourceFieldRef`).
 */
import { equals, quantity } from "../../schema/expression.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ResourceFieldSelector } from "../../../generated/core/v1/shared/env/types.ts"

const supported = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
]
const hugePages = /^(limits|requests)\.hugepages-/
const cpuDivisors = ["1m", "1"]
const otherDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]

/** Called for each selector, in environment variables and in volumes. */
export const resourceFieldSelector = defineCheck<ResourceFieldSelector>((selector, context) => {
  const { divisor, resource } = selector
  if (resource === "") return
  if (!supported.includes(resource) && !hugePages.test(resource)) {
    context.failures.add({ type: "NotSupported", field: context.at("resource"), value: resource, detail: "", supported })
    return
  }
  const amount = quantity(divisor)
  if (amount === undefined || equals(amount, 0)) return
  const allowed = resource.endsWith(".cpu") ? cpuDivisors : otherDivisors
  if (allowed.some((one) => equals(amount, quantity(one)))) return
  context.fail("Invalid", divisor, `only divisor's values ${allowed.join(", ")} are supported with the ${resource} resource`, "divisor")
})
