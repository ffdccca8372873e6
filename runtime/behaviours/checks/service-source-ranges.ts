/**
 * Client networks of a load balancer, from the field or, when it is empty, from the old annotation (catalog
 * validation.yaml: Service).
 */
import { checkFormat } from "../../schema/formats.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Service } from "../../../generated/core/v1/service/types.ts"

const annotation = "service.beta.orch.io/load-balancer-source-ranges"
const onlyForBalancers = "may only be used when `type` is 'LoadBalancer'"

/** Called for each service. Ranges may be surrounded by blanks, as the annotation always allowed. */
export const serviceSourceRanges = defineCheck<Service>((service, context) => {
  const { type, loadBalancerSourceRanges: ranges = [] } = service.spec
  if (ranges.length > 0) {
    if (type !== "LoadBalancer") context.fail("Forbidden", undefined, onlyForBalancers, "spec.LoadBalancerSourceRanges")
    for (const [index, range] of ranges.entries()) checkRange(range, `spec.LoadBalancerSourceRanges[${index}]`, context)
    return
  }
  const name = context.vendor.domain(annotation)
  const text = service.metadata.annotations?.[name]
  if (text === undefined) return
  const at = `metadata.annotations[${name}]`
  if (type !== "LoadBalancer") context.fail("Forbidden", undefined, onlyForBalancers, at)
  if (text.trim() !== "") for (const range of text.split(",")) checkRange(range, at, context)
})

function checkRange(range: string, at: string, context: CheckContext<Service>): void {
  const fault = checkFormat("cidr", range.trim())
  if (fault !== undefined) context.fail("Invalid", range, fault, at)
}
