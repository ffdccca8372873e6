/**
 * Client networks of a load balancer, from the field or, when it is empty, from the old annotation (catalog
 * validation.yaml: Service).
 */
import { checkFormat } from "../../schema/formats.ts"
import { isObject, type JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"

const annotation = "service.beta.orch.io/load-balancer-source-ranges"
const onlyForBalancers = "may only be used when `type` is 'LoadBalancer'"

/** Called for each service. Ranges may be surrounded by blanks, as the annotation always allowed. */
export function serviceSourceRanges(service: JsonValue, context: CheckContext): void {
  if (!isObject(service) || !isObject(service["spec"])) return
  const { type, loadBalancerSourceRanges: ranges } = service["spec"]
  if (Array.isArray(ranges) && ranges.length > 0) {
    if (type !== "LoadBalancer") context.fail("Forbidden", undefined, onlyForBalancers, "spec.loadBalancerSourceRanges")
    for (const [index, range] of ranges.entries()) checkRange(range, `spec.loadBalancerSourceRanges[${index}]`, context)
    return
  }
  const name = context.vendor.domain(annotation)
  const annotations = isObject(service["metadata"]) ? service["metadata"]["annotations"] : undefined
  const text = isObject(annotations) ? annotations[name] : undefined
  if (typeof text !== "string") return
  const at = `metadata.annotations[${name}]`
  if (type !== "LoadBalancer") return context.fail("Forbidden", undefined, onlyForBalancers, at)
  if (text.trim() !== "") for (const range of text.split(",")) checkRange(range, at, context)
}

function checkRange(range: JsonValue, at: string, context: CheckContext): void {
  const fault = checkFormat("cidr", typeof range === "string" ? range.trim() : range)
  if (fault !== undefined) context.fail("Invalid", range, fault, at)
}
