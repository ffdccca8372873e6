/** The IP library. */
import { quoted } from "../../runtime/base/quote.ts"
import type { FunctionDeclaration, Library } from "../declaration.ts"
import { boolType, type CelType, intType, opaqueType, stringType } from "../types/type.ts"
import { errorOf } from "../values/error.ts"
import { ErrorValue, OpaqueValue, type Value } from "../values/value.ts"
import { type Address, AddressFault, addressText, bitsOf, isMapped, parseAddress, sameAddress } from "./address.ts"
import { costOf } from "./costs.ts"
import { textOf } from "./narrow.ts"

export const ipType: CelType = opaqueType("net.IP")

/** An address within an expression. */
export class IpValue extends OpaqueValue {
  readonly type = ipType

  constructor(readonly address: Address) {
    super()
  }

  equals(other: Value): boolean {
    return other instanceof IpValue && sameAddress(this.address, other.address)
  }

  /** Bytes. */
  override get size(): number {
    return bitsOf(this.address) / 8
  }

  override print(): string {
    return addressText(this.address)
  }
}

/** Reads an address. Zones and IPv4 addresses within IPv6 are refused. */
export function ipOf(text: string): IpValue | ErrorValue {
  const address = parseAddress(text)
  if (address instanceof AddressFault) {
    return errorOf(`IP Address ${quoted(text)} parse error during conversion from string: ${address.message}`)
  }
  if (address.zone !== "") return errorOf(`IP address ${quoted(text)} with zone value is not allowed`)
  if (isMapped(address)) return errorOf(`IPv4-mapped IPv6 address ${quoted(text)} is not allowed`)
  return new IpValue(address)
}

function addressOf(value: Value | undefined): Address {
  if (!(value instanceof IpValue)) throw new TypeError("not an address")
  return value.address
}

/** Properties of an address, for IPv4 and for IPv6. */
const isUnspecified = ({ value }: Address): boolean => value === 0n

function isLoopback({ family, value }: Address): boolean {
  return family === 4 ? value >> 24n === 127n : value === 1n
}

function isMulticast({ family, value }: Address): boolean {
  return family === 4 ? value >> 28n === 0xen : value >> 120n === 0xffn
}

function isLinkLocalMulticast({ family, value }: Address): boolean {
  return family === 4 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n
}

function isLinkLocalUnicast({ family, value }: Address): boolean {
  return family === 4 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan
}

function isGlobalUnicast(address: Address): boolean {
  if (address.family === 4 && address.value === 0xffff_ffffn) return false
  return !isUnspecified(address) && !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address)
}

function asking(name: string, id: string, ask: (address: Address) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [{ id, member: true, args: [ipType], result: boolType, impl: (address) => ask(addressOf(address)) }],
  }
}

/** `name(text)`. */
function reading(name: string, id: string, result: CelType, read: (text: string) => Value | ErrorValue) {
  return {
    name,
    ...costOf(name),
    overloads: [{ id, args: [stringType], result, impl: (text) => read(textOf(text)) }],
  } satisfies FunctionDeclaration
}

function isCanonical(text: string): Value | ErrorValue {
  const address = ipOf(text)
  return address instanceof ErrorValue ? address : addressText(address.address) === text
}

export const ipLibrary: Library = {
  name: "net.ip",
  types: [ipType],
  functions: [
    reading("ip", "string_to_ip", ipType, ipOf),
    reading("isIP", "is_ip", boolType, (text) => !(ipOf(text) instanceof ErrorValue)),
    reading("ip.isCanonical", "ip_is_canonical", boolType, isCanonical),
    {
      name: "family",
      overloads: [{ id: "ip_family", member: true, args: [ipType], result: intType, impl: (address) => addressOf(address).family }],
    },
    asking("isUnspecified", "ip_is_unspecified", isUnspecified),
    asking("isLoopback", "ip_is_loopback", isLoopback),
    asking("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    asking("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    asking("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    {
      name: "string",
      overloads: [{ id: "ip_to_string", args: [ipType], result: stringType, impl: (address) => addressText(addressOf(address)) }],
    },
  ],
}
