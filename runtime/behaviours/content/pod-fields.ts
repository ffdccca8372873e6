/**
 * Fields and resource amounts of a pod that its containers can see, as variables and as files (catalog validation.yaml:
 * EnvVar, DownwardAPIVolumeFile).
 */
import { equals, quantity } from "../../schema/expression.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import type { ObjectFieldSelector, ResourceFieldSelector } from "../../../generated/core/v1/shared/env/types.ts"

/** Paths that the reference reads in a pod. Each caller decides which of them may be seen. */
const readable: ReadonlySet<string> = new Set([
  ...["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"],
  ...["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName"],
  ...["status.hostIP", "status.hostIPs", "status.phase", "status.podIP", "status.podIPs"],
])

const subscripted = /^([^[]+)\['(.*)'\]$/s

/**
 * Checks a selector of a field; failures are reported at and below `at`. `allowed`: the paths that may be seen, in the
 * order in which they are reported.
 */
export function checkFieldSelector(
  { apiVersion = "", fieldPath }: ObjectFieldSelector,
  allowed: readonly string[],
  at: string,
  context: CheckContext<unknown>,
): void {
  if (fieldPath === "") return context.fail("Required", undefined, "", `${at}.fieldPath`)
  const [, list, key] = subscripted.exec(fieldPath) ?? []
  const fault = conversionFault(apiVersion, fieldPath, list)
  if (fault !== undefined) return context.fail("Invalid", fieldPath, `error converting fieldPath: ${fault}`, `${at}.fieldPath`)
  if (list !== undefined && key !== undefined) {
    // Keys of annotations may have capital letters in their prefix.
    const judged = list === "metadata.annotations" ? key.toLowerCase() : key
    for (const detail of qualifiedNameFaults(judged)) context.fail("Invalid", judged, detail, at)
    return
  }
  const path = fieldPath === oldNodeName ? "spec.nodeName" : fieldPath
  if (allowed.includes(path)) return
  context.failures.add({ type: "NotSupported", field: context.at(`${at}.fieldPath`), value: path, detail: "", supported: allowed })
}

/** The name of `spec.nodeName` in the first clients. */
const oldNodeName = "spec.host"

function conversionFault(apiVersion: string, path: string, list: string | undefined): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`
  if (list !== undefined)
    return list === "metadata.annotations" || list === "metadata.labels" ? undefined : `field label does not support subscript: ${path}`
  return readable.has(path) || path === oldNodeName ? undefined : `field label not supported: ${path}`
}

const resources = [
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

/** Checks a selector of an amount. `needsContainer`: it is not in a container itself, so it must name one. */
export function checkResourceSelector(
  { containerName = "", divisor, resource }: ResourceFieldSelector,
  needsContainer: boolean,
  at: string,
  context: CheckContext<unknown>,
): void {
  if (needsContainer && containerName === "") context.fail("Required", undefined, "", `${at}.containerName`)
  else if (resource === "") context.fail("Required", undefined, "", `${at}.resource`)
  else if (!resources.includes(resource) && !hugePages.test(resource))
    context.failures.add({ type: "NotSupported", field: context.at(`${at}.resource`), value: resource, detail: "", supported: resources })
  const word = wordOf(resource)
  const amount = quantity(divisor)
  if (word === undefined || amount === undefined || equals(amount, 0)) return
  const divisors = word === "cpu" ? cpuDivisors : otherDivisors
  if (divisors.some((one) => equals(amount, quantity(one)))) return
  const allowed = word === "cpu" ? divisors.join(" and ") : divisors.join(", ")
  // The reference shows the resource in place of the divisor.
  context.fail("Invalid", resource, `only divisor's values ${allowed} are supported with the ${word} resource`, `${at}.divisor`)
}

/** The word in causes for a resource such as `limits.memory`. */
function wordOf(resource: string): string | undefined {
  if (hugePages.test(resource)) return "hugepages"
  if (!resources.includes(resource)) return undefined
  const [, name = ""] = resource.split(".")
  return name === "ephemeral-storage" ? "local ephemeral storage" : name
}
