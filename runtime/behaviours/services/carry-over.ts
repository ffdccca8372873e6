/**
 * The fields that an update keeps from the stored service although the client omitted them, and the fields that it
 * drops although the client sent them back unchanged (catalog resources.yaml: services; defaults.yaml: Service update).
 */
import { deepEqual } from "../../encoding/field-path.ts"
import type { ServicePort, ServiceSpec } from "../../../generated/core/v1/service/types.ts"
import { put } from "../content/fields.ts"
import { getsNodePorts, isExternal, mayHaveNodePorts, needsHealthCheckPort } from "./fields.ts"

/** Called on create: a client may know only the single field. One that sets only the list is refused by validation. */
export function syncAddresses(spec: ServiceSpec): void {
  const { clusterIP: address = "", clusterIPs: addresses = [] } = spec
  if (address !== "" && addresses.length === 0) spec.clusterIPs = [address]
}

/** Called on update, before anything else reads the addresses. Changes `spec` only. */
export function carryOver(spec: ServiceSpec, old: ServiceSpec): void {
  if (hasAddress(spec) && hasAddress(old)) carryAddresses(spec, old)
  else syncAddresses(spec)
  if (getsNodePorts(spec) && getsNodePorts(old)) carryNodePorts(spec, old)
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && (spec.healthCheckNodePort ?? 0) === 0)
    put(spec, "healthCheckNodePort", old.healthCheckNodePort)
}

function carryAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.clusterIP === undefined) put(spec, "clusterIP", old.clusterIP)
  const { clusterIP: address, clusterIPs: addresses = [] } = spec
  if (addresses.length === 0) put(spec, "clusterIPs", old.clusterIPs)
  // A client that knows only the single field changed it.
  if (address !== undefined && address !== old.clusterIP && deepEqual(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = [address]
}

/** A port is the same when it has the same name or, if the name differs, the same protocol and number. */
function carryNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const [{ ports = [] }, { ports: before = [] }] = [spec, old]
  const byName = firstBy(before, ({ name = "" }) => name)
  const byKey = firstBy(before, portKey)
  // A client that gives the node port of one port to another wants a new one for the first.
  const given = new Set(ports.map(({ nodePort = 0 }) => nodePort))
  const used = new Set<number>()
  for (const port of ports) {
    if ((port.nodePort ?? 0) !== 0) continue
    const same = byName.get(port.name ?? "") ?? byKey.get(portKey(port))
    const nodePort = same?.nodePort ?? 0
    if (nodePort === 0 || given.has(nodePort)) continue
    // Only ports with the same number and different protocols may share a node port.
    if (used.has(nodePort) && same !== undefined && portKey(same) !== portKey(port)) continue
    port.nodePort = nodePort
    used.add(nodePort)
  }
}

/** The first port for each name, or for each result of `key`. */
function firstBy(ports: readonly ServicePort[], key: (port: ServicePort) => string): ReadonlyMap<string, ServicePort> {
  const first = new Map<string, ServicePort>()
  for (const port of ports) if (!first.has(key(port))) first.set(key(port), port)
  return first
}

/** Called on update after `carryOver`. Drops fields that the new type does not use and the client did not change. */
export function dropUnneeded(spec: ServiceSpec, old: ServiceSpec): void {
  const dropped = (name: keyof ServiceSpec): boolean => deepEqual(spec[name], old[name])
  if (hasAddress(old) && !hasAddress(spec)) {
    if (dropped("clusterIP") && dropped("clusterIPs")) for (const name of ["clusterIP", "clusterIPs"] as const) delete spec[name]
    for (const name of ["ipFamilies", "ipFamilyPolicy"] as const) if (dropped(name)) delete spec[name]
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec) && sameNodePorts(spec, old))
    for (const port of spec.ports ?? []) delete port.nodePort
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && dropped("healthCheckNodePort")) delete spec.healthCheckNodePort
  if (isExternal(old) && !isExternal(spec) && dropped("externalTrafficPolicy")) delete spec.externalTrafficPolicy
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    for (const name of ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const) if (dropped(name)) delete spec[name]
  }
}

/**
 * Called on each write. An alias of another host has no such policy: the reference stores a valid one and never shows
 * it.
 */
export function dropInternalPolicy(spec: ServiceSpec): void {
  const { type, internalTrafficPolicy: policy } = spec
  if (type === "ExternalName" && (policy === "Cluster" || policy === "Local")) delete spec.internalTrafficPolicy
}

function hasAddress(spec: ServiceSpec): boolean {
  return spec.type !== "ExternalName"
}

function sameNodePorts(spec: ServiceSpec, old: ServiceSpec): boolean {
  const ports = (of: ServiceSpec): string => [...new Set(of.ports?.map(({ nodePort = 0 }) => nodePort))].sort().join(",")
  return ports(spec) === ports(old)
}

function portKey({ protocol, port }: ServicePort): string {
  return `${protocol ?? ""}/${port}`
}
