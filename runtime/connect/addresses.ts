/**
 * Where connections on behalf of clients may go. A name is resolved once, every address it stands for is judged, and the first of them is the
 * one that is dialled: a name that is resolved again could stand for another address by then.
 */
import { type IpAddress, type IpRange, parseCidr, parseIp } from "../kit/ip-address.ts"

export interface AddressPolicy {
  /** This server's own addresses. */
  readonly own: readonly string[]
  /** `--proxy-allowed-cidrs`: may be reached although they would be refused. */
  readonly allowed: readonly IpRange[]
}

/** Nothing is sent there; the message says why and what would allow it. */
export class AddressError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "AddressError"
  }
}

/** Called once at start with the values of the options. */
export function addressPolicy(options: { own: readonly string[]; allowedCidrs: readonly string[] }): AddressPolicy {
  return { own: options.own, allowed: options.allowedCidrs.flatMap((cidr) => parseCidr(cidr) ?? []) }
}

/** The address to dial for `host`, a name or an address. Throws AddressError for one that is not allowed, and what `lookup` throws. */
export async function dialledAddress(
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

/** Throws AddressError for loopback, link-local and other addresses that are no single machine's, and for the server's own. */
export function checkAddress(text: string, policy: AddressPolicy): void {
  const address = parseIp(text)
  if (address === undefined) throw new AddressError(`address not allowed: ${text} is no address`)
  if (policy.allowed.some((range) => contains(range, address))) return
  const fault = specialFault(address) ?? (isOneOf(address, policy.own) ? "this server's own" : undefined)
  if (fault !== undefined) throw new AddressError(`address not allowed: ${text} is ${fault}; --proxy-allowed-cidrs can allow it`)
}

function specialFault({ family, bytes }: IpAddress): string | undefined {
  const [first = 0, second = 0] = bytes
  if (bytes.every((byte) => byte === 0)) return "unspecified"
  if (family === 4) {
    if (first === 0) return "of no network"
    if (first === 127) return "a loopback address"
    if (first === 169 && second === 254) return "a link-local address"
    if (first >= 224) return "a multicast, reserved or broadcast address"
    return undefined
  }
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) return "a loopback address"
  if (first === 0xfe && (second & 0xc0) === 0x80) return "a link-local address"
  return first === 0xff ? "a multicast address" : embeddedFault(bytes)
}

/** IPv6 addresses that a gateway turns into IPv4 ones (`64:ff9b::/96`, `2002::/16`) are judged as those. */
function embeddedFault(bytes: readonly number[]): string | undefined {
  const translated = bytes.slice(0, 4).join() === "0,100,255,155" && bytes.slice(4, 12).every((byte) => byte === 0)
  if (translated) return specialFault({ family: 4, bytes: bytes.slice(12) })
  return bytes[0] === 0x20 && bytes[1] === 0x02 ? specialFault({ family: 4, bytes: bytes.slice(2, 6) }) : undefined
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
