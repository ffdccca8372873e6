/** Names of resources that quotas and limits know (catalog validation.yaml: ResourceQuota). */
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

const computed = ["cpu", "memory", "ephemeral-storage", "storage"]

/** Says whether a resource is counted in whole objects. */
export function isObjectCount(name: string): boolean {
  return objectCounts.includes(name)
}

/** Returns what is wrong with the name of a resource in a quota or a LimitRange. */
export function resourceNameFaults(name: string): readonly string[] {
  const faults = qualifiedNameFaults(name)
  if (faults.length > 0 || name.includes("/") || isKnown(name)) return faults
  return ["must be a standard resource for quota"]
}

function isKnown(name: string): boolean {
  if (isObjectCount(name) || computed.includes(name) || name.startsWith("hugepages-")) return true
  const [prefix = "", ...rest] = name.split(".")
  const what = rest.join(".")
  return (prefix === "requests" || prefix === "limits") && (computed.includes(what) || what.startsWith("hugepages-"))
}
