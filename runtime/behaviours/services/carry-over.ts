/**
 * The fields that an update keeps from the stored service although the client omitted them, and those that it drops
 * although the client sent them back unchanged (catalog resources.yaml: services; defaults.yaml: Service update).
 */
import { deepEqual } from "../../encoding/field-path.ts"
import type { JsonObject } from "../../base/json.ts"
import { listOf, numberOf, textOf } from "../pods/fields.ts"
import { isExternal, mayHaveNodePorts, needsHealthCheckPort, putText, putTexts, textsOf } from "./fields.ts"

/** Called on create: a client may set either spelling. */
export function syncAddresses(spec: JsonObject): void {
  const [address, addresses] = [textOf(spec, "clusterIP"), textsOf(spec, "clusterIPs")]
  if (address !== "" && addresses.length === 0) spec.clusterIPs = [address]
  else if (address === "") putText(spec, "clusterIP", addresses[0] ?? "")
}

/** Called on update, before anything else reads the addresses. Changes `spec` only. */
export function carryOver(spec: JsonObject, old: JsonObject): void {
  if (hasAddress(spec) && hasAddress(old)) carryAddresses(spec, old)
  else syncAddresses(spec)
  if (mayHaveNodePorts(spec) && mayHaveNodePorts(old)) carryNodePorts(spec, old)
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && (numberOf(spec, "healthCheckNodePort") ?? 0) === 0)
    put(spec, "healthCheckNodePort", old.healthCheckNodePort)
}

function carryAddresses(spec: JsonObject, old: JsonObject): void {
  if (textOf(spec, "clusterIP") === "") putText(spec, "clusterIP", textOf(old, "clusterIP"))
  const [address, before] = [textOf(spec, "clusterIP"), textsOf(old, "clusterIPs")]
  if (textsOf(spec, "clusterIPs").length === 0 && address === textOf(old, "clusterIP")) putTexts(spec, "clusterIPs", before)
  // A client that knows only the single field changed it.
  else if (address !== textOf(old, "clusterIP") && deepEqual(spec.clusterIPs, old.clusterIPs)) putTexts(spec, "clusterIPs", [address])
  for (const name of ["ipFamilies", "ipFamilyPolicy"]) if (spec[name] === undefined) put(spec, name, old[name])
  if (spec.ipFamilyPolicy === "SingleStack") for (const name of ["clusterIPs", "ipFamilies"]) dropSecond(spec, old, name)
}

/** A client that returns to one family need not remove the second address itself. */
function dropSecond(spec: JsonObject, old: JsonObject, name: string): void {
  const values = textsOf(spec, name)
  if (values.length === 2 && deepEqual([...values], [...textsOf(old, name)])) putTexts(spec, name, values.slice(0, 1))
}

/** A port is the same when it has the same name or, if the name differs, the same protocol and number. */
function carryNodePorts(spec: JsonObject, old: JsonObject): void {
  const [ports, before] = [listOf(spec, "ports"), listOf(old, "ports")]
  const byName = firstBy(before, (port) => textOf(port, "name"))
  const byKey = firstBy(before, portKey)
  const used = new Set(ports.map((port) => numberOf(port, "nodePort") ?? 0))
  for (const port of ports) {
    if ((numberOf(port, "nodePort") ?? 0) !== 0) continue
    const same = byName.get(textOf(port, "name")) ?? byKey.get(portKey(port))
    const nodePort = numberOf(same, "nodePort") ?? 0
    // Only ports with the same number and different protocols may share a node port.
    if (nodePort === 0 || (used.has(nodePort) && portKey(same) !== portKey(port))) continue
    port.nodePort = nodePort
    used.add(nodePort)
  }
}

/** The first port for each name, or for each result of `key`. */
function firstBy(ports: readonly JsonObject[], key: (port: JsonObject) => string): ReadonlyMap<string, JsonObject> {
  const first = new Map<string, JsonObject>()
  for (const port of ports) if (!first.has(key(port))) first.set(key(port), port)
  return first
}

/** Called on update after `carryOver`. Drops fields that the new type does not use and the client did not change. */
export function dropUnneeded(spec: JsonObject, old: JsonObject): void {
  const dropped = (name: string): boolean => deepEqual(spec[name], old[name])
  if (hasAddress(old) && !hasAddress(spec)) {
    if (dropped("clusterIP") && dropped("clusterIPs")) for (const name of ["clusterIP", "clusterIPs"]) delete spec[name]
    for (const name of ["ipFamilies", "ipFamilyPolicy"]) if (dropped(name)) delete spec[name]
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec) && sameNodePorts(spec, old))
    for (const port of listOf(spec, "ports")) delete port.nodePort
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && dropped("healthCheckNodePort")) delete spec.healthCheckNodePort
  if (isExternal(old) && !isExternal(spec) && dropped("externalTrafficPolicy")) delete spec.externalTrafficPolicy
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    for (const name of ["allocateLoadBalancerNodePorts", "loadBalancerClass"]) if (dropped(name)) delete spec[name]
  }
}

function hasAddress(spec: JsonObject): boolean {
  return spec.type !== "ExternalName"
}

function sameNodePorts(spec: JsonObject, old: JsonObject): boolean {
  const ports = (of: JsonObject): string =>
    [...new Set(listOf(of, "ports").map((port) => numberOf(port, "nodePort") ?? 0))].sort().join(",")
  return ports(spec) === ports(old)
}

function portKey(port: JsonObject | undefined): string {
  return `${textOf(port, "protocol")}/${numberOf(port, "port") ?? 0}`
}

function put(spec: JsonObject, name: string, value: JsonObject[string]): void {
  if (value === undefined) delete spec[name]
  else spec[name] = value
}
