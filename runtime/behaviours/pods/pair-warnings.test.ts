/** Warnings about pairs of ports and of files are found without comparing every pair, with the same result. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { ContainerPort } from "../../../generated/core/v1/shared/container/types.ts"
import { podSpecShape } from "../../../generated/core/v1/shared/pod-spec/shape.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { VolumeProjection } from "../../../generated/core/v1/shared/volumes/types.ts"
import { decoded, type Part } from "../../../test/support/decoded.ts"
import { podWarningsMax } from "../../base/limits.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { containerWarnings } from "./container-warnings.ts"
import { volumeWarnings } from "./volume-warnings.ts"

type Port = Required<Omit<ContainerPort, "name">>

const port: fc.Arbitrary<Port> = fc.record({
  containerPort: fc.constantFrom(1, 2),
  hostPort: fc.constantFrom(0, 1),
  hostIP: fc.constantFrom("", "10.0.0.1", "10.0.0.2"),
  protocol: fc.constantFrom<Port["protocol"]>("TCP", "UDP"),
})

const withPorts = (ports: Part<ContainerPort>[]): PodSpec => decoded<PodSpec>(podSpecShape, { containers: [{ ports }] })

const written = ({ containerPort, hostIP, protocol }: Port): string =>
  `{Name: HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

function portModel(ports: readonly Port[]): string[] {
  const at = (index: number): string => `spec.containers[0].ports[${index}]`
  return ports.flatMap((one, index) => [
    ...(one.hostIP !== "" && one.hostPort === 0 ? [`${at(index)}: hostIP set without hostPort: ${written(one)}`] : []),
    ...ports.slice(0, index).flatMap((other, before) => {
      if (one.containerPort !== other.containerPort || one.protocol !== other.protocol || one.hostPort !== other.hostPort) return []
      if (one.hostIP === other.hostIP) return [`${at(index)}: duplicate port definition with ${at(before)}`]
      const overlap = one.hostPort !== 0 && (one.hostIP === "" || other.hostIP === "")
      return overlap ? [`${at(index)}: overlapping port definition with ${at(before)}`] : []
    }),
  ])
}

test("ports conflict as if every pair were compared", () => {
  fc.assert(
    fc.property(fc.array(port, { maxLength: 12 }), (ports) => {
      expect(containerWarnings(withPorts(ports), "spec")).toEqual(portModel(ports))
    }),
  )
})

interface File {
  readonly path: string
  readonly token: boolean
}

const path = fc.array(fc.constantFrom("a", "b", "", "a-"), { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
const files: fc.Arbitrary<File[]> = fc.uniqueArray(fc.record({ path, token: fc.boolean() }), {
  selector: (file) => file.path,
  maxLength: 8,
})
const sourceOf = ({ path: at, token }: File): Part<VolumeProjection> =>
  token ? { serviceAccountToken: { path: at } } : { secret: { items: [{ path: at }] } }
const volumes = (list: readonly File[]): PodSpec =>
  decoded<PodSpec>(podSpecShape, { volumes: [{ projected: { sources: list.map(sourceOf) } }] })

function fileModel(list: readonly File[]): string[] {
  const at = (index: number): string => `spec.volumes[0].projected.sources[${index}]`
  return list.flatMap((file, index) =>
    list.slice(0, index).flatMap((other, before) => {
      const overlaps = file.path.startsWith(`${other.path}/`) || other.path.startsWith(`${file.path}/`)
      return overlaps && (file.token || other.token)
        ? [`${at(index)}: overlapping path "${file.path}" with "${other.path}" of ${at(before)}`]
        : []
    }),
  )
}

test("files hide each other as if every pair were compared", () => {
  fc.assert(
    fc.property(files, (list) => {
      expect(volumeWarnings(volumes(list), "spec", vendorProfile("orch"))).toEqual(fileModel(list))
    }),
    { numRuns: 300 },
  )
})

test("the number of warnings is limited", () => {
  const ports = Array.from({ length: 1000 }, () => ({ containerPort: 1 }))
  expect(containerWarnings(withPorts(ports), "spec")).toHaveLength(podWarningsMax)
  const list = Array.from({ length: 1000 }, (_, index) => ({ path: index === 0 ? "a" : `a/${index}`, token: index === 0 }))
  expect(volumeWarnings(volumes(list), "spec", vendorProfile("orch"))).toHaveLength(podWarningsMax)
})
