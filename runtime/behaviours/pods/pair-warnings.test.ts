/** Warnings about pairs of ports are found without comparing every pair, with the same result. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { ContainerPort } from "../../../generated/core/v1/shared/container/types.ts"
import { podSpecShape } from "../../../generated/core/v1/shared/pod-spec/shape.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { decoded, type Part } from "../../../test/support/decoded.ts"
import { podWarningsMax } from "../../base/limits.ts"
import { portWarnings } from "./container-warnings.ts"
import { visitedContainers } from "./fields.ts"

type Port = Required<Omit<ContainerPort, "name">>

const port: fc.Arbitrary<Port> = fc.record({
  containerPort: fc.constantFrom(1, 2),
  hostPort: fc.constantFrom(0, 1, 2),
  hostIP: fc.constantFrom("", "10.0.0.1", "10.0.0.2"),
  protocol: fc.constantFrom<Port["protocol"]>("TCP", "UDP"),
})

const withPorts = (ports: Part<ContainerPort>[]): PodSpec => decoded<PodSpec>(podSpecShape, { containers: [{ ports }] })

const written = ({ containerPort, hostIP, protocol }: Port): string =>
  `{Name: HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

const warnings = (ports: Part<ContainerPort>[]): string[] => portWarnings(visitedContainers(withPorts(ports)), "spec")

function portModel(ports: readonly Port[]): string[] {
  const at = (index: number): string => `spec.containers[0].ports[${index}]`
  return ports.flatMap((one, index) => [
    ...(one.hostIP !== "" && one.hostPort === 0 ? [`${at(index)}: hostIP set without hostPort: ${written(one)}`] : []),
    ...ports.slice(0, index).flatMap((other, before) => {
      if (one.containerPort !== other.containerPort || one.protocol !== other.protocol) return []
      const [samePort, sameIP] = [one.hostPort === other.hostPort, one.hostIP === other.hostIP]
      if (samePort && sameIP) return [`${at(index)}: duplicate port definition with ${at(before)}`]
      if (one.hostPort === 0 || other.hostPort === 0) return [`${at(index)}: overlapping port definition with ${at(before)}`]
      const isAmbiguous = samePort && (one.hostIP === "") !== (other.hostIP === "")
      return isAmbiguous ? [`${at(index)}: dangerously ambiguous port definition with ${at(before)}`] : []
    }),
  ])
}

test("ports conflict as if every pair were compared", () => {
  fc.assert(
    fc.property(fc.array(port, { maxLength: 12 }), (ports) => {
      expect(warnings(ports)).toEqual(portModel(ports))
    }),
  )
})

test("the number of warnings is limited", () => {
  const ports = Array.from({ length: 1000 }, () => ({ containerPort: 1 }))
  expect(warnings(ports)).toHaveLength(podWarningsMax)
})
