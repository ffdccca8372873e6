/** One resource request on its way through a verb: how its body is read, and what its answer looks like. */
import type { StatusDetails } from "../base/errors.ts"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import type { Registry, KindHandle } from "../registry/registry.ts"
import type { ListRequest } from "../registry/read.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptsGzip, checkRendering, type Negotiated, negotiate, wantsPretty } from "../wire/negotiate.ts"
import { encodeStatus, sendBytes } from "../wire/send.ts"
import { successStatus } from "../wire/status.ts"
import { type ListOptions, listFreshness, readSelection, type Selection } from "./list/list-options.ts"

/** Made by `route.ts` once the kind is known; handed to exactly one verb. */
export interface ResourceRequest {
  readonly parts: ServerParts
  readonly registry: Registry
  readonly handle: KindHandle
  readonly request: RequestContext
  readonly incoming: Incoming
  readonly outgoing: Outgoing
}

/** The representation that the client asked for, and how it is laid out. */
export interface ResponseFormat extends Negotiated {
  readonly indented: boolean
  readonly gzip: boolean
}

/**
 * Called first by every verb, before any work is done. Throws 406. `read`: nothing is changed, so whether the rendering fits is asked when
 * the answer is there (`checkFormat`): what is not found or not valid is told first, as the reference does.
 */
export function negotiateResponse(call: ResourceRequest, answer: { list: boolean; watch?: boolean; read?: boolean }): ResponseFormat {
  const { headers, query } = call.request
  const collection = call.request.info.name === ""
  const negotiated = negotiate(headers.accept, { vendor: call.parts.vendor, watch: answer.watch === true, collection })
  if (answer.watch !== true && answer.read !== true) checkFormat(call, negotiated, answer)
  return {
    indented: negotiated.media === "json" && wantsPretty({ query, userAgent: headers["user-agent"], negotiated }),
    gzip: call.parts.options["feature-gates"].APIResponseCompression === true && acceptsGzip(headers["accept-encoding"]),
    ...negotiated,
  }
}

/** Called by reads once their answer is at hand: a list cannot be shown as one object, nor one object as a list. Throws 406. */
export function checkFormat(call: ResourceRequest, format: Negotiated, answer: { list: boolean }): void {
  const { kind } = call.handle
  checkRendering(format.as, { list: answer.list, kind: answer.list ? kind.listKind : kind.kind })
}

/** What of a collection a request is about. */
export interface CollectionScope extends Selection {
  readonly namespace: string
}

/** Selectors and path of a collection request. A selected name is used as such only where it names one object. Throws 400. */
export function collectionScope(call: ResourceRequest): CollectionScope {
  const { info, query } = call.request
  const { kind } = call.handle
  const { name: selected, ...selection } = readSelection(query, call.handle)
  const name = info.name !== "" ? info.name : kind.namespaced && info.namespace === "" ? undefined : selected
  return { namespace: info.namespace, ...(name !== undefined && name !== "" && { name }), ...selection }
}

/** A list request in the registry's words. Throws 400. */
export function listRequest(call: ResourceRequest, options: ListOptions): ListRequest {
  const { kind } = call.handle
  const scope = collectionScope(call)
  return {
    namespace: scope.namespace,
    freshness: listFreshness(options),
    limit: options.limit,
    continueToken: options.continueToken,
    ...(scope.filter !== undefined && { filter: scope.filter, signal: call.request }),
    ...(scope.filterWork !== undefined && { filterWork: scope.filterWork }),
    ...(scope.selected !== undefined && { selected: scope.selected }),
    ...(scope.name !== undefined && { name: scope.name }),
    tokenScope: [kind.group, kind.resource, scope.namespace, scope.text].join("\0"),
  }
}

/**
 * A Status Success: the object is gone, or the action was taken. Only a creation says its code, as in the reference. A client that asked for a
 * table or for metadata gets the Status as well.
 */
export async function answerStatus(call: ResourceRequest, details: StatusDetails | undefined, status = 200): Promise<void> {
  const format = negotiate(call.request.headers.accept, { vendor: call.parts.vendor })
  const success = successStatus(details, call.parts.vendor)
  const body = encodeStatus(format.media, status === 201 ? { ...success, code: status } : success)
  await sendBytes(call.outgoing, { status, contentType: format.contentType, body, warnings: call.request.warnings })
}
