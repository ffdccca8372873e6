import { expect, test } from "vitest"
import { quobyteVolumeSourceShape } from "../../../generated/core/v1/shared/volume-drivers/shape.ts"
import type { QuobyteVolumeSource } from "../../../generated/core/v1/shared/volume-drivers/types.ts"
import { faultsOf, type Part } from "../../../test/support/decoded.ts"
import { quobyteRegistry } from "./quobyte-registry.ts"

const faults = (part: Part<QuobyteVolumeSource>) => faultsOf(quobyteRegistry, part, { shape: quobyteVolumeSourceShape })

test("each registry is a host and a port, and is reported for itself", () => {
  for (const registry of ["a:1", "a:1,b:2", "[::1]:1", "a:", ":", "[]:1"]) expect(faults({ registry }), registry).toEqual([])
  for (const registry of ["::1", "[::1]", "a", "a:1,", "a:b:c", "[a:1", "a]:1", "[[a]]:1", "[a]:[1]"])
    expect(faults({ registry }), registry).toEqual(["Invalid registry"])
  expect(faults({ registry: "a,b,c:1" })).toEqual(["Invalid registry", "Invalid registry"])
})

test("a tenant of more than 64 bytes hides the registries, and nothing is said of it without one", () => {
  expect(faults({ registry: "a", tenant: "é".repeat(33) })).toEqual(["Required tenant"])
  expect(faults({ registry: "a:1", tenant: "t".repeat(64) })).toEqual([])
  expect(faults({ tenant: "t".repeat(65) })).toEqual([])
})
