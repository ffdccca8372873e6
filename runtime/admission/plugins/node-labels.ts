/** The labels of a Node that its own agent may set; catalog `admission.yaml` NodeRestriction: allowedLabels. */
import type { Vendor } from "../../base/vendor.ts"

type Labels = Readonly<Record<string, string>>

/** Labels that a node agent sets on its own Node. Neutral names. */
const allowed = [
  "orch.io/hostname",
  "orch.io/arch",
  "orch.io/os",
  "beta.orch.io/arch",
  "beta.orch.io/os",
  "beta.orch.io/instance-type",
  "node.orch.io/instance-type",
  "failure-domain.beta.orch.io/region",
  "failure-domain.beta.orch.io/zone",
  "failure-domain.orch.io/region",
  "failure-domain.orch.io/zone",
  "topology.orch.io/region",
  "topology.orch.io/zone",
]
/** Domains whose labels are allowed, with their sub-domains. */
const allowedDomains = ["kubelet.orch.io/", "node.orch.io/"]

/** The keys of labels that were added, changed or removed and that the node's agent may not set, sorted. */
export function forbiddenNodeLabels(vendor: Vendor, labels: Labels, before: Labels): string[] {
  const changed = Object.keys({ ...before, ...labels }).filter((key) => labels[key] !== before[key])
  return changed.filter((key) => isForbidden(vendor, key)).sort()
}

function isForbidden(vendor: Vendor, key: string): boolean {
  const slash = key.indexOf("/")
  const domain = slash < 0 ? "" : key.slice(0, slash)
  const mapped = (neutral: string): string => vendor.domain(neutral).split("/", 1)[0] ?? ""
  if (isWithin(domain, mapped("node-restriction.orch.io/"))) return true
  if (!isWithin(domain, mapped("orch.io/")) && !isWithin(domain, vendor.groupDomain)) return false
  return !allowed.some((one) => vendor.domain(one) === key) && !allowedDomains.some((one) => isWithin(domain, mapped(one)))
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`)
}
