/**
 * Warnings about addresses of a service that other readers refuse or write otherwise (catalog validation.yaml: Service,
 * warnings).
 */
import { canonicalIpv6, strictIpFault } from "../../base/ip-address.ts"
import { defineWarning } from "../../schema/define.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"

const refusedLater = "was accepted, but will be invalid in a future Kubernetes release"

/** Called with the spec of a service. */
export const serviceAddresses = defineWarning<ServiceSpec>((spec, at) => [
  ...(spec.clusterIPs ?? []).flatMap((address, index) => (address === "None" ? [] : ofAddress(address, `${at}.clusterIPs[${index}]`))),
  ...(spec.externalIPs ?? []).flatMap((address, index) => ofAddress(address, `${at}.externalIPs[${index}]`)),
  ...((spec.loadBalancerIP ?? "") === "" ? [] : ofAddress(spec.loadBalancerIP ?? "", `${at}.loadBalancerIP`)),
  ...(spec.loadBalancerSourceRanges ?? []).flatMap((range, index) => ofRange(range, `${at}.loadBalancerSourceRanges[${index}]`)),
])

function ofAddress(address: string, at: string): string[] {
  const fault = strictIpFault(address)
  if (fault !== undefined) return [`${at}: IP address ${refusedLater}: ${fault}`]
  return rewritten("address", { address, canonical: canonicalIpv6(address) }, at)
}

function ofRange(range: string, at: string): string[] {
  const [address = "", bits = ""] = range.split("/")
  const fault = strictIpFault(address) ?? (/^0./.test(bits) ? `bad bits after slash: ${JSON.stringify(bits)}` : undefined)
  if (fault !== undefined) return [`${at}: IP prefix ${refusedLater}: netip.ParsePrefix(${JSON.stringify(range)}): ${fault}`]
  const canonical = canonicalIpv6(address)
  return rewritten("prefix", { address: range, canonical: canonical === undefined ? undefined : `${canonical}/${bits}` }, at)
}

function rewritten(what: string, { address, canonical }: { address: string; canonical: string | undefined }, at: string): string[] {
  if (canonical === undefined || canonical === address) return []
  const [sent, wanted] = [JSON.stringify(address), JSON.stringify(canonical)]
  return [`${at}: IPv6 ${what} ${sent} is not in RFC 5952 canonical format (${wanted}), which may cause controller apply-loops`]
}
