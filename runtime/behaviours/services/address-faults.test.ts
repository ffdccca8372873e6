import { expect, test } from "vitest"
import { Failures } from "../../base/failure.ts"
import { typed } from "../../schema/typed.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { addressFaults } from "./address-faults.ts"

function faultsOf(spec: { clusterIP?: string; clusterIPs?: string[]; ipFamilies?: string[]; ipFamilyPolicy?: string }): string[] {
  const failures = new Failures()
  addressFaults(typed<ServiceSpec>(spec), failures)
  return failures.list.map(({ type, field }) => `${type} ${field}`)
}

test("clusterIP and clusterIPs must agree", () => {
  expect(faultsOf({})).toEqual([])
  expect(faultsOf({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] })).toEqual([])
  expect(faultsOf({ clusterIP: "10.0.0.1" })).toEqual(["Required spec.clusterIPs"])
  expect(faultsOf({ clusterIPs: ["10.0.0.1"] })).toEqual(["Invalid spec.clusterIPs"])
  expect(faultsOf({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.2"] })).toEqual(["Invalid spec.clusterIPs"])
})

test("addresses are one of each family, or None alone", () => {
  const of = (...clusterIPs: string[]) => ({ clusterIP: clusterIPs[0] ?? "", clusterIPs })
  expect(faultsOf(of("None"))).toEqual([])
  expect(faultsOf({ ...of("None"), ipFamilies: ["IPv6"] })).toEqual([])
  expect(faultsOf(of("None", "10.0.0.1"))).toEqual(["Invalid spec.clusterIPs"])
  expect(faultsOf(of("10.0.0.1", "None"))).toEqual(["Invalid spec.clusterIPs[1]"])
  expect(faultsOf(of("10.0.0.1", "fd00::1"))).toEqual([])
  expect(faultsOf(of("10.0.0.1", "10.0.0.2"))).toEqual(["Invalid spec.clusterIPs"])
  expect(faultsOf(of("10.0.0.1", "fd00::1", "10.0.0.2"))).toEqual(["Invalid spec.clusterIPs"])
  expect(faultsOf({ ...of("10.0.0.1"), ipFamilies: ["IPv6"] })).toEqual(["Invalid spec.clusterIPs[0]"])
})

test("families and policies have names, and a family comes once", () => {
  expect(faultsOf({ ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "SingleStack" })).toEqual([])
  expect(faultsOf({ ipFamilies: ["IPv4", "IPv4", "x"] })).toEqual(["Duplicate spec.ipFamilies[1]", "NotSupported spec.ipFamilies[2]"])
  expect(faultsOf({ ipFamilyPolicy: "" })).toEqual(["NotSupported spec.ipFamilyPolicy"])
})
