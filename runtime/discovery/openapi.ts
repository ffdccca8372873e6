/** `/openapi/v2`, `/openapi/v3` and the documents below it, with their conditional and never-changing forms. */
import { notAcceptable } from "../errors.ts"
import type { RequestContext } from "../request.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptsGzip } from "../wire/negotiate.ts"
import { answerUnknownPath, type Outgoing, sendBytes } from "../wire/send.ts"
import { matchesTag, sendNotModified } from "./conditional.ts"
import { documentUrl, type OpenApiDocument, type OpenApiDocuments } from "./openapi-documents.ts"

const yearMs = 365 * 24 * 60 * 60 * 1000

/** Called for every path below `/openapi/`. */
export async function answerOpenApi(documents: OpenApiDocuments, options: { parts: ServerParts; request: RequestContext; outgoing: Outgoing }): Promise<void> {
  const { request, outgoing } = options
  const path = request.info.path.slice("/openapi/".length)
  if (path === "v3") return send(await documents.index(), { ...options, accept: "any" })
  const document = await documents.document(path)
  if (document === undefined) return answerUnknownPath(outgoing)
  if (path === "v2") return send(document, { ...options, accept: "negotiated" })
  const asked = request.query.get("hash") ?? ""
  if (asked === "" || asked === document.hash) return send(document, { ...options, accept: "negotiated", immutable: asked !== "" })
  const headers = { location: documentUrl(path, document.hash), etag: tagOf(document), vary: "Accept" }
  await sendBytes(outgoing, { status: 301, contentType: "application/json", body: Buffer.alloc(0), headers })
}

async function send(
  document: OpenApiDocument,
  options: { parts: ServerParts; request: RequestContext; outgoing: Outgoing; accept: "any" | "negotiated"; immutable?: boolean },
): Promise<void> {
  const { parts, request, outgoing, accept, immutable } = options
  if (accept === "negotiated" && !acceptsJson(request.headers.accept)) throw notAcceptable(["application/json"])
  const headers = {
    etag: tagOf(document),
    vary: "Accept-Encoding, Accept",
    ...(immutable === true && { "cache-control": "public, immutable", expires: new Date(parts.clock.nowMs() + yearMs).toUTCString() }),
  }
  if (matchesTag(request.headers["if-none-match"], headers.etag)) return sendNotModified(outgoing, headers)
  const compressed = parts.settings.compressResponses && acceptsGzip(request.headers["accept-encoding"])
  await sendBytes(outgoing, {
    status: 200,
    contentType: "application/json",
    body: compressed ? document.gzipped : await document.bytes(),
    headers: { ...headers, ...(compressed && { "content-encoding": "gzip" }) },
  })
}

function tagOf(document: OpenApiDocument): string {
  return `"${document.hash}"`
}

function acceptsJson(accept: string | undefined): boolean {
  const types = (accept ?? "*/*").split(",").map((clause) => clause.split(";", 1)[0]?.trim())
  return types.some((type) => type === "" || type === "*/*" || type === "application/*" || type === "application/json")
}
