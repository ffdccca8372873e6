import { expect, test } from "vitest"
import { addressPolicy, checkAddress, dialledAddress } from "./addresses.ts"

const policy = addressPolicy({ own: ["192.0.2.1", "2001:db8::1"], allowedCidrs: ["127.0.0.0/30", "fe80::/10"] })

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
  ["192.0.2.1", "own"],
  ["::ffff:192.0.2.1", "own"],
  ["2001:db8:0::1", "own"],
  ["node", "no address"],
])("%s is refused as %s", (address, why) => {
  expect(() => checkAddress(address, policy)).toThrow(why)
})

test("a name is good when all of its addresses are, and its first is dialled", async () => {
  expect(await dialledAddress("a", policy, async () => ["10.0.0.2", "10.0.0.1"])).toBe("10.0.0.2")
  await expect(dialledAddress("a", policy, async () => ["10.0.0.2", "::1"])).rejects.toThrow("loopback")
  await expect(dialledAddress("a", policy, async () => [])).rejects.toThrow("has no address")
})
