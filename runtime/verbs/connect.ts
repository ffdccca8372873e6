/**
 * Sub-resources that another server answers: the agent on the pod's node for log, exec, attach and portforward, the
 * object itself for proxy. Requests and responses are streams without a deadline; either side may end them.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { OpenAttributes } from "../admission/plugin.ts"
import { assert } from "../base/assert.ts"
import { type Reply, awaitReply, type Target } from "../connect/dialer.ts"
import { type ForwardOptions, checkResponseHead, forwardResponse, sendBody, readRefusalText } from "../connect/stream-proxy.ts"
import { isPassedProtocol, requestHeaders } from "../connect/headers.ts"
import { agentTarget } from "../connect/node-agent.ts"
import type { ObjectReader } from "../connect/objects.ts"
import { escapedPath, type ProxyPaths, proxyPaths, rewrittenLink } from "../connect/proxy-path.ts"
import { proxyTarget } from "../connect/proxy-target.ts"
import { decodeOptions } from "../connect/query-options.ts"
import { refusedLog, unreachableAgent, unreachableBackend, unreachableService } from "../connect/upstream-errors.ts"
import { joinConnections } from "../connect/tunnel.ts"
import { ApiError, badRequest, invalid } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Connect, Subresource } from "../schema/kind.ts"
import { linkPrefixCharactersMax, refusalTimeoutMs } from "../base/limits.ts"
import { mutateObject, validateObject } from "../registry/admit.ts"
import { getObject } from "../registry/read.ts"
import { parseObject } from "../registry/object-codec.ts"
import { takeConnection, wantedProtocol } from "../http/upgrade.ts"
import { Turns } from "../base/turns.ts"
import { attributesOf } from "./attributes.ts"
import { type ResourceRequest, negotiateResponse } from "./call.ts"
import { checkLogWebSocket, passLogToWebSocket } from "./websocket/log-websocket.ts"

/** A request, and the signal that closes all of its connections. */
interface Connection {
  readonly call: ResourceRequest
  readonly signal: AbortSignal
}

/**
 * Called by the router for sub-resources of type connect, after it has checked the method. Throws ApiError until the
 * response has started.
 */
export async function connectVerb(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const { connect } = subresource
  assert(connect !== undefined, "a sub-resource of type connect says how", { name: subresource.name })
  if (connect !== "log" && call.request.query.has("dryRun"))
    throw badRequest("dryRun is not supported: nothing is stored, but the other end acts")
  if (connect === "proxy") return proxyThrough(call, subresource)
  const options = await readOptions(call, subresource)
  if (connect === "log") return untilOver(call, (connection) => logVerb(connection, options))
  const admitted = await admitConnection(call, subresource, options)
  return untilOver(call, (connection) => streamVerb(connection, connect, admitted))
}

async function proxyThrough(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const { info } = call.request
  const paths = proxyPaths(info.path, info.tail)
  const { path } = await admitConnection(call, subresource, { path: paths.target })
  return untilOver(call, (connection) => proxyVerb(connection, typeof path === "string" ? { ...paths, target: path } : paths))
}

/** Runs mutating and validating admission, as the reference does. Returns the options for the connection. */
async function admitConnection(call: ResourceRequest, { options }: Subresource, object: ApiObject): Promise<ApiObject> {
  assert(options !== undefined, "a sub-resource of type connect has options")
  const { registry } = call
  const { admission } = registry.deps
  if (!admission.mutates("CONNECT") && !admission.validates("CONNECT")) return object
  // Connections have no deadline: the chain limits the time for admission.
  const attributes: OpenAttributes = { ...attributesOf(call, "CONNECT", { dryRun: false }, options), options: {}, expiry: undefined }
  const mutated = await mutateObject(registry, attributes, { object }, await call.parts.body(options))
  await validateObject(registry, attributes, { object: mutated })
  return mutated
}

/**
 * Runs `work` with a signal that aborts when the client is gone, the server stops, or `work` has finished or failed.
 */
async function untilOver(call: ResourceRequest, work: (connection: Connection) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const end = (): void => controller.abort()
  // `AbortSignal.any` would add each request to sources that live as long as the server.
  const reasons = [call.request.signal, call.parts.stopping]
  for (const reason of reasons) {
    reason.addEventListener("abort", end)
    if (reason.aborted) end()
  }
  try {
    await work({ call, signal: controller.signal })
  } finally {
    for (const reason of reasons) reason.removeEventListener("abort", end)
    end()
  }
}

async function readOptions(call: ResourceRequest, { options }: Subresource): Promise<ApiObject> {
  assert(options !== undefined, "a sub-resource of type connect has options")
  const kind = await call.parts.body(options)
  const decoded = decodeOptions(call.request.query, kind.shape)
  const failures = new Failures()
  kind.validate(decoded, { failures, vendor: call.parts.vendor })
  if (!failures.empty) throw invalid({ group: options.group, resource: options.kind, name: call.request.info.name }, failures.list)
  return decoded
}

/** Microseconds to parse a kilobyte of JSON. */
const parsingWork = 10

/** Reads objects in their newest state, with turns between many large ones. */
function reader(call: ResourceRequest): ObjectReader {
  const { parts, registry } = call
  const turns = new Turns()
  return async (resource, name, namespace) => {
    const kind = parts.kinds.find("", "v1", resource)
    assert(kind !== undefined, "the kinds that requests are passed on to are served", { resource })
    const handle = await registry.handle(kind)
    const { trace } = call.request
    const found = await getObject(registry, handle, { namespace, name, freshness: { mode: "most-recent" }, trace })
    const json = found.json()
    const object = parseObject(json)
    if (turns.isOver((json.length / 1024) * parsingWork)) await turns.next()
    return object
  }
}

function agentRequest(call: ResourceRequest, connect: Exclude<Connect, "proxy">, options: JsonObject): Promise<Target | undefined> {
  const { info } = call.request
  const request = { connect, namespace: info.namespace, name: info.name, options }
  return agentTarget(request, reader(call), call.parts.connector.agent)
}

/** Sends the log of a container as text. A pod that is not scheduled yet has an empty log: 204. */
async function logVerb(connection: Connection, options: JsonObject): Promise<void> {
  const { call } = connection
  negotiateResponse(call, { list: false, tables: false })
  const target = await agentRequest(call, "log", options)
  if (target === undefined) {
    call.outgoing.writeHead(204)
    call.outgoing.end()
    return
  }
  const overWebSocket = checkLogWebSocket(call)
  const { message } = await sendRequest(connection, target, {
    method: "GET",
    headers: { host: `${target.host}:${target.port}` },
    unreachable: unreachableAgent,
  })
  const status = message.statusCode ?? 502
  if (status < 200 || status > 206) throw refusedLog(status, await readRefusalText(message, call.parts.clock), call.request.info.name)
  if (!overWebSocket) return forwardReply(call, message, { contentType: "text/plain" })
  // A websocket that breaks is already closed.
  await passLogToWebSocket(call, message).catch(() => undefined)
}

/** exec, attach and portforward. They require an upgrade of the protocol. */
async function streamVerb(connection: Connection, connect: "attach" | "exec" | "portforward", options: JsonObject): Promise<void> {
  const { call } = connection
  const target = await agentRequest(call, connect, options)
  assert(target !== undefined, "only a log may be asked of nobody")
  const protocol = passedProtocol(call)
  if (protocol === undefined) throw badRequest("Upgrade request required: use a client that speaks websocket or SPDY/3.1 over HTTP/1.1")
  await tunnel(connection, target, { protocol, unreachable: unreachableAgent })
}

function passedProtocol(call: ResourceRequest): string | undefined {
  const upgrade = wantedProtocol(call.incoming)
  return upgrade !== undefined && isPassedProtocol(upgrade) ? call.incoming.headers.upgrade : undefined
}

async function proxyVerb(connection: Connection, paths: ProxyPaths): Promise<void> {
  const { call } = connection
  const { info } = call.request
  const { connector, random } = call.parts
  const { resource, namespace, name } = info
  assert(resource === "nodes" || resource === "pods" || resource === "services", "these have proxies", { resource })
  const backend = await proxyTarget({ resource, namespace, name }, { read: reader(call), random, agent: connector.agent })
  const queryStart = (call.incoming.url ?? "").indexOf("?")
  const query = queryStart < 0 ? "" : (call.incoming.url ?? "").slice(queryStart)
  const protocol = passedProtocol(call)
  if (protocol === undefined && paths.target === "" && (info.method === "GET" || info.method === "HEAD")) {
    // On the root page of a backend, relative links work only if the path ends in a slash.
    call.outgoing.writeHead(301, { location: `${escapedPath(info.path)}/${query}` })
    call.outgoing.end()
    return
  }
  const target: Target = { ...backend, path: `${escapedPath(paths.target === "" ? "/" : paths.target)}${query}` }
  if (protocol !== undefined) return tunnel(connection, target, { protocol, unreachable: unreachableBackend })
  await forward(connection, target, paths)
}

async function forward(connection: Connection, target: Target, paths: ProxyPaths): Promise<void> {
  const { call } = connection
  const { incoming } = call
  const headers = requestHeaders(incoming, { uri: escapedPath(`${paths.prefix}${paths.target}`) })
  const method = incoming.method ?? "GET"
  const { message } = await sendRequest(connection, target, { method, headers, unreachable: unreachableService, body: true })
  const hosts = [`${target.host}:${target.port}`, target.host, String(headers["host"] ?? "")]
  const prefix = escapedPath(paths.prefix)
  const link = (text: string): string => rewrittenLink(text, { prefix, hosts })
  await forwardReply(call, message, { isHead: method === "HEAD", ...(prefix.length <= linkPrefixCharactersMax && { link }) })
}

async function tunnel(
  connection: Connection,
  target: Target,
  options: { protocol: string; unreachable: OutgoingRequest["unreachable"] },
): Promise<void> {
  const { call, signal } = connection
  const { clock } = call.parts
  const { incoming } = call
  const headers = requestHeaders(incoming, { upgrade: options.protocol })
  const method = incoming.method ?? "GET"
  const reply = await sendRequest(connection, target, { method, headers, unreachable: options.unreachable, upgrade: true })
  if (reply.upgraded) {
    const client = takeConnection(incoming)
    call.request.audit?.started(101)
    if (client !== undefined) await joinConnections(client, reply, { signal, clock })
    return
  }
  const status = reply.message.statusCode ?? 502
  if (status < 400) throw new ApiError(500, "", `invalid upgrade response: status code ${status}`)
  const cancel = clock.after(refusalTimeoutMs, () => reply.message.destroy())
  await forwardReply(call, reply.message).finally(cancel)
}

interface OutgoingRequest {
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  /** Makes the error for a request that got no response. */
  readonly unreachable: (error: unknown, target: Target) => ApiError
  /** Send the client's body. */
  readonly body?: boolean
  /** Allow the server to change the protocol. Otherwise a 101 is an error. */
  readonly upgrade?: boolean
}

/** Sends a request and returns the reply, once its head has been checked. */
async function sendRequest({ call, signal }: Connection, target: Target, options: OutgoingRequest): Promise<Reply> {
  const { method, headers, unreachable } = options
  try {
    const request = await call.parts.connector.send(target, { method, headers, signal })
    const replied = awaitReply(request, call.parts.clock)
    if (options.body === true) sendBody(call.incoming, request)
    else request.end()
    const reply = await replied
    if (!reply.upgraded) checkResponseHead(reply.message)
    else if (options.upgrade !== true) throw new Error("the other end changed the protocol without being asked")
    return reply
  } catch (error) {
    throw unreachable(error, target)
  }
}

/** Forwards a response. After it has started, closing the client's connection is the only way to report a failure. */
async function forwardReply(call: ResourceRequest, message: IncomingMessage, options: ForwardOptions = {}): Promise<void> {
  call.request.audit?.started(message.statusCode ?? 200)
  try {
    await forwardResponse(message, call.outgoing, options)
  } catch {
    call.outgoing.destroy()
  }
}
