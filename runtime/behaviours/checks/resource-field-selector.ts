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
  const isCpu = resource.endsWith(".cpu")
  if ((isCpu ? cpuDivisors : otherDivisors).some((one) => equals(amount, quantity(one)))) return
  const allowed = isCpu ? cpuDivisors.join(" and ") : otherDivisors.join(", ")
  // The reference shows the resource in place of the divisor.
  context.fail("Invalid", resource, `only divisor's values ${allowed} are supported with the ${wordOf(resource)} resource`, "divisor")
})

/** What causes call a resource such as `limits.memory`. */
function wordOf(resource: string): string {
  if (hugePages.test(resource)) return "hugepages"
  const [, name = ""] = resource.split(".")
  return name === "ephemeral-storage" ? "local ephemeral storage" : name
}
