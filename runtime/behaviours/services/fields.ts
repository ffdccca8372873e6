/** Accessors for the fields of services. */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { listOf, numberOf, textOf } from "../pods/fields.ts"

/** The `clusterIP` of a service whose name resolves to its pods. */
export const headless = "None"

/** Everything that a service has allocated from the cluster's ranges. */
export interface Holdings {
  readonly addresses: readonly string[]
  /** Node ports and health check node port, as text. */
  readonly nodePorts: readonly string[]
}

/** Called for a stored service before it changes, and by the repair. */
export function holdingsOf(service: ApiObject | undefined): Holdings {
  const spec = service?.spec
  const ports = [...listOf(spec, "ports").map((port) => numberOf(port, "nodePort") ?? 0), numberOf(spec, "healthCheckNodePort") ?? 0]
  const addresses = textOf(spec, "type") === "ExternalName" || isHeadless(spec) ? [] : textsOf(spec, "clusterIPs")
  return { addresses, nodePorts: [...new Set(ports.filter((port) => port > 0).map(String))] }
}

export function isHeadless(spec: JsonValue | undefined): boolean {
  return textsOf(spec, "clusterIPs")[0] === headless || textOf(spec, "clusterIP") === headless
}

/** NodePort and LoadBalancer services may have node ports. */
export function mayHaveNodePorts(spec: JsonObject): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer"
}

/** A load balancer with traffic policy Local queries this port for the nodes that have pods. */
export function needsHealthCheckPort(spec: JsonObject): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local"
}

/** Whether the service is reachable from outside, so that its traffic policy matters. */
export function isExternal(spec: JsonObject): boolean {
  return mayHaveNodePorts(spec) || (spec.type === "ClusterIP" && textsOf(spec, "externalIPs").length > 0)
}

/** The texts of a list field; none when it is absent. */
export function textsOf(of: JsonValue | undefined, name: string): readonly string[] {
  const list = isObject(of) ? of[name] : undefined
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === "string") : []
}

/** Sets a text, or deletes the field when the text is empty. */
export function putText(spec: JsonObject, name: string, value: string): void {
  if (value === "") delete spec[name]
  else spec[name] = value
}

/** Sets a list of texts, or deletes the field when the list is empty. */
export function putTexts(spec: JsonObject, name: string, values: readonly string[]): void {
  if (values.length === 0) delete spec[name]
  else spec[name] = [...values]
}

const order = [
  "ports",
  "selector",
  "clusterIP",
  "clusterIPs",
  "type",
  "externalIPs",
  "sessionAffinity",
  "loadBalancerIP",
  "loadBalancerSourceRanges",
  "externalName",
  "externalTrafficPolicy",
  "healthCheckNodePort",
  "publishNotReadyAddresses",
  "sessionAffinityConfig",
  "ipFamilies",
  "ipFamilyPolicy",
]

/** The spec with its fields in the order of the schema, so that allocated fields are not at the end. */
export function inOrder(spec: JsonObject): JsonObject {
  const placed: JsonObject = {}
  for (const name of order) if (spec[name] !== undefined) placed[name] = spec[name]
  return { ...placed, ...spec, ...placed }
}
