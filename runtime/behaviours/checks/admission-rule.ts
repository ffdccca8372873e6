/** Resources in rules of web hooks and policies (catalog validation.yaml: ValidatingWebhookConfiguration). */
import type { Rule } from "../../../generated/admissionregistration.orch.io/v1/shared/rules/types.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CheckContext } from "../../schema/validate.ts"

/** Called for each rule. The schema requires that its lists are not empty. */
export const admissionRule = defineCheck<Rule>(({ apiVersions = [], resources = [] }, context) => {
  for (const [index, version] of apiVersions.entries()) {
    if (version === "") context.fail("Required", undefined, "", `apiVersions[${index}]`)
  }
  checkPairs(resources, context)
  if (resources.length > 1 && resources.includes("*/*"))
    context.fail("Invalid", resources, "if '*/*' is present, must not specify other resources", "resources")
  // As in the reference, the last of the resources without sub-resources decides.
  const last = resources.findLast((resource) => resource !== "" && !resource.includes("/"))
  if (resources.includes("*") && last !== "*")
    context.fail("Invalid", resources, "if '*' is present, must not specify other resources without subresources", "resources")
})

/** Refuses a pair of a resource and a sub-resource that an earlier pair with a * includes. */
function checkPairs(resources: readonly string[], context: CheckContext<unknown>): void {
  const everySubresourceOf = new Set<string>()
  const ofEveryResource = new Set<string>()
  for (const [index, pair] of resources.entries()) {
    if (context.failures.full) return
    const at = `resources[${index}]`
    if (pair === "") context.fail("Required", undefined, "", at)
    const slash = pair.indexOf("/")
    if (slash < 0) continue
    const [resource, subresource] = [pair.slice(0, slash), pair.slice(slash + 1)]
    const repeats = (other: string): void => context.fail("Invalid", pair, `if '${other}' is present, must not specify ${pair}`, at)
    if (everySubresourceOf.has(resource)) repeats(`${resource}/*`)
    if (ofEveryResource.has(subresource)) repeats(`*/${subresource}`)
    if (subresource === "*") everySubresourceOf.add(resource)
    if (resource === "*") ofEveryResource.add(subresource)
  }
}
