import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"
import { stringify } from "../../encoding/json/text.ts"
import { repackSubsets } from "./repack.ts"

const http: EndpointPort = { name: "http", port: 80, protocol: "TCP" }
const https: EndpointPort = { name: "https", port: 443, protocol: "TCP" }
const [a, b, c] = [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }, { ip: "192.0.2.3" }]

test("addresses with the same ports become one subset", () => {
  expect(
    repackSubsets([
      { addresses: [b], ports: [http] },
      { addresses: [a], ports: [http] },
    ]),
  ).toEqual([{ addresses: [a, b], ports: [http] }])
})

test("ports of the same addresses become one subset", () => {
  expect(
    repackSubsets([
      { addresses: [a], ports: [https] },
      { addresses: [a], ports: [http] },
    ]),
  ).toEqual([{ addresses: [a], ports: [http, https] }])
})

test("addresses with different ports stay separate", () => {
  const subsets = [
    { addresses: [a, b], ports: [http] },
    { addresses: [c], ports: [https] },
  ]
  expect(repackSubsets(subsets)).toEqual(subsets)
})

test("an address that is both ready and not ready is not ready", () => {
  expect(repackSubsets([{ addresses: [a, b], notReadyAddresses: [a], ports: [http] }])).toEqual([
    { addresses: [b], notReadyAddresses: [a], ports: [http] },
  ])
})

test("one address of two pods stays two entries", () => {
  const of = (uid: string): EndpointAddress => ({ ip: "192.0.2.1", targetRef: { kind: "Pod", uid } })
  expect(repackSubsets([{ addresses: [of("2"), of("1"), of("2")], ports: [http] }])).toEqual([
    { addresses: [of("1"), of("2")], ports: [http] },
  ])
})

test("addresses without ports are kept", () => {
  expect(repackSubsets([{ addresses: [b] }, { addresses: [a] }])).toEqual([{ addresses: [a, b] }])
})

const target = (uid: string): EndpointAddress => ({ ip: "192.0.2.1", targetRef: { kind: "Pod", uid } })
const address = fc.constantFrom<EndpointAddress>(a, b, c, target("1"), target("2"))
const port = fc.constantFrom<EndpointPort>(http, https, { name: "dns", port: 53, protocol: "UDP" })
const subset: fc.Arbitrary<EndpointSubset> = fc.record({
  addresses: fc.array(address),
  notReadyAddresses: fc.array(address),
  ports: fc.array(port),
})

/** The same address with different content: the first one is kept. */
const twin = fc.record({
  addresses: fc.array(fc.constantFrom({ ...a, hostname: "twin" }, { ...b, nodeName: "twin" })),
  ports: fc.array(port),
})

test("order and grouping of the input do not matter, and repacking twice changes nothing", () => {
  fc.assert(
    fc.property(fc.array(subset), fc.nat(), (subsets, turn) => {
      const packed = repackSubsets(subsets)
      const at = subsets.length === 0 ? 0 : turn % subsets.length
      expect(repackSubsets([...subsets.slice(at), ...subsets.slice(0, at)])).toEqual(packed)
      expect(repackSubsets(packed)).toEqual(packed)
    }),
  )
})

/**
 * The rule, implemented naively: collects the addresses of each port, then joins ports with the same addresses. Costs
 * ports times addresses.
 */
function model(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const identity = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ""}`
  const known = new Map<string, EndpointAddress>()
  const byPort = new Map<string, { port: EndpointPort | undefined; ready: Map<string, boolean> }>()
  for (const one of subsets) {
    const { ports = [] } = one
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const { ready } = mapEntry(byPort, stringify(port ?? null), () => ({ port, ready: new Map<string, boolean>() }))
      for (const [name, isReady] of [["addresses", true] as const, ["notReadyAddresses", false] as const])
        for (const item of one[name] ?? []) {
          mapEntry(known, identity(item), () => item)
          ready.set(identity(item), isReady && ready.get(identity(item)) !== false)
        }
    }
  }
  const groups = new Map<string, { ready: Map<string, boolean>; ports: EndpointPort[] }>()
  for (const { port, ready } of byPort.values()) {
    const key = [...ready]
      .map(([item, isReady]) => `${item} ${isReady}`)
      .sort()
      .join("\n")
    const { ports } = mapEntry(groups, key, () => ({ ready, ports: [] as EndpointPort[] }))
    if (port !== undefined) ports.push(port)
  }
  const made = [...groups.values()].map(({ ready, ports }) => {
    const pick = (wanted: boolean): EndpointAddress[] =>
      [...ready.keys()]
        .sort()
        .filter((item) => ready.get(item) === wanted)
        .flatMap((item) => known.get(item) ?? [])
    const [addresses, notReadyAddresses] = [pick(true), pick(false)]
    return {
      ...(addresses.length > 0 && { addresses }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
      ...(ports.length > 0 && { ports: ports.sort((left, right) => left.port - right.port) }),
    }
  })
  return made.sort((left, right) => (stringify(left) < stringify(right) ? -1 : 1))
}

function mapEntry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}

test("the result equals that of the naive rule", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(subset, twin), { maxLength: 6 }), (subsets) => {
      expect(repackSubsets(subsets)).toEqual(model(subsets))
    }),
    { numRuns: 500 },
  )
})

describe("many addresses with many ports", () => {
  const ports = (count: number): EndpointPort[] =>
    Array.from({ length: count }, (_, index) => ({ name: `p${index}`, port: index + 1, protocol: "TCP" }))
  const addresses = (count: number, seen: () => void): EndpointAddress[] =>
    Array.from({ length: count }, (_, index) => {
      const ip = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
      return {
        get ip() {
          seen()
          return ip
        },
      }
    })

  test("are read once, not once per port", () => {
    let reads = 0
    const subsets = [{ addresses: addresses(2000, () => reads++), ports: ports(1000) }]
    expect(repackSubsets(subsets)).toHaveLength(1)
    expect(reads).toBeLessThanOrEqual(2000)
  })
})
