/**
 * The address families of a service: those it has, those it gets, and those the cluster cannot provide (catalog
 * defaults.yaml: Service).
 */
import type { Failures } from "../../base/failure.ts"
import { parseIp } from "../../base/ip-address.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { headless, isHeadless, putList } from "./fields.ts"
import { familyOf, type IpFamily } from "./ranges.ts"

const notHere = "not configured on this cluster"

/**
 * Fills `ipFamilies` and `ipFamilyPolicy` of a spec whose `clusterIP` and `clusterIPs` are in sync. Called before
 * validation, which reports invalid field values. `cluster` holds the families of the cluster's ranges, the primary one
 * first.
 */
export function fillFamilies(spec: ServiceSpec, cluster: readonly IpFamily[], failures: Failures): void {
  const { clusterIPs: addresses = [], ipFamilies: given = [], ipFamilyPolicy: policy } = spec
  if (spec.type === "ExternalName" || !areFamilies(given) || !areAddresses(addresses)) return
  // Validation reports these, and needs no family that the cluster lacks besides.
  if (new Set(given).size !== given.length || isMismatch(given, addresses)) return
  if (isHeadless(spec) && !hasSelector(spec)) return fillFreely(spec, { given, policy, first: cluster[0] ?? "IPv4" })
  if ((policy ?? "SingleStack") === "SingleStack" && (addresses.length > 1 || given.length > 1)) {
    // Validation reports a policy that is given.
    if (policy === undefined) {
      const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${addresses.length > 1 ? "cluster IPs" : "IP families"} are specified`
      failures.add({ type: "Invalid", field: "spec.ipFamilyPolicy", value: "SingleStack", detail })
    }
    if (addresses.length < 2) return
  }
  const families = inferred(given, { addresses, cluster, failures })
  if (policy === "RequireDualStack" && cluster.length < 2) {
    failures.add({
      type: "Invalid",
      field: "spec.ipFamilyPolicy",
      value: policy,
      detail: "this cluster is not configured for dual-stack services",
    })
  }
  for (const [index, family] of families.entries()) {
    if (!cluster.includes(family)) failures.add({ type: "Invalid", field: `spec.ipFamilies[${index}]`, value: family, detail: notHere })
  }
  if (!failures.empty) return
  if (families.length === 0) families.push(...cluster.slice(0, 1))
  if (policy === "PreferDualStack" || policy === "RequireDualStack")
    families.push(...cluster.filter((family) => !families.includes(family)))
  spec.ipFamilyPolicy = policy ?? "SingleStack"
  putList(spec, "ipFamilies", families)
}

/**
 * A headless service without a selector has endpoints of another writer, so it may have both families in any cluster.
 */
function fillFreely(spec: ServiceSpec, from: { given: readonly IpFamily[]; policy: ServiceSpec["ipFamilyPolicy"]; first: IpFamily }): void {
  const families = from.given.length === 0 ? [from.first] : [...from.given]
  const policy = from.policy ?? "RequireDualStack"
  if (families.length === 1 && policy !== "SingleStack") families.push(families[0] === "IPv4" ? "IPv6" : "IPv4")
  spec.ipFamilyPolicy = policy
  putList(spec, "ipFamilies", families)
}

/** The given families, followed by those of addresses that have none yet. */
function inferred(
  given: readonly IpFamily[],
  from: { addresses: readonly string[]; cluster: readonly IpFamily[]; failures: Failures },
): IpFamily[] {
  const families = [...given]
  for (const [index, text] of from.addresses.entries()) {
    const address = parseIp(text)
    if (address === undefined || index < families.length) continue
    const family = familyOf(address)
    if (from.cluster.includes(family)) families.push(family)
    else
      from.failures.add({
        type: "Invalid",
        field: `spec.clusterIPs[${index}]`,
        value: [...from.addresses],
        detail: `${family} is ${notHere}`,
      })
  }
  return families
}

/** Whether an address is of another family than the one that is given for it. */
function isMismatch(given: readonly IpFamily[], addresses: readonly string[]): boolean {
  return addresses.some((text, index) => {
    const address = parseIp(text)
    return address !== undefined && given[index] !== undefined && familyOf(address) !== given[index]
  })
}

/** Before validation, any text may be in the list. */
function areFamilies(texts: readonly string[]): boolean {
  return texts.length <= 2 && texts.every((text) => text === "IPv4" || text === "IPv6")
}

function areAddresses(texts: readonly string[]): boolean {
  return texts.length <= 2 && texts.every((text, index) => (index === 0 && text === headless) || parseIp(text) !== undefined)
}

function hasSelector(spec: ServiceSpec): boolean {
  return Object.keys(spec.selector ?? {}).length > 0
}
