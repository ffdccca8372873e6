/** The CIDR library: ranges of addresses. */
import { quoted } from "../../runtime/base/quote.ts"
import type { Library } from "../declaration.ts"
import { boolType, type CelType, intType, opaqueType, stringType } from "../types/type.ts"
import { errorOf, noSuchOverload } from "../values/error.ts"
import { ErrorValue, OpaqueValue, type Result, type Value } from "../values/value.ts"
import { AddressFault, addressText, containsAddress, isMapped, networkOf, parseRange, type Range, sameAddress } from "./address.ts"
import { costOf } from "./costs.ts"
import { IpValue, ipOf, ipType } from "./ip.ts"
import { textOf } from "./narrow.ts"

export const cidrType: CelType = opaqueType("net.CIDR")

/** A range within an expression. */
class CidrValue extends OpaqueValue {
  readonly type = cidrType

  constructor(readonly range: Range) {
    super()
  }

  equals(other: Value): boolean {
    if (!(other instanceof CidrValue)) return false
    return this.range.bits === other.range.bits && sameAddress(this.range.address, other.range.address)
  }

  /** The bytes that hold the fixed bits. */
  override get size(): number {
    return Math.ceil(this.range.bits / 8)
  }

  override print(): string {
    return `${addressText(this.range.address)}/${this.range.bits}`
  }
}

const parseFault = "network address parse error during conversion from string"

function cidrOf(text: string): CidrValue | ErrorValue {
  const range = parseRange(text)
  if (range instanceof AddressFault) return errorOf(`${parseFault}: ${parseFault}: ${range.message}`)
  if (isMapped(range.address)) {
    return errorOf(`${parseFault}: IPv4-mapped IPv6 address ${quoted(text)} is not allowed`)
  }
  return new CidrValue(range)
}

function rangeOf(value: Value | undefined): Range {
  if (!(value instanceof CidrValue)) throw new TypeError("not a range")
  return value.range
}

/** As in the reference, the error omits why a text is not an address. */
function containsIp(range: Range, other: Value | ErrorValue): Result {
  return other instanceof IpValue ? containsAddress(range, other.address) : noSuchOverload()
}

/** As in the reference, the other range's address itself must equal the network. */
function containsCidr(range: Range, other: Value | ErrorValue): Result {
  if (other instanceof ErrorValue) return other
  if (!(other instanceof CidrValue)) return noSuchOverload()
  return sameAddress(networkOf(range), other.range.address) && range.bits <= other.range.bits
}

export const cidrLibrary: Library = {
  name: "net.cidr",
  types: [cidrType],
  functions: [
    {
      name: "cidr",
      ...costOf("cidr"),
      overloads: [{ id: "string_to_cidr", args: [stringType], result: cidrType, impl: (text) => cidrOf(textOf(text)) }],
    },
    {
      name: "isCIDR",
      ...costOf("isCIDR"),
      overloads: [
        {
          id: "is_cidr",
          args: [stringType],
          result: boolType,
          impl: (text) => !(cidrOf(textOf(text)) instanceof ErrorValue),
        },
      ],
    },
    {
      name: "containsIP",
      ...costOf("containsIP"),
      overloads: [
        {
          id: "cidr_contains_ip_string",
          member: true,
          args: [cidrType, stringType],
          result: boolType,
          impl: (range, text) => containsIp(rangeOf(range), ipOf(textOf(text))),
        },
        {
          id: "cidr_contains_ip_ip",
          member: true,
          args: [cidrType, ipType],
          result: boolType,
          impl: (range, address = null) => containsIp(rangeOf(range), address),
        },
      ],
    },
    {
      name: "containsCIDR",
      ...costOf("containsCIDR"),
      overloads: [
        {
          id: "cidr_contains_cidr_string",
          member: true,
          args: [cidrType, stringType],
          result: boolType,
          impl: (range, text) => containsCidr(rangeOf(range), cidrOf(textOf(text))),
        },
        {
          id: "cidr_contains_cidr",
          member: true,
          args: [cidrType, cidrType],
          result: boolType,
          impl: (range, other = null) => containsCidr(rangeOf(range), other),
        },
      ],
    },
    {
      name: "ip",
      ...costOf("ip"),
      overloads: [
        {
          id: "cidr_ip",
          member: true,
          args: [cidrType],
          result: ipType,
          impl: (range) => new IpValue(rangeOf(range).address),
        },
      ],
    },
    {
      name: "masked",
      overloads: [
        {
          id: "cidr_masked",
          member: true,
          args: [cidrType],
          result: cidrType,
          impl: (value) => {
            const range = rangeOf(value)
            return new CidrValue({ address: networkOf(range), bits: range.bits })
          },
        },
      ],
    },
    {
      name: "prefixLength",
      overloads: [
        {
          id: "cidr_prefix_length",
          member: true,
          args: [cidrType],
          result: intType,
          impl: (range) => rangeOf(range).bits,
        },
      ],
    },
    {
      name: "string",
      overloads: [
        {
          id: "cidr_to_string",
          args: [cidrType],
          result: stringType,
          impl: (range) => new CidrValue(rangeOf(range)).print(),
        },
      ],
    },
  ],
}
