/**
 * Serves `/openapi/v2`, `/openapi/v3` and the documents below it, including conditional requests and immutable
 * addresses.
 */
import { notAcceptable } from "../base/errors.ts"
import type { Outgoing } from "../http/exchange.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptClauses, acceptsGzip } from "../wire/negotiate.ts"
import { answerUnknownPath, sendBytes } from "../wire/send.ts"
import { matchesTag, sendNotModified } from "../wire/conditional.ts"
import { documentUrl, type OpenApiDocument, type OpenApiDocuments } from "./documents.ts"

const yearMs = 365 * 24 * 60 * 60 * 1000

/** The protobuf media types of a version. Clients send either name; responses use the first, which is the valid one. */
function protobufTypes(version: "v2" | "v3"): [valid: string, other: string] {
  return [
    `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
    `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`,
  ]
}

/** The reference serves the index as plain text, whatever the client accepts. */
const indexType = "text/plain; charset=utf-8"

interface OpenApiRequest {
  readonly parts: ServerParts
  readonly request: RequestContext
  readonly outgoing: Outgoing
}

/** Called for every path below `/openapi/`. */
export async function answerOpenApi(documents: OpenApiDocuments, asked: OpenApiRequest): Promise<void> {
  const { request, outgoing } = asked
  const path = request.info.path.slice("/openapi/".length)
  if (path === "v3") return send(asked, await documents.index(), { contentType: indexType })
  const version = path === "v2" ? "v2" : "v3"
  const type = acceptedType(request.headers.accept, ["application/json", ...protobufTypes(version)])
  const json = type === "application/json"
  const document = await (json ? documents.document(path) : documents.compact(path))
  if (document === undefined) return path.startsWith("v3/") ? answerNothing(outgoing) : answerUnknownPath(outgoing)
  const contentType = json ? type : protobufTypes(version)[0]
  if (version === "v2") return send(asked, document, { contentType })
  const hash = request.query.get("hash") ?? ""
  if (hash === "" || hash === document.hash) return send(asked, document, { contentType, immutable: hash !== "" })
  const headers = { location: documentUrl(path, document.hash), etag: tagOf(document), vary: "Accept" }
  await sendBytes(outgoing, { status: 301, contentType, body: Buffer.alloc(0), headers })
}

/** The reference has no body for group versions without a document. */
function answerNothing(outgoing: Outgoing): void {
  outgoing.statusCode = 404
  outgoing.setHeader("content-length", "0")
  outgoing.end()
}

async function send(
  asked: OpenApiRequest,
  document: OpenApiDocument,
  options: { contentType: string; immutable?: boolean },
): Promise<void> {
  const { parts, request, outgoing } = asked
  const headers = {
    etag: tagOf(document),
    vary: "Accept-Encoding, Accept",
    ...(options.immutable === true && {
      "cache-control": "public, immutable",
      expires: new Date(parts.clock.nowMs() + yearMs).toUTCString(),
    }),
  }
  if (matchesTag(request.headers["if-none-match"], headers.etag)) return sendNotModified(outgoing, headers)
  const compressed = parts.options["feature-gates"].APIResponseCompression === true && acceptsGzip(request.headers["accept-encoding"])
  await sendBytes(outgoing, {
    status: 200,
    contentType: options.contentType,
    body: compressed ? document.gzipped : await document.bytes(),
    headers: { ...headers, ...(compressed && { "content-encoding": "gzip" }) },
  })
}

function tagOf(document: OpenApiDocument): string {
  return `"${document.hash}"`
}

/**
 * Negotiates the media type of documents that are not API objects: the first type of Accept that is offered; a wildcard
 * selects the first offered type. Throws 406.
 */
export function acceptedType(accept: string | undefined, offered: readonly string[]): string {
  for (const clause of acceptClauses(accept === undefined || accept === "" ? "*/*" : accept)) {
    const type = clause.split(";", 1)[0]?.trim() ?? ""
    const found = type === "*/*" || type === "application/*" ? offered[0] : offered.find((candidate) => candidate === type)
    if (found !== undefined) return found
  }
  throw notAcceptable(offered)
}
