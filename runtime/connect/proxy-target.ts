/**
 * Resolves a proxy path to a machine: a pod by its address, a service by one of its endpoints, a node by its agent's
 * host.
 */
import { ApiError, badRequest, unavailable } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { endpointPodsMax } from "../base/limits.ts"
import { cut } from "../base/quote.ts"
import type { Random } from "../base/random.ts"
import type { Target } from "./dialer.ts"
import { agentAddress, type AgentSettings } from "./node-agent.ts"
import { listIn, numberIn, type ObjectReader, textIn } from "./objects.ts"
import { parseSchemeNamePort, type SchemeNamePort } from "./resource-name.ts"

export interface ProxyRequest {
  readonly resource: "nodes" | "pods" | "services"
  readonly namespace: string
  /** As written in the path: `[scheme:]name[:port]`. */
  readonly name: string
}

/** Dependencies of finding a service's endpoint. */
export interface EndpointContext {
  readonly read: ObjectReader
  readonly random: Random
}

export interface ProxyContext extends EndpointContext {
  readonly agent: AgentSettings
}

/**
 * Returns the target without its path. Throws 400 for a bad name, 404, and 503 when a service has no usable endpoint.
 */
export async function proxyTarget(request: ProxyRequest, context: ProxyContext): Promise<Omit<Target, "path">> {
  const parsed = parseSchemeNamePort(request.name)
  const singular = request.resource.slice(0, -1)
  if (parsed === undefined)
    throw badRequest(
      `invalid ${singular} request ${JSON.stringify(cut(request.name))}: write name, name:port, or http:name:port or https:name:port`,
    )
  switch (request.resource) {
    case "nodes":
      return ofNode(parsed, context)
    case "pods":
      return ofPod(parsed, request.namespace, context)
    case "services":
      return ofService(parsed, request, context)
  }
}

async function ofNode({ scheme, name, port }: SchemeNamePort, { read, agent }: ProxyContext): Promise<Omit<Target, "path">> {
  const address = agentAddress(await read("nodes", name, ""), agent)
  if (port === "" || port === String(address.port)) return { scheme: "https", ...address, trust: "agent", timeoutMs: agent.timeoutMs }
  return { scheme: schemeOf(scheme), host: address.host, port: portNumber(port), trust: "other" }
}

async function ofPod({ scheme, name, port }: SchemeNamePort, namespace: string, { read }: ProxyContext): Promise<Omit<Target, "path">> {
  const pod = await read("pods", name, namespace)
  const declared = listIn(pod.spec, "containers").flatMap((container) => listIn(container, "ports").slice(0, 1))
  const [first] = declared
  const host = textIn(listIn(pod.status, "podIPs")[0], "ip")
  if (host === "") throw badRequest(`address not allowed: pod ${name} has no address yet`)
  const standard = scheme === "https" ? 443 : 80
  const own = first === undefined ? standard : numberIn(first, "containerPort")
  return { scheme: schemeOf(scheme), host, port: port === "" ? own : portNumber(port), trust: "other" }
}

/**
 * Returns an endpoint of a service, for a caller that speaks TLS to it. Throws 404 for a service that does not exist,
 * and 503 when none of its endpoints is usable.
 */
export async function serviceEndpoint(
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
  context: EndpointContext,
): Promise<Pick<Target, "host" | "port">> {
  return ofService({ scheme: "https", name, port: String(port) }, { resource: "services", namespace, name }, context)
}

async function ofService(parsed: SchemeNamePort, request: ProxyRequest, context: EndpointContext): Promise<Omit<Target, "path">> {
  const { read } = context
  const { namespace } = request
  const portName = /^[+-]?[0-9]+$/.test(parsed.port) ? await nameOfPort(parsed, namespace, read) : parsed.port
  const endpoints = await endpointsOf(parsed, namespace, read)
  const subsets = listIn(endpoints, "subsets")
  if (subsets.length === 0) throw unavailable(`no endpoints available for service ${JSON.stringify(parsed.name)}`)
  const pods = new EndpointPods(namespace, read)
  // Bounded: `EndpointPods` reads `endpointPodsMax` pods, and an object has a bounded number of subsets.
  for (const subset of fromRandom(subsets, context.random)) {
    const port = listIn(subset, "ports").find((one) => textIn(one, "name") === portName)
    if (port === undefined) continue
    // Bounded: `EndpointPods` gives up after `endpointPodsMax` pods.
    for (const address of fromRandom(listIn(subset, "addresses"), context.random)) {
      if (!(await pods.say(address))) continue
      return { scheme: schemeOf(parsed.scheme), host: textIn(address, "ip"), port: numberIn(port, "port"), trust: "other" }
    }
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(request.name)}`)
}

/** The endpoints of a service. Throws the 404 of the service when there is neither. */
async function endpointsOf({ name }: SchemeNamePort, namespace: string, read: ObjectReader): Promise<ApiObject> {
  try {
    return await read("endpoints", name, namespace)
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) await read("services", name, namespace)
    throw error
  }
}

/** Resolves the number of a service's port to its name, under which the endpoints list it. */
async function nameOfPort({ name, port }: SchemeNamePort, namespace: string, read: ObjectReader): Promise<string> {
  const service = await read("services", name, namespace)
  const found = listIn(service.spec, "ports").find((one) => numberIn(one, "port") === Number(port))
  if (found === undefined) throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`)
  return textIn(found, "name")
}

/** All items once, starting at a random one: spreads the load and lets the caller skip unusable items. */
function fromRandom(items: readonly JsonObject[], random: Random): readonly JsonObject[] {
  if (items.length === 0) return items
  const start = random.integer(items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}

/**
 * Looks up the pods that endpoints name. Users can write endpoints, so an address counts only if a pod in the same
 * namespace reports it. Each pod is read once and the number of reads is limited: an object may name any number of
 * missing pods.
 */
class EndpointPods {
  private readonly addresses = new Map<string, ReadonlySet<string>>()

  constructor(
    private readonly namespace: string,
    private readonly read: ObjectReader,
  ) {}

  async say(address: JsonObject): Promise<boolean> {
    const reference = address["targetRef"]
    const name = textIn(reference, "name")
    if (textIn(reference, "namespace") !== this.namespace || name === "") return false
    return (await this.addressesOf(name)).has(textIn(address, "ip"))
  }

  private async addressesOf(name: string): Promise<ReadonlySet<string>> {
    const known = this.addresses.get(name)
    if (known !== undefined) return known
    if (this.addresses.size >= endpointPodsMax)
      throw unavailable(`no endpoints available: none of ${endpointPodsMax} pods that the endpoints name has the address that they say`)
    const pod = await found(this.read("pods", name, this.namespace))
    const addresses = new Set(listIn(pod?.status, "podIPs").map((one) => textIn(one, "ip")))
    this.addresses.set(name, addresses)
    return addresses
  }
}

async function found(reading: Promise<ApiObject>): Promise<ApiObject | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

function schemeOf(scheme: SchemeNamePort["scheme"]): Target["scheme"] {
  return scheme === "https" ? "https" : "http"
}

function portNumber(text: string): number {
  const port = Number(text)
  if (!/^[0-9]+$/.test(text) || port < 1 || port > 65_535)
    throw badRequest(`invalid port ${JSON.stringify(cut(text))}: write a number from 1 to 65535`)
  return port
}
