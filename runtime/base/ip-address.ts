/**
 * IP addresses and ranges as the API reads them: IPv4 octets may have leading zeros (old stored objects do), IPv6 may
 * end in an IPv4 part, zones are refused. An IPv4-mapped IPv6 address counts as IPv4, as in the reference server.
 */

export interface IpAddress {
  readonly family: 4 | 6
  /** 4 or 16 bytes, each 0 to 255. */
  readonly bytes: readonly number[]
}

export interface IpRange {
  readonly address: IpAddress
  /** Leading bits that are fixed: 0 to 32 or 0 to 128. */
  readonly prefixLength: number
}

/** Parses an address; undefined when the text is not one. Called by formats, expressions and address allocation. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(":")) {
    const bytes = ipv4Bytes(text)
    return bytes === undefined ? undefined : { family: 4, bytes }
  }
  const bytes = ipv6Bytes(text)
  if (bytes === undefined) return undefined
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return mapped ? { family: 4, bytes: bytes.slice(12) } : { family: 6, bytes }
}

/** Parses `address/bits`; host bits may be set. Undefined when the text is not a range. */
export function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf("/")
  if (slash < 0) return undefined
  const address = parseIp(text.slice(0, slash))
  const bits = text.slice(slash + 1)
  if (address === undefined || !/^[0-9]{1,3}$/.test(bits)) return undefined
  const written = text.slice(0, slash).includes(":") ? 128 : 32
  if (Number(bits) > written) return undefined
  const prefixLength = written === 128 && address.family === 4 ? Number(bits) - 96 : Number(bits)
  return prefixLength < 0 ? undefined : { address, prefixLength }
}

/** Says why an address cannot be an endpoint or an external IP, in the words of the API; empty when it can. */
export function specialIpFaults(address: IpAddress): string[] {
  const [first = 0, second = 0, third = 0] = address.bytes
  const zeros = (bytes: readonly number[]): boolean => bytes.every((byte) => byte === 0)
  const four = address.family === 4
  if (zeros(address.bytes)) return [`may not be unspecified (${four ? "0.0.0.0" : "::"})`]
  if (four ? first === 127 : zeros(address.bytes.slice(0, 15)) && address.bytes[15] === 1) {
    return ["may not be in the loopback range (127.0.0.0/8, ::1/128)"]
  }
  if (four ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    return ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"]
  }
  if (four ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 0x02) {
    return ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]
  }
  return []
}

function ipv4Bytes(text: string): number[] | undefined {
  if (text.length > 64) return undefined
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part))) return undefined
  const bytes = parts.map(Number)
  return bytes.every((byte) => byte <= 255) ? bytes : undefined
}

function ipv6Bytes(text: string): number[] | undefined {
  if (text.length > 64) return undefined
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const head = groupBytes(halves[0] ?? "", halves.length === 1)
  const tail = halves.length === 1 ? [] : groupBytes(halves[1] ?? "", true)
  if (head === undefined || tail === undefined) return undefined
  const missing = 16 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

/** `last`: the final group may be an IPv4 address. */
function groupBytes(text: string, last: boolean): number[] | undefined {
  if (text === "") return []
  const groups = text.split(":")
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    if (last && index === groups.length - 1 && group.includes(".")) {
      const four = ipv4Bytes(group)
      if (four === undefined) return undefined
      bytes.push(...four)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 255)
    }
  }
  return bytes
}

/**
 * Says why strict readers, such as the parser of Go's package netip, refuse an address that this server takes;
 * undefined when they take it. Called for warnings.
 */
export function strictIpFault(text: string): string | undefined {
  const failed = (why: string, at = ""): string =>
    `ParseAddr(${JSON.stringify(text)}): ${why}${at === "" ? "" : ` (at ${JSON.stringify(at)})`}`
  const first = /[.:%]/.exec(text)?.[0]
  if (first === undefined) return failed("unable to parse IP")
  if (first === "%") return failed("missing IPv6 address")
  const found = first === ":" ? strictIpv6Fault(text) : strictIpv4Fault(text)
  return found === undefined ? undefined : failed(found.why, found.at)
}

/** A fault, and the rest of the text from there. */
interface StrictFault {
  readonly why: string
  readonly at?: string
}

/** `text` may be the end of an IPv6 address. */
function strictIpv4Fault(text: string): StrictFault | undefined {
  let [value, digits, dots] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (character >= "0" && character <= "9") {
      if (digits === 1 && value === 0) return { why: "IPv4 field has octet with leading zero" }
      value = value * 10 + Number(character)
      digits++
      if (value > 255) return { why: "IPv4 field has value >255" }
    } else if (character === ".") {
      if (digits === 0 || at === text.length - 1) return { why: "IPv4 field must have at least one digit", at: text.slice(at) }
      if (dots === 3) return { why: "IPv4 address too long" }
      dots++
      value = digits = 0
    } else return { why: "unexpected character", at: text.slice(at) }
  }
  return dots < 3 ? { why: "IPv4 address too short" } : undefined
}

const ipv6Fields = 8

/** Reads field by field, as the parser of netip does, so that both name the same first fault. */
function strictIpv6Fault(text: string): StrictFault | undefined {
  const percent = text.indexOf("%")
  if (percent === text.length - 1) return { why: "zone must be a non-empty string" }
  let rest = percent < 0 ? text : text.slice(0, percent)
  let hasEllipsis = rest.startsWith("::")
  if (hasEllipsis) rest = rest.slice(2)
  let fields = 0
  // Bounded: at most eight fields.
  while (fields < ipv6Fields && !(hasEllipsis && rest === "")) {
    const digits = /^[0-9a-fA-F]*/.exec(rest.slice(0, 5))?.[0].length ?? 0
    if (digits > 4) return { why: "each group must have 4 or less digits", at: rest }
    if (digits === 0) return { why: "each colon-separated field must have at least one digit", at: rest }
    if (rest[digits] === ".") {
      if (!hasEllipsis && fields !== 6) return { why: "embedded IPv4 address must replace the final 2 fields of the address", at: rest }
      if (fields > 6) return { why: "too many hex fields to fit an embedded IPv4 at the end of the address", at: rest }
      const fault = strictIpv4Fault(rest)
      if (fault !== undefined) return fault
      rest = ""
      fields += 2
      break
    }
    fields++
    rest = rest.slice(digits)
    if (rest === "") break
    if (!rest.startsWith(":")) return { why: "unexpected character, want colon", at: rest }
    if (rest === ":") return { why: "colon must be followed by more characters", at: rest }
    rest = rest.slice(1)
    if (!rest.startsWith(":")) continue
    if (hasEllipsis) return { why: "multiple :: in address", at: rest }
    hasEllipsis = true
    rest = rest.slice(1)
  }
  if (rest !== "") return { why: "trailing garbage after address", at: rest }
  if (fields < ipv6Fields) return hasEllipsis ? undefined : { why: "address string too short" }
  return hasEllipsis ? { why: "the :: must expand to at least one field of zeros" } : undefined
}

/** Returns an IPv6 address as RFC 5952 writes it; undefined for other texts. */
export function canonicalIpv6(text: string): string | undefined {
  const bytes = text.includes(":") ? ipv6Bytes(text) : undefined
  if (bytes === undefined) return undefined
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255) return `::ffff:${bytes.slice(12).join(".")}`
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0))
  const [start, length] = longestZeros(groups)
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":")
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

/** Start and length of the first of the longest runs of zeros. */
function longestZeros(groups: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [0, 0]
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best[1]) best = [start, length]
  }
  return best
}
