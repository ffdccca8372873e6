/** Routes outside of resources: discovery, OpenAPI, version, health, and the list of these paths. */
import { methodNotAllowed, notYetServed, unknownPath } from "../base/errors.ts"
import { trimmedEnd } from "../base/trim.ts"
import type { RequestContext } from "../http/request/context.ts"
import { configurationPath, issuerDocuments, type IssuerDocuments, keysPath } from "../authn/service-accounts/issuer-documents.ts"
import { anonymous } from "../authn/authenticate.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptsGzip, negotiate, wantsPretty } from "../wire/negotiate.ts"
import { type Answer, answerUnknownPath, sendBytes } from "../wire/send.ts"
import { capabilitiesDocument, capabilitiesPath } from "./capabilities.ts"
import { matchesTag, sendNotModified } from "../wire/conditional.ts"
import { aggregatedForm, Discovery, type DiscoveryTarget, type Document } from "./discovery.ts"
import { groupVersion } from "./documents.ts"
import { answerHealth } from "../observability/health.ts"
import { metricsContentType, metricsText } from "../observability/metrics.ts"
import { OpenApiDocuments } from "../openapi/documents.ts"
import { acceptedType, answerOpenApi } from "../openapi/answer.ts"
import { compareText } from "../registry/group-order.ts"
import { versionInfo } from "./version.ts"

/** Shared by the handlers of one server. */
interface Documents {
  readonly parts: ServerParts
  readonly discovery: Discovery
}

/** Writes an answer to the outgoing stream. Throws an ApiError to answer with a Status. */
type Answering = (request: RequestContext) => Promise<void>

/** Handlers for all paths outside of resources. */
export interface DocumentHandlers {
  /** For `/api`, `/apis` and the paths below them that name no resource. */
  readonly discovery: Answering
  /** For each pattern of the other paths. */
  readonly documents: readonly (readonly [path: string, answer: Answering])[]
}

/** Called once per application, which keeps the documents for its lifetime. */
export function documentHandlers(parts: ServerParts): DocumentHandlers {
  const documents = { parts, discovery: new Discovery(parts) }
  const openApi = new OpenApiDocuments(parts)
  const index: Answering = (request) => answerIndex(documents, request)
  const health: Answering = (request) => answerHealthOf(parts, request)
  return {
    discovery: (request) => answerDiscovery(documents, request),
    documents: [
      ["/", index],
      ["/index.html", index],
      ["/openapi/*", (request) => answerOpenApi(openApi, { parts, request, outgoing: request.outgoing })],
      ["/version/*", answerVersion],
      ["/metrics", (request) => answerMetrics(parts, request)],
      ["/metrics/slis", (request) => answerSlis(parts, request)],
      [configurationPath, (request) => answerIssuer(parts, request, "configuration")],
      [keysPath, (request) => answerIssuer(parts, request, "keys")],
      [capabilitiesPath, answerCapabilities],
      ["/healthz/*", health],
      ["/livez/*", health],
      ["/readyz/*", health],
    ],
  }
}

async function answerHealthOf(parts: ServerParts, request: RequestContext): Promise<void> {
  const health = await answerHealth(parts.health, {
    path: request.info.path,
    query: request.query,
    results: parts.healthResults,
    showsReasons: request.user !== anonymous,
    warning: () => parts.watchCache.undecodable()?.message,
  })
  if (health === undefined) return answerUnknownPath(request.outgoing)
  const { text, status } = health
  const headers = { "x-content-type-options": "nosniff" }
  await sendText(request, { status, contentType: "text/plain; charset=utf-8", text, headers })
}

/** The address at which the client reached this server: `127.0.0.1:6443`. */
function serverAddress({ incoming: { socket } }: RequestContext): string {
  const plain = (socket.localAddress ?? "").replace(/^::ffff:/, "")
  return `${plain.includes(":") ? `[${plain}]` : plain}:${socket.localPort ?? 0}`
}

async function answerDiscovery(documents: Documents, request: RequestContext): Promise<void> {
  const { parts, discovery } = documents
  const { outgoing } = request
  const target = targetOf(parts, request)
  if ((target === undefined || !discovery.has(target)) && !parts.kinds.isComplete) throw notYetServed()
  if (target === undefined) return answerUnknownPath(outgoing)
  if (!discovery.has(target)) throw unknownPath()
  const { headers, query, info } = request
  const options = { vendor: parts.vendor, renderings: "none" } as const
  if (target.at === "core" || target.at === "groups") {
    if (info.method !== "GET") throw methodNotAllowed()
    const form = aggregatedForm(headers.accept, options)
    if (form !== undefined) return sendAggregated(documents, request, { at: target.at, form })
  }
  const negotiated = negotiate(headers.accept, options)
  const indented = wantsPretty({ query, userAgent: headers["user-agent"], negotiated })
  const address = serverAddress(request)
  const document = await discovery.document(target, { media: negotiated.media, indented, serverAddress: address })
  if (document === undefined) throw unknownPath()
  if (info.method !== "GET") throw methodNotAllowed()
  await reportAnswer(request, () => discovery.document(target, { ...asRecorded, serverAddress: address }))
  const gzip = parts.options["feature-gates"].APIResponseCompression === true && acceptsGzip(headers["accept-encoding"])
  await sendBytes(outgoing, { status: 200, contentType: negotiated.contentType, body: document.bytes, gzip })
}

/** Undefined for a group that is not served. */
function targetOf(parts: ServerParts, request: RequestContext): DiscoveryTarget | undefined {
  const [root, first, second, ...more] = trimmedEnd(request.info.path.slice(1), "/").split("/")
  if (more.length > 0) return undefined
  if (first === undefined) return { at: root === "api" ? "core" : "groups" }
  const group = root === "api" ? "" : parts.vendor.neutralGroup(first)
  const version = root === "api" ? first : second
  if (!parts.kinds.hasGroup(group) || (root === "apis" && group === "")) return undefined
  return version === undefined ? { at: "group", group } : { at: "version", group, version }
}

/** The form in which audit records a document, whatever form the client gets. */
const asRecorded = { media: "json", indented: false } as const

/** Called right before a document is sent. `json`: the document as recorded, cached like its other forms. */
async function reportAnswer({ audit, trace }: RequestContext, json: () => Promise<Document | undefined>): Promise<void> {
  if (audit === undefined) return
  const document = audit.keepsResponse ? await json() : undefined
  audit.answered(200, document?.bytes.subarray(0, -newline.length))
  trace.answering()
}

/** Ends compact JSON. */
const newline = "\n"

async function sendAggregated(
  { parts, discovery }: Documents,
  request: RequestContext,
  { at, form }: { at: "core" | "groups"; form: NonNullable<ReturnType<typeof aggregatedForm>> },
): Promise<void> {
  const { outgoing } = request
  const indented = wantsPretty({ query: request.query, userAgent: request.headers["user-agent"], negotiated: form })
  const document = await discovery.aggregated(at, { media: form.media, indented, version: form.version })
  const headers = { etag: document.tag, vary: "Accept", "cache-control": "public" }
  if (matchesTag(request.headers["if-none-match"], headers.etag)) return sendNotModified(outgoing, headers)
  await reportAnswer(request, () => discovery.aggregated(at, { ...asRecorded, version: form.version }))
  const contentType = `${form.contentType};g=${parts.vendor.group("apidiscovery.orch.io")};v=${form.version};as=APIGroupDiscoveryList`
  await sendBytes(outgoing, { status: 200, contentType, body: document.bytes, headers })
}

async function answerVersion(request: RequestContext): Promise<void> {
  const { info, headers } = request
  if (!/^\/version\/*$/.test(info.path)) throw unknownPath()
  if (info.method !== "GET") throw methodNotAllowed()
  acceptedType(headers.accept, ["application/json"])
  await sendText(request, { contentType: "application/json", text: JSON.stringify(versionInfo(), null, 2) })
}

const issuerTypes = { configuration: "application/json", keys: "application/jwk-set+json" }

/** Throws 404 if clients would not look for the documents of the token issuer at this server. */
async function answerIssuer(parts: ServerParts, request: RequestContext, document: keyof IssuerDocuments): Promise<void> {
  const text = parts.serviceAccounts === undefined ? undefined : issuerDocuments(parts.serviceAccounts, serverAddress(request))?.[document]
  if (text === undefined) throw unknownPath()
  if (request.info.method !== "GET") throw methodNotAllowed()
  await sendText(request, { contentType: issuerTypes[document], text, headers: { "cache-control": "public, max-age=3600" } })
}

async function answerSlis({ healthResults }: ServerParts, request: RequestContext): Promise<void> {
  await sendText(request, { contentType: metricsContentType, text: await healthResults.text() })
}

async function answerMetrics(parts: ServerParts, request: RequestContext): Promise<void> {
  const { accessMetrics, audit, inFlight, loopDelay, requestCounts, conversions, watchCache, storage, storeLatencies, workQueues, clock } =
    parts
  const text = await metricsText({
    access: accessMetrics,
    audit: audit?.counts,
    inFlight,
    loop: loopDelay,
    counts: requestCounts,
    conversions,
    watchCache,
    storage,
    storeLatencies,
    workQueues,
    clock,
    build: { word: parts.vendor.word, version: versionInfo() },
  })
  await sendText(request, { contentType: metricsContentType, text })
}

async function answerCapabilities(request: RequestContext): Promise<void> {
  if (request.info.method !== "GET") throw methodNotAllowed()
  await sendText(request, { contentType: "application/json", text: capabilitiesDocument() })
}

/** The served paths, for people who look around. */
async function answerIndex({ parts, discovery }: Documents, request: RequestContext): Promise<void> {
  const groups = discovery.current().flatMap(({ group, versions }) => {
    const root = group === "" ? "/api" : "/apis"
    const paths = versions.map(({ version }) => `${root}/${parts.vendor.apiVersion(groupVersion(group, version))}`)
    return group === "" ? paths : [`${root}/${parts.vendor.group(group)}`, ...paths]
  })
  const health = Object.entries(parts.health).flatMap(([endpoint, checks]) => [
    `/${endpoint}`,
    ...checks.map(({ name }) => `/${endpoint}/${name}`),
  ])
  const isIssuer = parts.serviceAccounts !== undefined && issuerDocuments(parts.serviceAccounts, "") !== undefined
  const others = [
    capabilitiesPath,
    "/api",
    "/apis",
    "/apis/",
    "/metrics",
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/version",
  ]
  const paths = [...others, ...(isIssuer ? [configurationPath, keysPath] : []), ...groups, ...health].sort(compareText)
  await sendText(request, { contentType: "application/json", text: JSON.stringify({ paths }, null, 2) })
}

/** Sends a small document that is made for each request. Default status 200. */
function sendText(
  { outgoing }: RequestContext,
  { text, status = 200, ...head }: Pick<Answer, "contentType" | "headers"> & { readonly text: string | Buffer; readonly status?: number },
): Promise<void> {
  return sendBytes(outgoing, { status, ...head, body: typeof text === "string" ? Buffer.from(text) : text })
}
