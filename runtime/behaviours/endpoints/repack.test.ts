import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonObject } from "../../kit/json.ts"
import { repackSubsets } from "./repack.ts"

const http = { name: "http", port: 80, protocol: "TCP" }
const https = { name: "https", port: 443, protocol: "TCP" }
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

test("addresses with other ports stay apart", () => {
  const subsets = [
    { addresses: [a, b], ports: [http] },
    { addresses: [c], ports: [https] },
  ]
  expect(repackSubsets(subsets)).toEqual(subsets)
})

test("an address that is ready and not ready is not ready", () => {
  expect(repackSubsets([{ addresses: [a, b], notReadyAddresses: [a], ports: [http] }])).toEqual([
    { addresses: [b], notReadyAddresses: [a], ports: [http] },
  ])
})

test("one address of two pods stays two", () => {
  const of = (uid: string): JsonObject => ({ ip: "192.0.2.1", targetRef: { kind: "Pod", uid } })
  expect(repackSubsets([{ addresses: [of("2"), of("1"), of("2")], ports: [http] }])).toEqual([
    { addresses: [of("1"), of("2")], ports: [http] },
  ])
})

test("addresses without ports are kept", () => {
  expect(repackSubsets([{ addresses: [b] }, { addresses: [a] }])).toEqual([{ addresses: [a, b] }])
})

const address = fc.constantFrom(a, b, c)
const port = fc.constantFrom(http, https, { name: "dns", port: 53, protocol: "UDP" })
const subset = fc.record({ addresses: fc.array(address), notReadyAddresses: fc.array(address), ports: fc.array(port) })

test("order and grouping of what was written do not matter, and doing it twice changes nothing", () => {
  fc.assert(
    fc.property(fc.array(subset), fc.nat(), (subsets, turn) => {
      const packed = repackSubsets(subsets)
      const at = subsets.length === 0 ? 0 : turn % subsets.length
      expect(repackSubsets([...subsets.slice(at), ...subsets.slice(0, at)])).toEqual(packed)
      expect(repackSubsets(packed)).toEqual(packed)
    }),
  )
})
