import { expect, test } from "vitest"
import fc from "fast-check"
import { Bitmap } from "./bitmap.ts"
import { decodeAllocation, encodeAllocation } from "./range-allocation.ts"
import { type NumberRange, serviceRanges } from "./ranges.ts"

const nodePorts = { first: 30000, last: 32767 }

function addressRange(cidr: string): NumberRange {
  const [range] = serviceRanges({ "service-cluster-ip-range": [cidr], "service-node-port-range": nodePorts }).addresses.values()
  if (range === undefined) throw new Error("no range")
  return range
}

test.each([
  // Sizes and bands as the reference computes them: network and broadcast address are excluded; IPv6 has no broadcast.
  { cidr: "10.0.0.0/24", size: 254, band: 16, first: "10.0.0.1", last: "10.0.0.254" },
  { cidr: "10.0.3.7/22", size: 1022, band: 64, first: "10.0.0.1", last: "10.0.3.254" },
  { cidr: "10.0.0.0/12", size: 1_048_574, band: 256, first: "10.0.0.1", last: "10.15.255.254" },
  { cidr: "10.0.0.0/28", size: 14, band: 0, first: "10.0.0.1", last: "10.0.0.14" },
  { cidr: "fd00::/64", size: 65_536, band: 256, first: "fd00::1", last: "fd00::1:0" },
  { cidr: "2001:db8:0:1:1::/112", size: 65_535, band: 256, first: "2001:db8:0:1:1::1", last: "2001:db8:0:1:1::ffff" },
])("$cidr has $size addresses, $band of them in the band", ({ cidr, size, band, first, last }) => {
  const range = addressRange(cidr)
  expect([range.size, range.band]).toEqual([size, band])
  expect([range.valueAt(0), range.valueAt(size - 1)]).toEqual([first, last])
  expect([range.indexOf(first), range.indexOf(last)]).toEqual([0, size - 1])
})

test("a range is stored by its network address", () => {
  expect(addressRange("10.0.3.7/22").text).toBe("10.0.0.0/22")
})

test("network, broadcast and foreign addresses are outside", () => {
  const range = addressRange("10.0.0.0/24")
  for (const value of ["10.0.0.0", "10.0.0.255", "10.0.1.1", "9.255.255.255", "fd00::1", "None"])
    expect(range.indexOf(value)).toBeUndefined()
})

test("addresses are equal in any spelling", () => {
  expect(addressRange("fd00::/64").indexOf("FD00:0:0:0::2")).toBe(1)
})

test("node ports count from the first one", () => {
  const { nodePorts: range } = serviceRanges({ "service-cluster-ip-range": [], "service-node-port-range": nodePorts })
  expect(range).toMatchObject({ text: "30000-32767", size: 2768, band: 86, kept: 0 })
  expect([range.indexOf("30000"), range.indexOf("32767"), range.indexOf("29999"), range.indexOf("32768")]).toEqual([
    0,
    2767,
    undefined,
    undefined,
  ])
})

test.each([[["10.0.0.0/24", "10.1.0.0/24"]], [["nonsense"]], [["10.0.0.0/24", "fd00::/64", "10.1.0.0/24"]]])(
  "%j is refused at start",
  (serviceClusterIpRange) => {
    expect(() => serviceRanges({ "service-cluster-ip-range": serviceClusterIpRange, "service-node-port-range": nodePorts })).toThrow(
      "--service-cluster-ip-range",
    )
  },
)

test("a bitmap is a set of numbers, also after a round trip through the store", () => {
  const range = addressRange("10.0.0.0/24")
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: range.size - 1 })), (taken) => {
      const bitmap = new Bitmap(range.size)
      for (const index of taken) bitmap.add(index)
      const back = decodeAllocation(range, encodeAllocation(range, bitmap))
      const found = Array.from({ length: range.size }, (_, index) => index).filter((index) => back?.has(index))
      expect(found).toEqual([...taken].sort((left, right) => left - right))
    }),
  )
})

test("the value is the reference's: magic, envelope, and the bitmap as one big-endian number", () => {
  const range = addressRange("10.0.0.0/24")
  const bitmap = new Bitmap(range.size)
  for (const index of [0, 9]) bitmap.add(index)
  const value = encodeAllocation(range, bitmap)
  expect(value.subarray(0, 4).toString("latin1")).toBe("k8s\0")
  expect(value.includes("RangeAllocation")).toBe(true)
  const stored = Buffer.concat([Buffer.from([0x12, 11]), Buffer.from("10.0.0.0/24"), Buffer.from([0x1a, 2, 0b10, 0b1])])
  expect(value.includes(stored)).toBe(true)
})

test("a value of another range, or a damaged one, counts as absent", () => {
  const range = addressRange("10.0.0.0/24")
  const other = addressRange("10.1.0.0/24")
  expect(decodeAllocation(range, encodeAllocation(other, new Bitmap(other.size)))).toBeUndefined()
  expect(decodeAllocation(range, Buffer.from("{}"))).toBeUndefined()
})

test("the search for a free index starts at the start and wraps around", () => {
  const bitmap = new Bitmap(10)
  for (const index of [4, 5, 6, 7, 8, 9]) bitmap.add(index)
  expect(bitmap.firstFree({ from: 2, to: 10, start: 3 })).toBe(3)
  expect(bitmap.firstFree({ from: 2, to: 10, start: 5 })).toBe(2)
  expect(bitmap.firstFree({ from: 4, to: 10, start: 5 })).toBeUndefined()
})
