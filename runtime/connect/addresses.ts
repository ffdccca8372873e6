/**
 * Decides which addresses the server may connect to on behalf of clients. A name is resolved once, every address it
 * resolves to is checked, and the first of them is dialled. Resolving a second time could return a different address.
 */
import { assert } from "../base/assert.ts"
import type { Clock } from "../base/clock.ts"
import { type IpAddress, type IpRange, parseCidr, parseIp } from "../base/ip-address.ts"
import { ownAddressesMs } from "../base/limits.ts"

export interface AddressPolicy {
  /** This server's own addresses, including addresses that the machine acquired after the server started. */
  readonly own: () => readonly string[]
  /** `--proxy-allowed-cidrs`: exceptions to the refused ranges. */
  readonly allowed: readonly IpRange[]
}

/** The address is refused. The message gives the reason and the option that would allow it. */
export class AddressError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "AddressError"
  }
}

/**
 * Called once at start with the values of the options. The result of `own` is cached for `ownAddressesMs`: reading the
 * machine's interfaces is slow.
 */
export function addressPolicy(options: { own: () => readonly string[]; allowedCidrs: readonly string[]; clock: Clock }): AddressPolicy {
  const { clock } = options
  let known: readonly string[] | undefined
  let askedMs = 0
  return {
    allowed: options.allowedCidrs.flatMap((cidr) => parseCidr(cidr) ?? []),
    own() {
      const now = clock.elapsedMs()
      if (known === undefined || now - askedMs >= ownAddressesMs) {
        known = options.own()
        askedMs = now
      }
      return known
    },
  }
}

/**
 * Returns the address to dial for `host`, a name or an address. Throws AddressError when one of its addresses is
 * refused; passes on errors of `lookup`.
 */
export async function resolveAllowedAddress(
  host: string,
  policy: AddressPolicy,
  lookup: (name: string) => Promise<readonly string[]>,
): Promise<string> {
  const addresses = parseIp(host) === undefined ? await lookup(host) : [host]
  const [first] = addresses
  if (first === undefined) throw new AddressError(`${host} has no address`)
  for (const address of addresses) checkAddress(address, policy)
  return first
}

/**
 * Throws AddressError for loopback, link-local and other addresses that do not belong to a single machine, for cloud
 * metadata addresses, and for the server's own addresses.
 */
export function checkAddress(text: string, policy: AddressPolicy): void {
  const address = parseIp(text)
  if (address === undefined) throw new AddressError(`address not allowed: ${text} is no address`)
  if (policy.allowed.some((range) => contains(range, address))) return
  const fault = faultOf(address, policy)
  if (fault !== undefined) throw new AddressError(`address not allowed: ${text} is ${fault}; --proxy-allowed-cidrs can allow it`)
}

/** Refused ranges. The first match gives the reason. */
const refusedRanges: readonly (readonly [string, string])[] = [
  ["0.0.0.0/32", "unspecified"],
  ["::/128", "unspecified"],
  ["0.0.0.0/8", "of no network"],
  ["127.0.0.0/8", "a loopback address"],
  ["::1/128", "a loopback address"],
  ["169.254.0.0/16", "a link-local address"],
  ["fe80::/10", "a link-local address"],
  ["224.0.0.0/3", "a multicast, reserved or broadcast address"],
  ["ff00::/8", "a multicast address"],
  // Metadata services of Amazon, Google, Azure, Alibaba and Oracle, besides 169.254.169.254.
  ["fd00:ec2::/32", "an address of a cloud's metadata"],
  ["fd20:ce::254/128", "an address of a cloud's metadata"],
  ["168.63.129.16/32", "an address of a cloud's metadata"],
  ["100.100.100.200/32", "an address of a cloud's metadata"],
  ["192.0.0.192/32", "an address of a cloud's metadata"],
  // Translated by gateways under rules unknown to this server, or discarded: RFC 8215, 4380, 4291, 6666.
  ["64:ff9b:1::/48", "an address that a local gateway translates"],
  ["2001::/32", "a Teredo address"],
  ["::/96", "an IPv4-compatible address"],
  ["100::/64", "an address whose packets are discarded"],
]

const refused = refusedRanges.map(([cidr, fault]) => {
  const range = parseCidr(cidr)
  assert(range !== undefined, "a range of the table is one", { cidr })
  return { range, fault }
})

/**
 * IPv6 ranges that embed an IPv4 address, with the offset of its first byte: RFC 6052, 3056 and 2765. IPv4-mapped
 * addresses are parsed as IPv4.
 */
const embeddings = [
  ["64:ff9b::/96", 12],
  ["2002::/16", 2],
  ["::ffff:0:0:0/96", 12],
] as const

const embeddingRanges = embeddings.map(([cidr, at]) => {
  const range = parseCidr(cidr)
  assert(range !== undefined, "a range of the table is one", { cidr })
  return { range, at }
})

function faultOf(address: IpAddress, policy: AddressPolicy): string | undefined {
  const own = isOneOf(address, policy.own()) ? "this server's own" : undefined
  const fault = refused.find(({ range }) => contains(range, address))?.fault ?? own
  if (fault !== undefined) return fault
  const within = embeddingRanges.find(({ range }) => contains(range, address))
  return within === undefined ? undefined : faultOf({ family: 4, bytes: address.bytes.slice(within.at, within.at + 4) }, policy)
}

function isOneOf(address: IpAddress, texts: readonly string[]): boolean {
  return texts.some((text) => {
    const other = parseIp(text)
    return other?.family === address.family && other.bytes.every((byte, index) => byte === address.bytes[index])
  })
}

function contains({ address: network, prefixLength }: IpRange, { family, bytes }: IpAddress): boolean {
  if (network.family !== family) return false
  return bytes.every((byte, index) => {
    const bits = Math.max(0, Math.min(8, prefixLength - index * 8))
    const mask = (0xff00 >> bits) & 0xff
    return (byte & mask) === ((network.bytes[index] ?? 0) & mask)
  })
}
