import { expect, test } from "vitest"
import { serviceShape, serviceSpecShape } from "../../../generated/core/v1/service/shape.ts"
import type { Service, ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { faultsOf, type Part } from "../../../test/support/decoded.ts"
import type { Check } from "../../schema/validate.ts"
import { serviceBalancerClass as balancerClass } from "./service-balancer-class.ts"
import { serviceClusterAddresses as clusterAddresses } from "./service-cluster-addresses.ts"
import { serviceNodePorts as nodePorts } from "./service-node-ports.ts"
import { serviceSourceRanges as sourceRanges } from "./service-source-ranges.ts"

type Spec = Part<ServiceSpec>

function specFaults(check: Check<ServiceSpec>, spec: Spec, old?: Spec): string[] {
  return faultsOf(check, spec, { shape: serviceSpecShape, field: "spec", ...(old !== undefined && { old }) })
}

test("a node port may serve one port of each protocol", () => {
  const ports: Spec["ports"] = [
    { port: 80, protocol: "TCP", nodePort: 30000 },
    { port: 81, protocol: "UDP", nodePort: 30000 },
    { port: 82, protocol: "TCP", nodePort: 0 },
    { port: 83, protocol: "TCP", nodePort: 0 },
    { port: 84, protocol: "TCP", nodePort: 30000 },
  ]
  expect(specFaults(nodePorts, { type: "ClusterIP", ports })).toEqual(["Duplicate spec.ports[4].nodePort"])
  expect(specFaults(nodePorts, { type: "NodePort", ports })).toEqual(["Duplicate spec.ports[4].nodePort"])
  const one = { port: 80, protocol: "TCP" } as const
  const shared: Spec = { type: "NodePort", ports: [one, { ...one, nodePort: 30000 }] }
  expect(specFaults(nodePorts, shared)).toEqual(["Duplicate spec.ports[1].nodePort"])
  expect(specFaults(nodePorts, shared, {})).toEqual([])
  expect(specFaults(nodePorts, { type: "ClusterIP", ports }, {})).toEqual(["Duplicate spec.ports[4].nodePort"])
  expect(specFaults(nodePorts, { type: "NodePort", ports }, {})).toEqual(["Invalid spec.ports[4].nodePort"])
})

test("the class of a balancer is judged once more in an update, and that of another service is not looked into", () => {
  const [balancer, other]: Spec[] = [
    { type: "LoadBalancer", loadBalancerClass: "a b" },
    { type: "NodePort", loadBalancerClass: "a b" },
  ]
  expect(specFaults(balancerClass, balancer ?? {})).toEqual(["Invalid spec.loadBalancerClass"])
  expect(specFaults(balancerClass, balancer ?? {}, {})).toHaveLength(2)
  expect(specFaults(balancerClass, other ?? {})).toEqual(["Forbidden spec.loadBalancerClass"])
  expect(specFaults(balancerClass, other ?? {}, {})).toHaveLength(2)
})

test("an update keeps the first address and family, and may have one more or less", () => {
  const one: Spec = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }
  const two: Spec = { ...one, clusterIPs: ["10.0.0.1", "fd00::1"], ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" }
  const other: Spec = { ...one, clusterIP: "10.0.0.2", clusterIPs: ["10.0.0.2"] }
  expect(specFaults(clusterAddresses, two, one)).toEqual([])
  expect(specFaults(clusterAddresses, one, two)).toEqual([])
  expect(specFaults(clusterAddresses, other, one)).toEqual(["Invalid spec.clusterIPs[0]"])
  expect(specFaults(clusterAddresses, other, { type: "ExternalName" })).toEqual([])
})

test("source ranges come from the field or else the annotation, and only for load balancers", () => {
  const annotation = "service.beta.orch.io/load-balancer-source-ranges"
  const of = (type: NonNullable<ServiceSpec["type"]>, ranges: string[], text?: string): Part<Service> => ({
    metadata: text === undefined ? {} : { annotations: { [annotation]: text } },
    spec: { type, loadBalancerSourceRanges: ranges },
  })
  const faults = (service: Part<Service>) => faultsOf(sourceRanges, service, { shape: serviceShape })
  expect(faults(of("LoadBalancer", [" 10.0.0.0/8 "], "nonsense"))).toEqual([])
  expect(faults(of("LoadBalancer", ["10.0.0.0/8", "10.0.0.0"]))).toEqual(["Invalid spec.LoadBalancerSourceRanges[1]"])
  expect(faults(of("ClusterIP", ["10.0.0.0/8"]))).toEqual(["Forbidden spec.LoadBalancerSourceRanges"])
  expect(faults(of("LoadBalancer", [], "10.0.0.0/8, x"))).toEqual([`Invalid metadata.annotations[${annotation}]`])
  expect(faults(of("LoadBalancer", [], " "))).toEqual([])
  expect(faults(of("NodePort", [], "10.0.0.0/8"))).toEqual([`Forbidden metadata.annotations[${annotation}]`])
})
