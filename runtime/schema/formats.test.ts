import { expect, test } from "vitest"
import { checkFormat, formatFaults, formatNames } from "./formats.ts"
import type { JsonValue } from "../base/json.ts"

const cases: Readonly<Record<string, { good: readonly JsonValue[]; bad: readonly JsonValue[] }>> = {
  "dns-label": { good: ["a", "a-1", "1a", "x".repeat(63)], bad: ["", "A", "-a", "a-", "a.b", "x".repeat(64), 5] },
  "dns-subdomain": { good: ["a.b", "a-1.b"], bad: ["", "a..b", "A.b", "a.-b", "x".repeat(254), "a_b"] },
  "optional-dns-label": { good: ["", "a-1"], bad: ["A", "a.b", "x".repeat(64), 5] },
  "optional-dns-subdomain": { good: ["", "a.b"], bad: ["a..b", "A.b", "x".repeat(254)] },
  "dns1035-label": { good: ["a1"], bad: ["1a", "a.b", ""] },
  "host-or-wildcard": { good: ["*.a.b", "a.b"], bad: ["*", "A", "*.*.a", "*a.b"] },
  "wildcard-subdomain": { good: ["*.a.b"], bad: ["*", "a.b", "*.*.a", "*a.b"] },
  "qualified-name": { good: ["a", "a.b/C_d", "A-1"], bad: ["", "/a", "a/", "a/b/c", "A.b/c", "_a", "x".repeat(64)] },
  "label-key": { good: ["example.com/x"], bad: ["a b"] },
  "label-value": { good: ["", "A.b_c-d"], bad: ["-", "a b", "x".repeat(64)] },
  "annotation-key": { good: ["UPPER.example.com/x"], bad: ["bad key"] },
  "port-number": { good: [1, 65535], bad: [0, 65536, 1.5, "80"] },
  "port-name": { good: ["http", "p-1"], bad: ["1", "a--b", "-a", "A", "x".repeat(16), ""] },
  "port-number-or-name": { good: [1, 65535, "http"], bad: [0, 65536, "1", "", "x".repeat(16)] },
  percent: { good: ["5%"], bad: ["5", "%", "-5%"] },
  "int-or-percent": { good: [0, "10%"], bad: [-1, "10", 1.5] },
  "http-header-name": { good: ["X-A"], bad: ["X A", ""] },
  "env-var-name": { good: ["A_b.c-d", "-x"], bad: ["1a", "a b", "..", ".", "..a"] },
  "c-identifier": { good: ["_a1"], bad: ["1a", "a-b"] },
  "data-key": { good: ["a.b", ".hidden", "_"], bad: ["", "a b", "..", ".", "..x", "x".repeat(254)] },
  "path-segment": { good: ["a b:c"], bad: [".", "..", "a/b", "a%b"] },
  "user-id": { good: [0, 2147483647], bad: [-1, 2147483648] },
  "group-id": { good: [0], bad: [-1] },
  ip: {
    good: ["1.2.3.4", "010.1.1.1", "::", "2001:db8::ffff", "::ffff:1.2.3.4"],
    bad: ["1.2.3", "1.2.3.256", "a", "1::2::3", "fe80::1%eth0", "12345::", ":1", "1:2:3:4:5:6:7:8:9", ""],
  },
  ipv4: { good: ["1.2.3.4", "::ffff:1.2.3.4"], bad: ["::1"] },
  ipv6: { good: ["::1", "1:2:3:4:5:6:7:8"], bad: ["1.2.3.4"] },
  "non-special-ip": {
    good: ["1.2.3.4", "2001::1"],
    bad: ["0.0.0.0", "::", "127.0.0.9", "::1", "169.254.1.1", "fe80::1", "224.0.0.1", "ff02::1", "x"],
  },
  "endpoint-ip": { good: ["1.2.3.4", "2001::1"], bad: ["", "x", "127.0.0.1", "::", "169.254.1.1", "ff02::1"] },
  cidr: { good: ["10.0.0.1/8", "2001:db8::/64", "::/0"], bad: ["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "/8"] },
  fqdn: { good: ["a.b", "a.b."], bad: ["a", "a..", "A.b"] },
  "fully-qualified-name": { good: ["a.b.c"], bad: ["a.b", "a.b.c."] },
  "domain-prefixed-path": { good: ["a.b/c/d"], bad: ["a", "a/", "/a", "A/b", "a/b c"] },
  "signer-name": { good: ["a.b/c"], bad: ["a/c", "a.b", "a.b/", "a.b/C"] },
  "sysctl-name": { good: ["net.ipv4.tcp_keepalive_time", "kernel/shm"], bad: ["net..x", "A", ""] },
  // Schemas state the length, which fails in words of its own: not every kind that names a driver has it.
  "csi-driver-name": { good: ["Driver.example.com", "x".repeat(64)], bad: ["a_b", "", "x".repeat(254)] },
  "file-mode": { good: [0, 511], bad: [512, -1, "0777"] },
  quantity: { good: ["1Gi", "-1", 5], bad: ["x", true] },
  "quantity-non-negative": { good: ["0", "1"], bad: ["-1m", "x"] },
  "quantity-positive": { good: ["1m", 5], bad: ["0", "-1", "x"] },
  cron5: {
    good: ["* * * * *", "*/5 0-23/2 1,15 jan-mar mon", "@hourly", "@every 1h30m", "0 0 * * ?"],
    bad: [
      "* * * *",
      "60 * * * *",
      "* * 0 * *",
      "5-1 * * * *",
      "*/0 * * * *",
      "@sometimes",
      "@every x",
      "TZ=UTC * * * * *",
      "a * * * *",
      "1/2/3 * * * *",
      "1-2-3 * * * *",
    ],
  },
  "iana-time-zone": { good: ["UTC", "Europe/Berlin"], bad: ["", "Local", "Mars/Base", "../UTC", "+01:00"] },
  "relative-path": { good: ["a/b", "..a"], bad: ["/a", "a/../b", ".."] },
  "local-data-path": { good: ["a/b"], bad: ["..a", "/a"] },
  "condition-reason": { good: ["Ready", "A,b:c_"], bad: ["1a", "a,", "", "x".repeat(1025)] },
  uuid: { good: ["123e4567-e89b-12d3-a456-426614174000"], bad: ["123e4567e89b12d3a456426614174000"] },
  uri: { good: ["https://a/b"], bad: ["a/b", ""] },
  base64: { good: ["", "aGk="], bad: ["aGk", "a b=", "===="] },
}

test("every format has a case", () => {
  expect(Object.keys(cases).sort()).toEqual(formatNames)
})

test.each(Object.entries(cases))("%s", (name, { good, bad }) => {
  for (const value of good) expect([value, checkFormat(name, value)]).toEqual([value, undefined])
  for (const value of bad) expect([value, formatFaults(name, value).length]).not.toEqual([value, 0])
})

test("says what would be valid, in the words that clients know", () => {
  expect(checkFormat("dns-label", "A")).toBe(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  )
  expect(formatFaults("dns-label", "A".repeat(64))).toHaveLength(2)
  expect(checkFormat("port-number", 0)).toBe("must be between 1 and 65535, inclusive")
})

test("an unknown name is an error of the caller", () => {
  expect(() => checkFormat("dns-lable", "a")).toThrow('unknown format "dns-lable"')
})
