/**
 * Cluster addresses and address families of a service: each alone, against each other, and what an update may change
 * (catalog validation.yaml: Service). The allocator checks whether an address is in range and free.
 */
import { parseIp } from "../../base/ip-address.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"

const headless = "None"
const notOnceSet = "may not change once set"

/** Called for each service spec, with `clusterIP` and `clusterIPs` in sync. Services that are aliases have neither. */
export const serviceClusterAddresses = defineCheck<ServiceSpec>((spec, context) => {
  if (spec.type === "ExternalName") return
  const { clusterIPs: addresses = [], ipFamilies = [] } = spec
  const before = context.failures.list.length
  checkInStep(spec.clusterIP ?? "", addresses, context)
  checkPolicy(spec, addresses, context)
  if (checkAddresses(addresses, context)) checkFamilies(addresses, ipFamilies, context)
  const { old } = context
  const isValid = context.failures.list.length === before && ipFamilies.every((family) => family === "IPv4" || family === "IPv6")
  if (isValid && old !== undefined && old.type !== "ExternalName") checkUpdate(spec, old, context)
})

function checkInStep(clusterIP: string, addresses: readonly string[], context: CheckContext<ServiceSpec>): void {
  const [first] = addresses
  if (clusterIP === "") {
    if (first !== undefined) context.fail("Invalid", [...addresses], "must be empty when `clusterIP` is not specified", "clusterIPs")
  } else if (first === undefined) context.fail("Required", undefined, "", "clusterIPs")
  else if (first !== clusterIP) context.fail("Invalid", [...addresses], "first value must match `clusterIP`", "clusterIPs")
}

function checkPolicy(spec: ServiceSpec, addresses: readonly string[], context: CheckContext<ServiceSpec>): void {
  if (spec.ipFamilyPolicy !== "SingleStack") return
  // More families than there are have been reported.
  const families = new Set(spec.ipFamilies ?? []).size
  const two = addresses.length === 2 ? "cluster IPs" : families === 2 ? "IP families" : undefined
  if (two === undefined) return
  context.fail(
    "Invalid",
    "SingleStack",
    `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${two} are specified`,
    "ipFamilyPolicy",
  )
}

/** Checks the addresses themselves. Returns true when they are valid, so that their families can be checked. */
function checkAddresses(addresses: readonly string[], context: CheckContext<ServiceSpec>): boolean {
  let valid = true
  for (const [index, address] of addresses.entries()) {
    if (index === 0 && address === headless) {
      if (addresses.length === 1) continue
      context.fail("Invalid", [...addresses], `'${headless}' must be the first and only value`, "clusterIPs")
    } else if (parseIp(address) === undefined) {
      context.fail("Invalid", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", `clusterIPs[${index}]`)
    } else continue
    valid = false
  }
  if (addresses.length > 2) context.fail("Invalid", [...addresses], "may only hold up to 2 values", "clusterIPs")
  return valid
}

function checkFamilies(addresses: readonly string[], families: readonly string[], context: CheckContext<ServiceSpec>): void {
  const found = addresses.map((address) => parseIp(address)?.family)
  if (found.length === 2 && new Set(found).size !== found.length) {
    context.fail("Invalid", [...addresses], "may specify no more than one IP for each IP family", "clusterIPs")
  }
  for (const [index, family] of found.entries()) {
    const wanted = families[index]
    if (family === undefined || (wanted !== "IPv4" && wanted !== "IPv6") || wanted === `IPv${family}`) continue
    const detail = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``
    context.fail("Invalid", addresses[index], detail, `clusterIPs[${index}]`)
  }
}

/** The first address and family must stay. A second may be added; removing it requires a change of the policy. */
function checkUpdate(spec: ServiceSpec, old: ServiceSpec, context: CheckContext<ServiceSpec>): void {
  if (isHeadless(spec) && isHeadless(old)) return
  for (const name of ["clusterIPs", "ipFamilies"] as const) checkChange(name, spec, old, context)
}

function checkChange(name: "clusterIPs" | "ipFamilies", spec: ServiceSpec, old: ServiceSpec, context: CheckContext<ServiceSpec>): void {
  const [next, before]: [string[], string[]] = [spec[name] ?? [], old[name] ?? []]
  if (before.length === 0) return
  if (next.length === 0) return context.fail("Invalid", [], `the first of ${name} may not be unset`, `${name}[0]`)
  const shown = [...next]
  for (const [index, value] of before.entries()) {
    const now = next[index]
    if (now !== undefined && now !== value) context.fail("Invalid", shown, notOnceSet, `${name}[${index}]`)
  }
  if (next.length < before.length && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = `must be set to 'SingleStack' when releasing the second of ${name}`
    context.fail("Invalid", spec.ipFamilyPolicy ?? null, detail, "ipFamilyPolicy")
  }
}

function isHeadless(spec: ServiceSpec): boolean {
  return spec.clusterIPs?.[0] === headless
}
