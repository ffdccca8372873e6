/** IP addresses and ranges as Go's net/netip reads and writes them, with its errors. */
import { quoted } from "../../runtime/base/quote.ts"
import { chargeText } from "../work.ts"

/** The reason why a text is not an address or a range. */
export class AddressFault {
  constructor(readonly message: string) {}
}

export interface Address {
  readonly family: 4 | 6
  /** The address as a number of 32 or 128 bits. */
  readonly value: bigint
  /** The part after the percent sign of an IPv6 address; empty without one. */
  readonly zone: string
}

export interface Range {
  readonly address: Address
  /** The number of leading bits that are fixed. */
  readonly bits: number
}

/** The number of bits of an address. */
export function bitsOf(address: Address): number {
  return address.family === 4 ? 32 : 128
}

export function parseAddress(text: string): Address | AddressFault {
  chargeText(text)
  try {
    return read(text)
  } catch (stopped) {
    if (stopped instanceof Stopped) return stopped.fault(text)
    throw stopped
  }
}

/** Thrown to end the parsing of a text. */
class Stopped extends Error {
  constructor(
    readonly reason: string,
    readonly at = "",
  ) {
    super(reason)
  }

  fault(text: string): AddressFault {
    const at = this.at === "" ? "" : ` (at ${quoted(this.at)})`
    return new AddressFault(`ParseAddr(${quoted(text)}): ${this.reason}${at}`)
  }
}

function read(text: string): Address {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { family: 4, value: readOctets(text), zone: "" }
    case ":":
      return readSix(text)
    case "%":
      throw new Stopped("missing IPv6 address")
    default:
      throw new Stopped("unable to parse IP")
  }
}

function readOctets(text: string): bigint {
  let value = 0n
  let octet = 0
  let digits = 0
  let dots = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character >= "0" && character <= "9") {
      if (digits === 1 && octet === 0) throw new Stopped("IPv4 field has octet with leading zero")
      octet = octet * 10 + Number(character)
      digits++
      if (octet > 255) throw new Stopped("IPv4 field has value >255")
    } else if (character === ".") {
      if (digits === 0 || at === text.length - 1) {
        throw new Stopped("IPv4 field must have at least one digit", text.slice(at))
      }
      if (dots === 3) throw new Stopped("IPv4 address too long")
      value = (value << 8n) | BigInt(octet)
      octet = 0
      digits = 0
      dots++
    } else throw new Stopped("unexpected character", text.slice(at))
  }
  if (dots < 3) throw new Stopped("IPv4 address too short")
  return (value << 8n) | BigInt(octet)
}

const groupsMax = 8

function readSix(text: string): Address {
  const percent = text.indexOf("%")
  const zone = percent < 0 ? "" : text.slice(percent + 1)
  if (percent >= 0 && zone === "") throw new Stopped("zone must be a non-empty string")
  const groups = new Groups()
  const rest = readGroups(percent < 0 ? text : text.slice(0, percent), groups)
  if (rest !== "") throw new Stopped("trailing garbage after address", rest)
  return { family: 6, value: groups.value(), zone }
}

/** The groups of an IPv6 address, of 16 bits each, and where `::` is among them. */
class Groups {
  readonly list: number[] = []
  gap: number | undefined

  value(): bigint {
    const missing = groupsMax - this.list.length
    if (missing > 0 && this.gap === undefined) throw new Stopped("address string too short")
    if (missing === 0 && this.gap !== undefined) {
      throw new Stopped("the :: must expand to at least one field of zeros")
    }
    const zeros = new Array<number>(missing).fill(0)
    const all = [...this.list.slice(0, this.gap), ...zeros, ...(this.gap === undefined ? [] : this.list.slice(this.gap))]
    return all.reduce((value, group) => (value << 16n) | BigInt(group), 0n)
  }
}

/** Returns the rest of the text after all groups. */
function readGroups(text: string, groups: Groups): string {
  let rest = text
  if (rest.startsWith("::")) {
    groups.gap = 0
    rest = rest.slice(2)
    if (rest === "") return ""
  }
  while (groups.list.length < groupsMax) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ""
    if (digits.length > 4) throw new Stopped("each group must have 4 or less digits", rest)
    if (digits === "") throw new Stopped("each colon-separated field must have at least one digit", rest)
    if (rest.charAt(digits.length) === ".") return readTail(rest, groups)
    groups.list.push(Number.parseInt(digits, 16))
    rest = rest.slice(digits.length)
    if (rest === "") return ""
    if (!rest.startsWith(":")) throw new Stopped("unexpected character, want colon", rest)
    if (rest === ":") throw new Stopped("colon must be followed by more characters", rest)
    rest = rest.slice(1)
    if (!rest.startsWith(":")) continue
    if (groups.gap !== undefined) throw new Stopped("multiple :: in address", rest)
    groups.gap = groups.list.length
    rest = rest.slice(1)
    if (rest === "") return ""
  }
  return rest
}

/** Reads an IPv4 address at the end. */
function readTail(rest: string, groups: Groups): string {
  if (groups.gap === undefined && groups.list.length !== groupsMax - 2) {
    throw new Stopped("embedded IPv4 address must replace the final 2 fields of the address", rest)
  }
  if (groups.list.length > groupsMax - 2) {
    throw new Stopped("too many hex fields to fit an embedded IPv4 at the end of the address", rest)
  }
  const value = readOctets(rest)
  groups.list.push(Number(value >> 16n), Number(value & 0xffffn))
  return ""
}

export function parseRange(text: string): Range | AddressFault {
  const slash = text.lastIndexOf("/")
  if (slash < 0) return rangeFault(text, "no '/'")
  const address = parseAddress(text.slice(0, slash))
  if (address instanceof AddressFault) return rangeFault(text, address.message)
  if (address.zone !== "") return rangeFault(text, "IPv6 zones cannot be present in a prefix")
  const bits = text.slice(slash + 1)
  if (!/^(?:[0-9]|[1-9][0-9]{1,18})$/.test(bits)) return rangeFault(text, `bad bits after slash: ${quoted(bits)}`)
  if (Number(bits) > bitsOf(address)) return rangeFault(text, "prefix length out of range")
  return { address, bits: Number(bits) }
}

function rangeFault(text: string, reason: string): AddressFault {
  return new AddressFault(`netip.ParsePrefix(${quoted(text)}): ${reason}`)
}

/** True for `::ffff:1.2.3.4`, an IPv4 address in an IPv6 one. */
export function isMapped(address: Address): boolean {
  return address.family === 6 && address.value >> 32n === 0xffffn
}

/** The range's address with all free bits cleared. */
export function networkOf(range: Range): Address {
  const free = BigInt(bitsOf(range.address) - range.bits)
  return { ...range.address, value: (range.address.value >> free) << free }
}

export function containsAddress(range: Range, address: Address): boolean {
  if (range.address.family !== address.family) return false
  const free = BigInt(bitsOf(address) - range.bits)
  return range.address.value >> free === address.value >> free
}

export function sameAddress(one: Address, other: Address): boolean {
  return one.family === other.family && one.value === other.value && one.zone === other.zone
}

/** The canonical text: the longest run of zeros is `::`. */
export function addressText(address: Address): string {
  const { value } = address
  if (address.family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".")
  const groups = Array.from({ length: groupsMax }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn))
  const { start, length } = longestZeros(groups)
  const hex = groups.map((group) => group.toString(16))
  const text = length < 2 ? hex.join(":") : `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`
  return address.zone === "" ? text : `${text}%${address.zone}`
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start }
  }
  return best
}
