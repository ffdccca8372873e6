/**
 * Faults of the addresses and families that a client gives a service, each alone and against each other (catalog
 * validation.yaml: Service). The reference reports them before all others, since it can allocate nothing without them.
 */
import type { Failure, Failures } from "../../base/failure.ts"
import { parseIp } from "../../base/ip-address.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { headless } from "./fields.ts"

const familyNames = ["IPv4", "IPv6"]
const policyNames = ["PreferDualStack", "RequireDualStack", "SingleStack"]

/** Called for a spec with `clusterIP` and `clusterIPs` in sync, whose type has addresses. */
export function addressFaults(spec: ServiceSpec, failures: Failures): void {
  const { clusterIPs: addresses = [], ipFamilies: families = [] } = spec
  faultsOfStep(spec.clusterIP ?? "", addresses, failures)
  faultsOfNames(families, spec.ipFamilyPolicy, failures)
  if (areAddresses(addresses, failures) && addresses[0] !== headless) faultsOfPairs(addresses, families, failures)
}

function faultsOfStep(clusterIP: string, addresses: readonly string[], failures: Failures): void {
  const [first] = addresses
  if (clusterIP === "") {
    if (first !== undefined) failures.add(ofAddresses(addresses, "must be empty when `clusterIP` is not specified"))
  } else if (first === undefined) failures.add({ type: "Required", field: "spec.clusterIPs", detail: "" })
  else if (first !== clusterIP) failures.add(ofAddresses(addresses, "first value must match `clusterIP`"))
}

function faultsOfNames(families: readonly string[], policy: string | undefined, failures: Failures): void {
  const seen = new Set<string>()
  for (const [index, family] of families.entries()) {
    if (failures.full) return
    const field = `spec.ipFamilies[${index}]`
    if (!familyNames.includes(family)) failures.add({ type: "NotSupported", field, value: family, detail: "", supported: familyNames })
    if (seen.has(family)) failures.add({ type: "Duplicate", field, value: family, detail: "" })
    seen.add(family)
  }
  if (policy !== undefined && !policyNames.includes(policy))
    failures.add({ type: "NotSupported", field: "spec.ipFamilyPolicy", value: policy, detail: "", supported: policyNames })
}

/** Reports texts that are no address. Returns whether all are addresses, so that their families can be compared. */
function areAddresses(addresses: readonly string[], failures: Failures): boolean {
  let valid = true
  for (const [index, address] of addresses.entries()) {
    if (failures.full) return false
    if (index === 0 && address === headless) {
      if (addresses.length === 1) continue
      failures.add(ofAddresses(addresses, `'${headless}' must be the first and only value`))
    } else if (parseIp(address) === undefined) {
      const detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
      failures.add({ type: "Invalid", field: `spec.clusterIPs[${index}]`, value: address, detail })
    } else continue
    valid = false
  }
  if (addresses.length > 2) failures.add(ofAddresses(addresses, "may only hold up to 2 values"))
  return valid
}

function faultsOfPairs(addresses: readonly string[], families: readonly string[], failures: Failures): void {
  const found = addresses.map((address) => parseIp(address)?.family)
  if (found.length > 1 && new Set(found).size < 2)
    failures.add(ofAddresses(addresses, "may specify no more than one IP for each IP family"))
  for (const [index, family] of found.entries()) {
    const wanted = families[index]
    if (failures.full) return
    if (family === undefined || (wanted !== "IPv4" && wanted !== "IPv6") || wanted === `IPv${family}`) continue
    const detail = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``
    failures.add({ type: "Invalid", field: `spec.clusterIPs[${index}]`, value: addresses[index], detail })
  }
}

function ofAddresses(addresses: readonly string[], detail: string): Failure {
  return { type: "Invalid", field: "spec.clusterIPs", value: [...addresses], detail }
}
