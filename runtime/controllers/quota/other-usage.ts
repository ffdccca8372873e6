/** Quota usage of Services and volume claims (catalog admission.yaml: resourceQuota). */
import type { PersistentVolumeClaim } from "../../../generated/core/v1/persistent-volume-claim/types.ts"
import type { Service } from "../../../generated/core/v1/service/types.ts"
import type { Quantity } from "../../base/quantity.ts"
import type { Vendor } from "../../base/vendor.ts"
import { typed } from "../../schema/typed.ts"
import { type Amounts, amountsOf, one, raise, whole } from "./amounts.ts"
import type { Evaluator } from "./evaluator.ts"

const serviceNames = new Set(["services", "services.nodeports", "services.loadbalancers", "count/services"])

/** Called once by the quota controller. */
export function serviceEvaluator(): Evaluator {
  return {
    kind: { group: "", version: "v1", resource: "services" },
    counts: (name) => serviceNames.has(name),
    usageOf: (object) => ({ amounts: serviceAmounts(typed(object)) }),
  }
}

function serviceAmounts({ spec: { type, ports = [], allocateLoadBalancerNodePorts } }: Service): Amounts {
  const isBalanced = type === "LoadBalancer"
  const withPort = ports.filter(({ nodePort = 0 }) => nodePort > 0)
  const nodePorts = isBalanced && allocateLoadBalancerNodePorts === false ? withPort : ports
  return new Map([
    ["services", one],
    ["count/services", one],
    ...(type === "NodePort" || isBalanced ? ([["services.nodeports", whole(nodePorts.length)]] as const) : []),
    ...(isBalanced ? ([["services.loadbalancers", one]] as const) : []),
  ])
}

const claimNames = new Set(["persistentvolumeclaims", "requests.storage", "count/persistentvolumeclaims"])

/** Called once by the quota controller. */
export function claimEvaluator(vendor: Vendor): Evaluator {
  const ofClass = `.${vendor.group("storageclass.storage.orch.io")}/`
  const oldClass = vendor.domain("volume.beta.orch.io/storage-class")
  return {
    kind: { group: "", version: "v1", resource: "persistentvolumeclaims" },
    counts: (name) =>
      claimNames.has(name) || name.endsWith(`${ofClass}requests.storage`) || name.endsWith(`${ofClass}persistentvolumeclaims`),
    usageOf: (object) => ({ amounts: claimAmounts(typed(object), { ofClass, oldClass }) }),
  }
}

function claimAmounts(
  { metadata, spec, status }: PersistentVolumeClaim,
  { ofClass, oldClass }: { ofClass: string; oldClass: string },
): Amounts {
  const sizes = amountsOf(spec.resources.requests)
  raise(sizes, amountsOf(status.allocatedResources))
  const size = sizes.get("storage")
  const name = metadata.annotations?.[oldClass] ?? spec.storageClassName ?? ""
  const amounts = new Map<string, Quantity>([
    ["persistentvolumeclaims", one],
    ["count/persistentvolumeclaims", one],
  ])
  if (size !== undefined) amounts.set("requests.storage", size)
  if (name === "") return amounts
  amounts.set(`${name}${ofClass}persistentvolumeclaims`, one)
  if (size !== undefined) amounts.set(`${name}${ofClass}requests.storage`, size)
  return amounts
}
