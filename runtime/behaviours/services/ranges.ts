/**
 * The ranges from which services get cluster addresses and node ports. The lower band of each range is left to clients
 * that request a number, and used last otherwise (catalog resources.yaml: services; sizes and bands are the
 * reference's).
 */
import type { BehaviourOptions } from "../../schema/behaviour.ts"
import { type IpAddress, parseCidr, parseIp } from "../../base/ip-address.ts"

export type IpFamily = "IPv4" | "IPv6"

/** Numbers are texts (`10.0.0.1`, `30000`) in the interface and indexes from 0 internally. */
export interface NumberRange {
  /** Key below the store prefix. */
  readonly path: string
  /** Identifies the range beside its bitmap: `10.0.0.0/24`, `30000-32767`. */
  readonly text: string
  readonly size: number
  /** Indexes below this are preferred for requested numbers. */
  readonly band: number
  /** Indexes below this are allocated on request only. */
  readonly kept: number
  /** Undefined when the number is outside. */
  indexOf(value: string): number | undefined
  valueAt(index: number): string
}

export interface ServiceRanges {
  /** The primary family first. */
  readonly addresses: ReadonlyMap<IpFamily, NumberRange>
  readonly nodePorts: NumberRange
}

/**
 * Each allocation writes the whole bitmap, so only this many numbers of a larger range are used. The reference's
 * limits.
 */
const sizeMax: Readonly<Record<IpFamily, number>> = { IPv4: 2 ** 20, IPv6: 2 ** 16 }

/** Called once at start. Throws when an option is not a valid range. */
export function serviceRanges(options: BehaviourOptions): ServiceRanges {
  const addresses = new Map<IpFamily, NumberRange>()
  const paths = ["ranges/serviceips", "ranges/secondaryserviceips"]
  for (const [index, text] of options["service-cluster-ip-range"].entries()) {
    const path = paths[index]
    const range = parseCidr(text)
    if (path === undefined || range === undefined)
      throw new Error(
        `--service-cluster-ip-range takes one or two ranges such as 10.0.0.0/24, not ${options["service-cluster-ip-range"].join(",")}`,
      )
    const family = familyOf(range.address)
    if (addresses.has(family)) throw new Error("--service-cluster-ip-range takes at most one range of each address family")
    addresses.set(family, addressRange(path, { ...range, family }))
  }
  return { addresses, nodePorts: portRange(options["service-node-port-range"]) }
}

/** The family of an address, in the API's spelling. */
export function familyOf(address: IpAddress): IpFamily {
  return address.family === 4 ? "IPv4" : "IPv6"
}

/**
 * Network address and, for IPv4, broadcast address are never used; the first usable one belongs to the server's own
 * service.
 */
function addressRange(path: string, range: { address: IpAddress; prefixLength: number; family: IpFamily }): NumberRange {
  const { family, prefixLength } = range
  const bits = BigInt(family === "IPv4" ? 32 : 128)
  const all = 1n << (bits - BigInt(prefixLength))
  const network = numberOf(range.address) & ~(all - 1n)
  const usable = family === "IPv4" ? all - 2n : all - 1n
  const size = usable <= 0n ? 0 : Number(usable < BigInt(sizeMax[family]) ? usable : BigInt(sizeMax[family]))
  return {
    path,
    size,
    text: `${addressText(network, family)}/${prefixLength}`,
    band: bandOf(Number(all), { step: 16, max: 256 }),
    kept: Math.min(1, size),
    indexOf(value) {
      const address = parseIp(value)
      if (address === undefined || familyOf(address) !== family) return undefined
      const index = numberOf(address) - network - 1n
      return index >= 0n && index < BigInt(size) ? Number(index) : undefined
    },
    valueAt: (index) => addressText(network + 1n + BigInt(index), family),
  }
}

function portRange({ first, last }: { first: number; last: number }): NumberRange {
  const size = Math.max(0, last - first + 1)
  return {
    path: "ranges/servicenodeports",
    size,
    text: `${first}-${last}`,
    band: bandOf(size, { step: 32, max: 128 }),
    kept: 0,
    indexOf(value) {
      const port = Number(value)
      return port >= first && port <= last ? port - first : undefined
    },
    valueAt: (index) => String(first + index),
  }
}

const bandMin = 16

/** Small ranges have no band: little would be left beside it. */
function bandOf(size: number, { step, max }: { step: number; max: number }): number {
  return size <= bandMin ? 0 : Math.min(Math.max(bandMin, Math.floor(size / step)), max)
}

function numberOf(address: IpAddress): bigint {
  return address.bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
}

function addressText(value: bigint, family: IpFamily): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".")
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16))
  return shortened(groups)
}

/** RFC 5952: the first longest run of two or more zero groups becomes `::`. */
function shortened(groups: readonly string[]): string {
  let best = { start: 0, length: 1 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === "0") length++
    if (length > best.length) best = { start, length }
  }
  if (best.length < 2) return groups.join(":")
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`
}
