import { expect, test } from "vitest"
import { Failures } from "../../base/failure.ts"
import { typed } from "../../schema/typed.ts"
import type { ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { fillFamilies } from "./families.ts"
import type { IpFamily } from "./ranges.ts"

interface Given {
  clusterIP?: string
  clusterIPs?: string[]
  ipFamilies?: string[]
  ipFamilyPolicy?: string
  selector?: Record<string, string>
  type?: string
}

function filled(given: Given, old?: Given, cluster: readonly IpFamily[] = ["IPv4"]): unknown {
  const failures = new Failures()
  const spec = typed<ServiceSpec>({ type: "ClusterIP", ...given })
  fillFamilies(spec, { cluster, failures, ...(old !== undefined && { old: typed<ServiceSpec>({ type: "ClusterIP", ...old }) }) })
  return failures.empty ? (spec.ipFamilies ?? []) : failures.list.map(({ field, detail }) => `${field} ${detail}`)
}

const stored = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }
const [both, released] = [["IPv4", "IPv6"], "spec.ipFamilyPolicy must be 'SingleStack' to release the secondary"]

test("families that an update leaves out follow from its addresses", () => {
  expect(filled({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] }, stored)).toEqual(["IPv4"])
  const six = { clusterIP: "fd00::1", clusterIPs: ["fd00::1"] }
  expect(filled(six, stored)).toEqual(["spec.clusterIPs[0] IPv6 is not configured on this cluster"])
  expect(filled(six, stored, ["IPv4", "IPv6"])).toEqual(["IPv6"])
})

test("a second family is released with the policy of one, and never otherwise", () => {
  const free = { clusterIP: "None", clusterIPs: ["None"], ipFamilies: both, ipFamilyPolicy: "RequireDualStack" }
  expect(filled({ ...free, ipFamilies: ["IPv4"] }, free)).toEqual([`${released} IP family`])
  expect(filled({ ...free, ipFamilyPolicy: "SingleStack" }, free)).toEqual(["IPv4"])
  expect(filled({ ...free, ipFamilies: ["IPv6", "IPv4"] }, free)).toEqual(["IPv6", "IPv4"])
  const two = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "fd00::1"], ipFamilies: both, ipFamilyPolicy: "RequireDualStack" }
  expect(filled({ ...two, clusterIPs: ["10.0.0.1"] }, two, ["IPv4", "IPv6"])).toEqual([`${released} cluster IP`])
})

test("a wrong address hides what the cluster cannot give", () => {
  expect(filled({ clusterIP: "x", clusterIPs: ["x"], ipFamilies: ["IPv6"] })).toEqual([
    "spec.clusterIPs[0] must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
  ])
  expect(filled({ ipFamilies: ["IPv6"] })).toEqual(["spec.ipFamilies[0] not configured on this cluster"])
})
