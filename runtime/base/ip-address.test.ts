/** Strict readers of addresses, by kube-apiserver 1.30's answers to the load balancer address of a service. */
import { expect, test } from "vitest"
import { strictIpFault } from "./ip-address.ts"

test.each([
  ["2001:db8::/32", `each colon-separated field must have at least one digit (at "/32")`],
  ["2001:db8:::1", `each colon-separated field must have at least one digit (at ":1")`],
  ["1::2::3", `multiple :: in address (at ":3")`],
  ["12345::", `each group must have 4 or less digits (at "12345::")`],
  ["1:2:3", "address string too short"],
  ["1:2:3:4:5:6:7:8:9", `trailing garbage after address (at "9")`],
  ["1:2:3:4::5:6:7:8", "the :: must expand to at least one field of zeros"],
  ["1:2:", `colon must be followed by more characters (at ":")`],
  ["1:2 ::", `unexpected character, want colon (at " ::")`],
  ["1:1.2.3.4", `embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")`],
  ["::1.2.3", "IPv4 address too short"],
  ["1::%", "zone must be a non-empty string"],
])("%s", (address, fault) => {
  expect(strictIpFault(address)).toBe(`ParseAddr(${JSON.stringify(address)}): ${fault}`)
})

test.each(["::", "::1", "1::", "fd00::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "fe80::1%eth0", "10.0.0.1"])(
  "%s is taken",
  (address) => {
    expect(strictIpFault(address)).toBeUndefined()
  },
)
