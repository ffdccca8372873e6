/** The names and addresses of this server, for its certificate and the kubeconfig. */
import { hostname, networkInterfaces } from "node:os"
import { isIP } from "node:net"
import { type IpAddress, parseCidr } from "../base/ip-address.ts"
import type { Vendor } from "../base/vendor.ts"

/** True for `0.0.0.0` and `::`: all interfaces. */
export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || /^[0:]+$/.test(address)
}

/** True for addresses that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1" || address.toLowerCase().startsWith("::ffff:127.")
}

/**
 * The address for clients: `--advertise-address`, else the bind address if others can reach it, else the host's first
 * interface that is not loopback, as in the reference.
 */
export function advertisedAddress(options: { advertise: string; bind: string }): string {
  if (options.advertise !== "") return options.advertise
  if (!isUnspecified(options.bind) && !isLoopback(options.bind)) return options.bind
  const outward = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find((one) => !one.internal && one.family === "IPv4")
  return outward?.address ?? (isLoopback(options.bind) ? options.bind : "127.0.0.1")
}

/** Called once at start. The server's Service has the first address of the first range, as in the reference server. */
export function servedNames(options: { vendor: Vendor; advertised: string; serviceRanges: readonly string[] }): readonly string[] {
  const service = options.vendor.word
  const names = [
    "localhost",
    "127.0.0.1",
    "::1",
    hostname(),
    options.advertised,
    service,
    `${service}.default`,
    `${service}.default.svc`,
    `${service}.default.svc.cluster.local`,
  ]
  const addresses = options.serviceRanges.flatMap((range) => firstAddress(range) ?? [])
  return [...new Set([...names, ...addresses].filter(isName))]
}

/** Whether a name is valid in a certificate; host names of machines may be arbitrary. */
function isName(name: string): boolean {
  return isIP(name) !== 0 || /^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$/.test(name)
}

function firstAddress(range: string): string | undefined {
  const parsed = parseCidr(range)
  return parsed === undefined ? undefined : textOf(increment(masked(parsed.address, parsed.prefixLength)))
}

function masked(address: IpAddress, prefixLength: number): IpAddress {
  return {
    ...address,
    bytes: address.bytes.map((byte, index) => byte & (0xff00 >> Math.max(0, Math.min(8, prefixLength - index * 8))) & 0xff),
  }
}

function increment(address: IpAddress): IpAddress {
  const bytes = [...address.bytes]
  for (let index = bytes.length - 1; index >= 0; index--) {
    const next = ((bytes[index] ?? 0) + 1) & 0xff
    bytes[index] = next
    if (next !== 0) break
  }
  return { ...address, bytes }
}

function textOf(address: IpAddress): string {
  if (address.family === 4) return address.bytes.join(".")
  const groups = Array.from({ length: 8 }, (_, index) => ((address.bytes[index * 2] ?? 0) << 8) | (address.bytes[index * 2 + 1] ?? 0))
  return groups.map((group) => group.toString(16)).join(":")
}
