/** The class of a balancer (catalog validation.yaml: Service). The reference judges it once more in an update. */
import { formatFaults } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"

/** Called for each service spec. Only a balancer has a class; the class of another service is not checked. */
export const serviceBalancerClass = defineCheck<ServiceSpec>(({ type, loadBalancerClass: name }, context) => {
  if (name === undefined) return
  const faults = type === "LoadBalancer" ? formatFaults("qualified-name", name) : []
  for (let times = context.operation === "update" ? 2 : 1; times > 0; times--) {
    if (type !== "LoadBalancer") context.fail("Forbidden", undefined, "may only be used when `type` is 'LoadBalancer'", "loadBalancerClass")
    for (const fault of faults) context.fail("Invalid", name, fault, "loadBalancerClass")
  }
})
