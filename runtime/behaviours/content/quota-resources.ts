/** Names of resources that quotas, limits and nodes know (catalog validation.yaml: ResourceQuota, LimitRange). */
import type { Vendor } from "../../base/vendor.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"

/** Counted in whole objects. */
const objectCounts = [
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]

const ofContainers = ["cpu", "memory", "ephemeral-storage"]
const computed = ["", "requests.", "limits."].flatMap((prefix) => ofContainers.map((name) => prefix + name))
const ofQuotas: ReadonlySet<string> = new Set([...objectCounts, ...computed, "requests.storage"])
const hugePages = "hugepages-"

/** Says whether a name is a standard resource of quotas, to which scopes apply. */
export function isQuotaResource(name: string): boolean {
  return ofQuotas.has(name) || name.startsWith(hugePages) || name.startsWith(`requests.${hugePages}`)
}

/** Says whether a resource is of another domain than the vendor's, such as `example.com/gpu`, and fit for a quota. */
export function isExtendedResource(name: string, vendor: Vendor): boolean {
  return !isNative(name, vendor) && !name.startsWith("requests.") && qualifiedNameFaults(`requests.${name}`).length === 0
}

function isNative(name: string, vendor: Vendor): boolean {
  return !name.includes("/") || name.includes(vendor.domain("orch.io/"))
}

/** Says whether amounts of a resource are whole numbers: objects, and the resources of other domains. */
export function isWholeResource(name: string, vendor: Vendor): boolean {
  return objectCounts.includes(name) || isExtendedResource(name, vendor)
}

/** Says whether a node may promise more of a resource than it has, so that a request may be less than the limit. */
export function mayOvercommit(name: string, vendor: Vendor): boolean {
  return isNative(name, vendor) && !name.startsWith(hugePages)
}

/** Returns what is wrong with the name of a resource. */
export function resourceNameFaults(name: string): readonly string[] {
  const faults = qualifiedNameFaults(name)
  if (faults.length > 0 || name.includes("/") || isQuotaResource(name) || name === "storage") return faults
  return ["must be a standard resource type or fully qualified"]
}

/** Returns what is wrong with the name of a resource in a quota. */
export function quotaResourceFaults(name: string): readonly string[] {
  const faults = resourceNameFaults(name)
  return name.includes("/") || isQuotaResource(name) ? faults : [...faults, "must be a standard resource for quota"]
}

/** Returns what is wrong with the name of a resource of containers. */
export function containerResourceFaults(name: string, vendor: Vendor): readonly string[] {
  const faults = resourceNameFaults(name)
  if (!name.includes("/")) {
    const known = ofContainers.includes(name) || name.startsWith(hugePages)
    return known ? faults : [...faults, "must be a standard resource for containers"]
  }
  const foreign = isNative(name, vendor) || isExtendedResource(name, vendor)
  return foreign ? faults : [...faults, "doesn't follow extended resource name standard"]
}
