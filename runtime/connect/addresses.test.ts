import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { ownAddressesMs } from "../base/limits.ts"
import { addressPolicy, checkAddress, resolveAllowedAddress } from "./addresses.ts"

const clock = createManualClock()
const policy = addressPolicy({ own: () => ["192.0.2.1", "2001:db8::1"], allowedCidrs: ["127.0.0.0/30", "fe80::/10"], clock })

test.each(["10.1.2.3", "8.8.8.8", "2001:db8::2", "127.0.0.1", "127.0.0.3", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a01:203"])(
  "%s may be reached",
  (address) => {
    expect(() => checkAddress(address, policy)).not.toThrow()
  },
)

test.each([
  ["127.0.0.4", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.9", "loopback"],
  ["64:ff9b::7f00:9", "loopback"],
  ["2002:a9fe:a9fe::1", "link-local"],
  ["169.254.169.254", "link-local"],
  ["0.0.0.0", "unspecified"],
  ["::", "unspecified"],
  ["0.1.2.3", "no network"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["ff02::1", "multicast"],
  ["fd00:ec2::254", "cloud"],
  ["fd20:ce::254", "cloud"],
  ["168.63.129.16", "cloud"],
  ["::ffff:168.63.129.16", "cloud"],
  ["100.100.100.200", "cloud"],
  ["64:ff9b::6464:64c8", "cloud"],
  ["64:ff9b:1::a01:203", "local gateway"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"],
  ["2002:7f00:1::", "loopback"],
  ["2002:c000:201::", "own"],
  ["2002:e000:1::", "multicast"],
  ["64:ff9b::", "unspecified"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::10.0.0.1", "IPv4-compatible"],
  ["::ffff:0:127.0.0.9", "loopback"],
  ["240.0.0.1", "reserved"],
  ["100::1", "discarded"],
  ["192.0.2.1", "own"],
  ["::ffff:192.0.2.1", "own"],
  ["2001:db8:0::1", "own"],
  ["node", "no address"],
])("%s is refused as %s", (address, why) => {
  expect(() => checkAddress(address, policy)).toThrow(why)
})

test("a name is allowed when all of its addresses are; its first address is dialled", async () => {
  expect(await resolveAllowedAddress("a", policy, async () => ["10.0.0.2", "10.0.0.1"])).toBe("10.0.0.2")
  await expect(resolveAllowedAddress("a", policy, async () => ["10.0.0.2", "::1"])).rejects.toThrow("loopback")
  await expect(resolveAllowedAddress("a", policy, async () => [])).rejects.toThrow("has no address")
})

test("every refused range can be allowed", () => {
  const open = addressPolicy({ own: () => ["192.0.2.1"], allowedCidrs: ["0.0.0.0/0", "::/0"], clock })
  for (const address of ["169.254.169.254", "fd00:ec2::254", "64:ff9b:1::1", "2001::1", "::1", "192.0.2.1", "ff02::1"])
    expect(() => checkAddress(address, open)).not.toThrow()
})

test("the machine's own addresses are refreshed while the server runs, but not for each request", () => {
  let addresses = ["192.0.2.1"]
  let asked = 0
  const own = (): readonly string[] => {
    asked++
    return addresses
  }
  const changing = addressPolicy({ own, allowedCidrs: [], clock })
  for (let times = 0; times < 100; times++) checkAddress("192.0.2.2", changing)
  expect(asked).toBe(1)
  addresses = ["192.0.2.2"]
  clock.advance(ownAddressesMs)
  expect(() => checkAddress("192.0.2.2", changing)).toThrow("own")
  expect(() => checkAddress("192.0.2.1", changing)).not.toThrow()
  expect(asked).toBe(2)
})
