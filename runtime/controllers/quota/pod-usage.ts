/** Quota usage of pods (catalog admission.yaml: resourceQuota.podUsage). */
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodAffinityTerm } from "../../../generated/core/v1/shared/affinity/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { qualityOfService } from "../../behaviours/pods/quality-of-service.ts"
import type { Quantity } from "../../base/quantity.ts"
import type { Vendor } from "../../base/vendor.ts"
import { typed } from "../../schema/typed.ts"
import { add, type Amounts, amountsOf, one, raise } from "./amounts.ts"
import type { Evaluator, Usage } from "./evaluator.ts"
import { instantMs } from "../instant-ms.ts"
import type { Traits } from "./scopes.ts"

const countName = "count/pods"
const computeNames = new Set(["cpu", "memory", "ephemeral-storage"])
const hugePages = "hugepages-"

/** Pods with the same usage share their amounts; this is the limit of remembered amounts. */
const rememberedMax = 1000

/** Called once by the quota controller. */
export function podEvaluator(vendor: Vendor): Evaluator {
  const remembered = new Map<string, Amounts>()
  const isExtended = (name: string): boolean => name.includes("/") && !name.includes(vendor.domain("orch.io/"))
  const charged = (spec: PodSpec): Amounts => {
    const key = JSON.stringify([resourcesOf(spec.containers), resourcesOf(spec.initContainers), spec.overhead])
    const known = remembered.get(key)
    if (known !== undefined) return known
    if (remembered.size >= rememberedMax) remembered.clear()
    const amounts = chargedAmounts(spec, isExtended)
    remembered.set(key, amounts)
    return amounts
  }
  return {
    kind: { group: "", version: "v1", resource: "pods" },
    counts(name) {
      const [, of = "", rest = ""] = /^(requests|limits)\.(.*)$/.exec(name) ?? []
      if (of === "") return name === "pods" || name === countName || computeNames.has(name) || name.startsWith(hugePages)
      return computeNames.has(rest) || (of === "requests" && (rest.startsWith(hugePages) || isExtended(rest)))
    },
    usageOf: (object) => usageOf(typed(object), charged),
  }
}

/** The amounts of a pod that has ended. */
const ended: Amounts = new Map([[countName, one]])

function usageOf({ metadata, spec, status = {} }: Pod, charged: (spec: PodSpec) => Amounts): Usage {
  const traits = traitsOf(spec)
  if (status.phase === "Succeeded" || status.phase === "Failed") return { amounts: ended, traits }
  const deletedMs = instantMs(metadata.deletionTimestamp)
  const graceMs = Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000
  // A deleted pod whose node does not answer must not block creations.
  const ends = deletedMs === undefined ? {} : { ends: { atMs: deletedMs + graceMs, amounts: ended } }
  return { amounts: charged(spec), traits, ...ends }
}

function traitsOf(spec: PodSpec): Traits {
  return {
    isTerminating: spec.activeDeadlineSeconds !== undefined && Number(spec.activeDeadlineSeconds) >= 0,
    isBestEffort: qualityOfService(spec) === "BestEffort",
    crossesNamespaces: affinityTerms(spec).some(
      ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
    ),
    priorityClass: spec.priorityClassName ?? "",
  }
}

function affinityTerms({ affinity }: PodSpec): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((found) => [
    ...(found?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(found?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
}

type Containers = Pick<PodSpec, "containers">["containers"]
type Which = "requests" | "limits"

function resourcesOf(containers: Containers | undefined): unknown {
  return (containers ?? []).map(({ resources, restartPolicy }) => [resources, restartPolicy])
}

function chargedAmounts(spec: PodSpec, isExtended: (name: string) => boolean): Amounts {
  const amounts = new Map<string, Quantity>([
    ["pods", one],
    [countName, one],
  ])
  for (const [name, amount] of totalOf(spec, "requests")) {
    if (computeNames.has(name) || name.startsWith(hugePages)) amounts.set(name, amount)
    if (computeNames.has(name) || name.startsWith(hugePages) || isExtended(name)) amounts.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of totalOf(spec, "limits")) if (computeNames.has(name)) amounts.set(`limits.${name}`, amount)
  return amounts
}

/**
 * The most that containers need at any time: all regular and sidecar containers together, or one init container beside
 * the sidecars started before it. Includes the pod's overhead.
 */
function totalOf({ containers, initContainers = [], overhead }: PodSpec, which: Which): Map<string, Quantity> {
  const total = new Map<string, Quantity>()
  for (const { resources } of containers) add(total, amountsOf(resources[which]))
  const beside = new Map<string, Quantity>()
  const first = new Map<string, Quantity>()
  for (const { resources, restartPolicy } of initContainers) {
    const own = amountsOf(resources[which])
    const step = new Map(beside)
    add(step, own)
    if (restartPolicy === "Always") {
      add(total, own)
      add(beside, own)
    }
    raise(first, step)
  }
  raise(total, first)
  const more = [...amountsOf(overhead)].filter(([name]) => which === "requests" || total.has(name))
  add(total, new Map(more))
  return total
}
