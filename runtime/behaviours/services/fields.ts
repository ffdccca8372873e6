/** Facts about a service from its fields, and the order of the fields. */
import { serviceSpecShape } from "../../../generated/core/v1/service/shape.ts"
import type { JsonObject } from "../../base/json.ts"
import { put } from "../content/fields.ts"
import { typed } from "../../schema/typed.ts"
import type { Service, ServicePort, ServiceSpec } from "../../../generated/core/v1/service/types.ts"

/** The `clusterIP` of a service whose name resolves to its pods. */
export const headless = "None"

/** Everything that a service has allocated from the cluster's ranges. */
export interface Holdings {
  readonly addresses: readonly string[]
  /** Node ports and health check node port, as text. */
  readonly nodePorts: readonly string[]
}

/** Called for a stored service before it changes, and by the repair. */
export function holdingsOf(service: Service | undefined): Holdings {
  if (service === undefined) return { addresses: [], nodePorts: [] }
  const { spec } = service
  const ports = [...(spec.ports ?? []).map(({ nodePort = 0 }) => nodePort), spec.healthCheckNodePort ?? 0]
  const addresses = spec.type === "ExternalName" || isHeadless(spec) ? [] : (spec.clusterIPs ?? [])
  return { addresses, nodePorts: [...new Set(ports.filter((port) => port > 0).map(String))] }
}

export function isHeadless({ clusterIP, clusterIPs }: ServiceSpec): boolean {
  return clusterIPs?.[0] === headless || clusterIP === headless
}

/** NodePort and LoadBalancer services may have node ports. */
export function mayHaveNodePorts(spec: ServiceSpec): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer"
}

/** Services that get node ports: load balancers can do without. */
export function getsNodePorts(spec: ServiceSpec): boolean {
  return mayHaveNodePorts(spec) && (spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts !== false)
}

/** The first node port that is asked for at each port number. A new service has it at all ports of that number. */
export function askedNodePorts(ports: readonly ServicePort[]): ReadonlyMap<number, number> {
  const asked = new Map<number, number>()
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !asked.has(port)) asked.set(port, nodePort)
  return asked
}

/** A load balancer with traffic policy Local queries this port for the nodes that have pods. */
export function needsHealthCheckPort(spec: ServiceSpec): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local"
}

/** Whether the service is reachable from outside, so that its traffic policy matters. */
export function isExternal(spec: ServiceSpec): boolean {
  return mayHaveNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0)
}

/** Sets a list, or deletes the field when the list is empty. */
export function putList<Name extends "clusterIPs" | "ipFamilies">(
  spec: ServiceSpec,
  name: Name,
  values: NonNullable<ServiceSpec[Name]>,
): void {
  put(spec, name, values.length === 0 ? undefined : values)
}

/** The spec with its fields in the order of the schema, so that allocated fields are not at the end. */
export function inOrder(spec: ServiceSpec): ServiceSpec {
  const given: JsonObject = spec
  const placed: JsonObject = {}
  for (const { name } of serviceSpecShape.fields) if (given[name] !== undefined) placed[name] = given[name]
  return typed(placed)
}
