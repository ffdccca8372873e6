/** Everything that is served and is no resource: discovery, OpenAPI, version, health, and the list of these paths. */
import { methodNotAllowed, unknownPath } from "../errors.ts"
import type { Outgoing } from "../http/exchange.ts"
import { trimmedEnd } from "../kit/trim.ts"
import type { RequestContext } from "../request.ts"
import { isTrusted } from "../access/authorize.ts"
import type { Exchange } from "../server-env.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptsGzip, negotiate, wantsPretty } from "../wire/negotiate.ts"
import { answerUnknownPath, sendBytes } from "../wire/send.ts"
import { capabilitiesDocument, capabilitiesPath } from "./capabilities.ts"
import { matchesTag, sendNotModified } from "./conditional.ts"
import { aggregatedForm, Discovery, type DiscoveryTarget } from "./discovery.ts"
import { groupVersion } from "./documents.ts"
import { answerHealth } from "./health.ts"
import { metricsContentType, metricsText } from "./metrics.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import { acceptedType, answerOpenApi } from "./openapi.ts"
import { compareText } from "./group-order.ts"
import { versionInfo } from "./version.ts"

/** What one server keeps for these paths. */
interface Other {
  readonly parts: ServerParts
  readonly discovery: Discovery
  readonly openApi: OpenApiDocuments
}

interface Asked extends Other {
  readonly request: RequestContext
  readonly outgoing: Outgoing
  /** Where the client reached this server: `127.0.0.1:6443`. */
  readonly serverAddress: () => string
}

/** By server: documents are kept as long as it runs. */
const others = new WeakMap<ServerParts, Other>()

/** Called for every path that is no resource's. Throws ApiError; on return the answer is written. */
export async function answerOther(parts: ServerParts, exchange: Exchange): Promise<void> {
  const { incoming, outgoing, request } = exchange
  const { socket } = incoming
  const asked: Asked = {
    ...otherOf(parts),
    request,
    outgoing,
    serverAddress: () => addressOf(socket.localAddress ?? "", socket.localPort ?? 0),
  }
  const path = asked.request.info.path
  const [root = ""] = path.slice(1).split("/", 1)
  if (root === "api" || root === "apis") return answerDiscovery(asked)
  if (root === "version") return answerVersion(asked)
  if (root === "openapi") return answerOpenApi(asked.openApi, asked)
  if (path === "/" || path === "/index.html") return answerIndex(asked)
  if (path === "/metrics") return answerMetrics(asked)
  if (path === capabilitiesPath) return answerCapabilities(asked)
  const health = await answerHealth(parts.health, {
    path,
    query: asked.request.query,
    showsReasons: isTrusted(parts.authorizers, request),
    warning: () => parts.watchCache.undecodable()?.message,
  })
  if (health === undefined) return answerUnknownPath(outgoing)
  await sendBytes(outgoing, {
    status: health.status,
    contentType: "text/plain; charset=utf-8",
    body: Buffer.from(health.text),
    headers: { "x-content-type-options": "nosniff" },
  })
}

function otherOf(parts: ServerParts): Other {
  const known = others.get(parts)
  if (known !== undefined) return known
  const made = { parts, discovery: new Discovery(parts), openApi: new OpenApiDocuments(parts) }
  others.set(parts, made)
  return made
}

function addressOf(address: string, port: number): string {
  const plain = address.replace(/^::ffff:/, "")
  return plain.includes(":") ? `[${plain}]:${port}` : `${plain}:${port}`
}

async function answerDiscovery(asked: Asked): Promise<void> {
  const { parts, request, outgoing, discovery } = asked
  const target = targetOf(asked)
  if (target === undefined) return answerUnknownPath(outgoing)
  if (!discovery.has(target)) throw unknownPath()
  const { headers, query, info } = request
  const options = { vendor: parts.vendor, renderings: "none" } as const
  if (target.at === "core" || target.at === "groups") {
    if (info.method !== "GET") throw methodNotAllowed()
    const form = aggregatedForm(headers.accept, options)
    if (form !== undefined) return sendAggregated(asked, target.at, form)
  }
  const negotiated = negotiate(headers.accept, options)
  const laidOut = wantsPretty({ query, userAgent: headers["user-agent"], negotiated })
  const document = await discovery.document(target, { media: negotiated.media, laidOut, serverAddress: asked.serverAddress() })
  if (document === undefined) throw unknownPath()
  if (info.method !== "GET") throw methodNotAllowed()
  const gzip = parts.settings.compressResponses && acceptsGzip(headers["accept-encoding"])
  await sendBytes(outgoing, { status: 200, contentType: negotiated.contentType, body: document.bytes, gzip })
}

/** Undefined for a group that is not served. */
function targetOf({ request, parts }: Asked): DiscoveryTarget | undefined {
  const [root, first, second, ...more] = trimmedEnd(request.info.path.slice(1), "/").split("/")
  if (more.length > 0) return undefined
  if (first === undefined) return { at: root === "api" ? "core" : "groups" }
  const group = root === "api" ? "" : parts.vendor.neutralGroup(first)
  const version = root === "api" ? first : second
  if (!parts.kinds.hasGroup(group) || (root === "apis" && group === "")) return undefined
  return version === undefined ? { at: "group", group } : { at: "version", group, version }
}

async function sendAggregated(asked: Asked, at: "core" | "groups", form: NonNullable<ReturnType<typeof aggregatedForm>>): Promise<void> {
  const { parts, request, outgoing, discovery } = asked
  const laidOut = wantsPretty({ query: request.query, userAgent: request.headers["user-agent"], negotiated: form })
  const document = await discovery.aggregated(at, { media: form.media, laidOut, version: form.version })
  const headers = { etag: document.tag, vary: "Accept", "cache-control": "public" }
  if (matchesTag(request.headers["if-none-match"], headers.etag)) return sendNotModified(outgoing, headers)
  const contentType = `${form.contentType};g=${parts.vendor.group("apidiscovery.orch.io")};v=${form.version};as=APIGroupDiscoveryList`
  await sendBytes(outgoing, { status: 200, contentType, body: document.bytes, headers })
}

async function answerVersion({ request, outgoing }: Asked): Promise<void> {
  const { info, headers } = request
  if (!/^\/version\/*$/.test(info.path)) throw unknownPath()
  if (info.method !== "GET") throw methodNotAllowed()
  acceptedType(headers.accept, ["application/json"])
  await sendBytes(outgoing, { status: 200, contentType: "application/json", body: Buffer.from(JSON.stringify(versionInfo(), null, 2)) })
}

async function answerMetrics({ parts, outgoing }: Asked): Promise<void> {
  await sendBytes(outgoing, {
    status: 200,
    contentType: metricsContentType,
    body: Buffer.from(
      metricsText({
        inFlight: parts.inFlight,
        loop: parts.loopDelay,
        counts: parts.requestCounts,
        watchCache: parts.watchCache,
        storage: parts.storage,
        clock: parts.clock,
      }),
    ),
  })
}

async function answerCapabilities({ request, outgoing }: Asked): Promise<void> {
  if (request.info.method !== "GET") throw methodNotAllowed()
  await sendBytes(outgoing, { status: 200, contentType: "application/json", body: capabilitiesDocument() })
}

/** The paths that are served, for people who look around. */
async function answerIndex(asked: Asked): Promise<void> {
  const { parts, outgoing, discovery } = asked
  const groups = discovery.current().flatMap(({ group, versions }) => {
    const root = group === "" ? "/api" : "/apis"
    const paths = versions.map(({ version }) => `${root}/${parts.vendor.apiVersion(groupVersion(group, version))}`)
    return group === "" ? paths : [`${root}/${parts.vendor.group(group)}`, ...paths]
  })
  const health = Object.entries(parts.health).flatMap(([endpoint, checks]) => [
    `/${endpoint}`,
    ...checks.map(({ name }) => `/${endpoint}/${name}`),
  ])
  const paths = [capabilitiesPath, "/api", "/apis", "/metrics", "/openapi/v2", "/openapi/v3", "/version", ...groups, ...health].sort(
    compareText,
  )
  await sendBytes(outgoing, { status: 200, contentType: "application/json", body: Buffer.from(JSON.stringify({ paths }, null, 2)) })
}
