/**
 * The address families of a service: which it has, which it gets, and which the cluster cannot provide (catalog
 * defaults.yaml: Service).
 */
import type { Failures } from "../../base/failure.ts"
import { parseIp } from "../../base/ip-address.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { addressFaults } from "./address-faults.ts"
import { headless, isHeadless, putList } from "./fields.ts"
import { familyOf, type IpFamily } from "./ranges.ts"

const notHere = "not configured on this cluster"
const policyField = "spec.ipFamilyPolicy"

interface Surroundings {
  /** The families of the cluster's ranges, the primary one first. */
  readonly cluster: readonly IpFamily[]
  /** Absent for a new service. */
  readonly old?: ServiceSpec
  readonly failures: Failures
}

/**
 * Fills `ipFamilies` and `ipFamilyPolicy` of a spec whose `clusterIP` and `clusterIPs` are in sync. Called before
 * validation, in the steps of the reference: a fault in one step hides the faults of later steps. Families that an
 * update leaves out follow from the addresses, not from the stored families.
 */
export function fillFamilies(spec: ServiceSpec, around: Surroundings): void {
  const { old, failures } = around
  if (spec.type === "ExternalName" || (old !== undefined && staysPreferred(spec, old))) return
  const isFree = isHeadless(spec) && !hasSelector(spec)
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack")
  addressFaults(spec, failures)
  if (!failures.empty) return
  if (old !== undefined) releaseSecond(spec, old, failures)
  faultsOfPolicy(spec, failures)
  const families = inferred(spec, around)
  if (!failures.empty) return
  if (isFree) fillFreely(spec, families, around.cluster[0] ?? "IPv4")
  else fillFrom(spec, families, around)
}

/** A service that takes both families where there are both stays as it is when the cluster changes. */
function staysPreferred(spec: ServiceSpec, old: ServiceSpec): boolean {
  const policies = [spec.ipFamilyPolicy, old.ipFamilyPolicy ?? "PreferDualStack"]
  if (spec.type !== old.type || policies.some((policy) => policy !== "PreferDualStack")) return false
  return isSame(spec, old, "clusterIPs") && isSame(spec, old, "ipFamilies")
}

/** A client that returns to one family need not remove the second address itself; none goes unless it asks for that. */
function releaseSecond(spec: ServiceSpec, old: ServiceSpec, failures: Failures): void {
  for (const name of ["clusterIPs", "ipFamilies"] as const) {
    const [values, before] = [spec[name] ?? [], old[name] ?? []]
    if (spec.ipFamilyPolicy !== "SingleStack") {
      if (values.length === 0 || values.length >= before.length) continue
      const detail = `must be 'SingleStack' to release the secondary ${name === "clusterIPs" ? "cluster IP" : "IP family"}`
      failures.add({ type: "Invalid", field: policyField, value: spec.ipFamilyPolicy, detail })
    } else if (values.length > 1 && isSame(spec, old, name)) putList(spec, name, values.slice(0, 1))
  }
}

function faultsOfPolicy({ clusterIPs = [], ipFamilies = [], ipFamilyPolicy: policy }: ServiceSpec, failures: Failures): void {
  if (policy !== "SingleStack") return
  const two = [...(clusterIPs.length === 2 ? ["cluster IPs"] : []), ...(ipFamilies.length === 2 ? ["IP families"] : [])]
  for (const what of two) {
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
    failures.add({ type: "Invalid", field: policyField, value: policy, detail })
  }
}

/** The given families, followed by the families of addresses that have none yet. */
function inferred({ clusterIPs: addresses = [], ipFamilies = [] }: ServiceSpec, { cluster, failures }: Surroundings): IpFamily[] {
  const families = ipFamilies.filter((family) => family === "IPv4" || family === "IPv6")
  for (const [index, text] of addresses.entries()) {
    const address = text === headless ? undefined : parseIp(text)
    if (address === undefined || index < families.length) continue
    const family = familyOf(address)
    if (cluster.includes(family)) families.push(family)
    else failures.add({ type: "Invalid", field: `spec.clusterIPs[${index}]`, value: [...addresses], detail: `${family} is ${notHere}` })
  }
  return families
}

/**
 * A headless service without a selector has endpoints of another writer, so it may have both families in any cluster.
 */
function fillFreely(spec: ServiceSpec, given: readonly IpFamily[], first: IpFamily): void {
  const families = given.length === 0 ? [first] : [...given]
  if (families.length === 1 && spec.ipFamilyPolicy !== "SingleStack") families.push(families[0] === "IPv4" ? "IPv6" : "IPv4")
  putList(spec, "ipFamilies", families)
}

function fillFrom(spec: ServiceSpec, families: IpFamily[], { cluster, failures }: Surroundings): void {
  const { ipFamilyPolicy: policy } = spec
  if (policy === "RequireDualStack" && cluster.length < 2) {
    const detail = "this cluster is not configured for dual-stack services"
    failures.add({ type: "Invalid", field: policyField, value: policy, detail })
  }
  for (const [index, family] of families.entries()) {
    if (!cluster.includes(family)) failures.add({ type: "Invalid", field: `spec.ipFamilies[${index}]`, value: family, detail: notHere })
  }
  if (!failures.empty) return
  if (families.length === 0) families.push(...cluster.slice(0, 1))
  if (policy !== "SingleStack") families.push(...cluster.filter((family) => !families.includes(family)))
  putList(spec, "ipFamilies", families)
}

function isSame(spec: ServiceSpec, old: ServiceSpec, name: "clusterIPs" | "ipFamilies"): boolean {
  return deepEqual(spec[name] ?? [], old[name] ?? [])
}

function hasSelector(spec: ServiceSpec): boolean {
  return Object.keys(spec.selector ?? {}).length > 0
}
