import { afterEach, expect, test } from "vitest"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { repackedAddressesMax } from "../base/limits.ts"

let opened: OpenRegistry | undefined
afterEach(() => opened?.close())

const addresses = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }))
const ports = (count: number): JsonObject[] => Array.from({ length: count }, (_, index) => ({ name: `p${index}`, port: index + 1 }))

/** Each port is also in a subset of its own, so no two ports have the same addresses. */
function endpoints(addressCount: number, portCount: number): ApiObject {
  const others = ports(portCount).map((port, index) => ({ addresses: [{ ip: `11.0.0.${index}` }], ports: [port] }))
  const subsets = [{ addresses: addresses(addressCount), ports: ports(portCount) }, ...others]
  return { metadata: { name: "e", namespace: "n" }, subsets }
}

test("5,000 addresses with fifty ports that are also in other subsets are accepted", async () => {
  opened = await openRegistry()
  const made = await opened.create("endpoints", endpoints(5000, 50), { dryRun: true })
  expect(made.subsets).toHaveLength(50)
})

test("5,000 addresses with a thousand ports in one subset are accepted", async () => {
  opened = await openRegistry()
  const subsets = [{ addresses: addresses(5000), ports: ports(1000) }]
  const made = await opened.create("endpoints", { metadata: { name: "e", namespace: "n" }, subsets }, { dryRun: true })
  expect(made.subsets).toHaveLength(1)
})

test("more addresses than the canonical form allows are refused with field, limit and value", async () => {
  opened = await openRegistry()
  const [addressCount, portCount] = [2000, 200]
  const error = opened.create("endpoints", endpoints(addressCount, portCount), { dryRun: true })
  await expect(error).rejects.toMatchObject({
    code: 422,
    message: expect.stringContaining(
      `subsets: Too many: ${portCount * (addressCount + 1)}: must have at most ${repackedAddressesMax} addresses`,
    ),
  })
})
