import { expect, test } from "vitest"
import { sourceAddresses } from "./source-addresses.ts"

function addressesOf(headers: Readonly<Record<string, string>>, remoteAddress: string | undefined): unknown {
  // The test needs only these parts of an audited request.
  const incoming = { headers, socket: { remoteAddress } } as unknown as Parameters<typeof sourceAddresses>[0]
  const { json, first } = sourceAddresses(incoming)
  const list: unknown = JSON.parse(json)
  return { list, first }
}

const forwarded = (text: string, more: Readonly<Record<string, string>> = {}) => ({ "x-forwarded-for": text, ...more })

test.each<[string, Readonly<Record<string, string>>, string | undefined, string[]]>([
  ["the connection alone", {}, "10.0.0.9", ["10.0.0.9"]],
  ["a connection of both families", {}, "::ffff:10.0.0.9", ["10.0.0.9"]],
  ["no connection any more", {}, undefined, []],
  ["claims, then the connection", forwarded("10.0.0.1, fd00::1"), "10.0.0.9", ["10.0.0.1", "fd00::1", "10.0.0.9"]],
  ["a proxy that names itself last", forwarded("10.0.0.1, 10.0.0.9"), "10.0.0.9", ["10.0.0.1", "10.0.0.9"]],
  ["a claim of the connection's address before others", forwarded("10.0.0.9, 10.0.0.1"), "10.0.0.9", ["10.0.0.9", "10.0.0.1", "10.0.0.9"]],
  [
    "the real address behind the claims",
    forwarded("10.0.0.1", { "x-real-ip": "10.0.0.2" }),
    "10.0.0.9",
    ["10.0.0.1", "10.0.0.2", "10.0.0.9"],
  ],
  [
    "a real address that was claimed",
    forwarded("10.0.0.2, 10.0.0.1", { "x-real-ip": "10.0.0.2" }),
    "10.0.0.9",
    ["10.0.0.2", "10.0.0.1", "10.0.0.9"],
  ],
  ["what is no address", forwarded("unknown, , 10.0.0.1, 10.0.0"), "10.0.0.9", ["10.0.0.1", "10.0.0.9"]],
])("%s", (_what, headers, remote, list) => {
  expect(addressesOf(headers, remote)).toEqual({ list, first: list[0] ?? "" })
})
