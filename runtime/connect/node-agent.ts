/**
 * The agent on a node: its address, and the path it serves a request for a pod under (catalog resources.yaml: nodes,
 * pods).
 */
import { ApiError, badRequest } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { cut } from "../base/quote.ts"
import { shownItemsMax, shownNameCharactersMax } from "../base/limits.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Target } from "./dialer.ts"
import { listIn, numberIn, objectIn, type ObjectReader, textIn } from "./objects.ts"

const defaultPort = 10_250

export interface AgentSettings {
  /** `--node-agent-preferred-address-types`, most preferred first. */
  readonly addressTypes: readonly string[]
  /** `--node-agent-timeout`: time limit for connecting. */
  readonly timeoutMs: number
  readonly vendor: Vendor
}

/** Returns the address of a node's agent. Throws 500 for a node without a usable address. */
export function agentAddress(node: ApiObject, { addressTypes, vendor }: AgentSettings): { host: string; port: number } {
  const addresses = listIn(node.status, "addresses")
  const host = addressTypes.map((type) => addressOf(node, { type, addresses, vendor })).find((address) => address !== "")
  if (host === undefined) {
    const known = listed(
      addresses.map((one) => `${textIn(one, "type")} ${textIn(one, "address")}`),
      ", ",
    )
    throw new ApiError(
      500,
      "",
      `no preferred addresses found for node ${JSON.stringify(node.metadata?.name)}; known addresses: [${known}]. Its agent is reached at the first of status.addresses with a type of --node-agent-preferred-address-types (${addressTypes.join(", ")})`,
    )
  }
  const port = numberIn(objectIn(objectIn(node.status, "daemonEndpoints"), "kubeletEndpoint"), "Port")
  return { host, port: port > 0 ? port : defaultPort }
}

function addressOf(
  node: ApiObject,
  { type, addresses, vendor }: { type: string; addresses: readonly JsonObject[]; vendor: Vendor },
): string {
  const found = textIn(
    addresses.find((one) => textIn(one, "type") === type),
    "address",
  )
  // Old agents report their host name in this label only.
  return found === "" && type === "Hostname" ? (node.metadata?.labels?.[vendor.domain("orch.io/hostname")] ?? "") : found
}

/** A request for a pod's sub-resource that the node's agent serves. */
export interface AgentRequest {
  readonly connect: "attach" | "exec" | "log" | "portforward"
  readonly namespace: string
  readonly name: string
  /** Decoded query options. */
  readonly options: JsonObject
}

/**
 * Returns the agent's path for a request, or undefined when the pod has no node yet and the response is an empty log.
 * Throws 400, 404 or 500.
 */
export async function agentTarget(request: AgentRequest, read: ObjectReader, settings: AgentSettings): Promise<Target | undefined> {
  const { connect, name, namespace, options } = request
  const pod = await read("pods", name, namespace)
  const container = connect === "portforward" ? "" : chosenContainer(pod, textIn(options, "container"))
  const nodeName = textIn(pod.spec, "nodeName")
  if (nodeName === "" && connect === "log") return undefined
  if (nodeName === "") throw badRequest(`pod ${name} does not have a host assigned: no node runs it yet`)
  const { host, port } = agentAddress(await read("nodes", nodeName, ""), settings)
  const unverified = connect === "log" && options["insecureSkipTLSVerifyBackend"] === true
  const path = [paths[connect], namespace, name, ...(container === "" ? [] : [container])].map(encodeURIComponent).join("/")
  const query = queries[connect](options).toString()
  return {
    scheme: "https",
    host,
    port,
    path: `/${path}${query === "" ? "" : `?${query}`}`,
    trust: unverified ? "agent-unverified" : "agent",
    timeoutMs: settings.timeoutMs,
  }
}

/** Throws 400 when the pod does not have the named container, or has several and none is named. */
function chosenContainer(pod: ApiObject, asked: string): string {
  const name = pod.metadata?.name ?? ""
  const containers = listIn(pod.spec, "containers").map((one) => textIn(one, "name"))
  const all = [...listIn(pod.spec, "initContainers"), ...listIn(pod.spec, "containers"), ...listIn(pod.spec, "ephemeralContainers")]
  const names = all.map((one) => textIn(one, "name"))
  if (asked !== "") {
    if (names.includes(asked)) return asked
    throw badRequest(`container ${cut(asked, shownNameCharactersMax)} is not valid for pod ${name}: it has ${listed(names, ", ")}`)
  }
  const [first] = containers
  if (first !== undefined && containers.length === 1) return first
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${listed(names, " ")}]`)
}

/** The first few texts, joined for an error message. */
function listed(texts: readonly string[], separator: string): string {
  const first = texts
    .slice(0, shownItemsMax)
    .map((text) => cut(text, shownNameCharactersMax))
    .join(separator)
  return texts.length > shownItemsMax ? `${first} and ${texts.length - shownItemsMax} more` : first
}

const paths = { attach: "attach", exec: "exec", log: "containerLogs", portforward: "portForward" } as const

const queries: Readonly<Record<AgentRequest["connect"], (options: JsonObject) => URLSearchParams>> = {
  attach: streams,
  exec(options) {
    const query = streams(options)
    const command = Array.isArray(options["command"]) ? options["command"] : []
    for (const word of command) query.append("command", String(word))
    return query
  },
  log(options) {
    const query = new URLSearchParams()
    for (const name of ["follow", "previous", "timestamps"]) if (options[name] === true) query.set(name, "true")
    for (const name of ["sinceSeconds", "sinceTime", "tailLines", "limitBytes"]) {
      const value = options[name]
      if (value !== undefined && value !== null) query.set(name, String(value))
    }
    return query
  },
  portforward(options) {
    const ports = Array.isArray(options["ports"]) ? options["ports"] : []
    return new URLSearchParams(ports.length === 0 ? {} : { port: ports.join(",") })
  },
}

function streams(options: JsonObject): URLSearchParams {
  const query = new URLSearchParams()
  const flags = { stdin: "input", stdout: "output", stderr: "error", tty: "tty" } as const
  for (const [name, flag] of Object.entries(flags)) if (options[name] === true) query.set(flag, "1")
  return query
}
