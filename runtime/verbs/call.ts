/** A resource request as the verbs see it: how the body is read, and in which format the response is sent. */
import type { StatusDetails } from "../base/errors.ts"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import type { Registry, KindHandle } from "../registry/registry.ts"
import type { ListRequest } from "../registry/read.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Operation } from "../http/request/operation.ts"
import type { ServerParts } from "../server-parts.ts"
import { acceptsGzip, checkRendering, type Negotiated, negotiate, wantsPretty } from "../wire/negotiate.ts"
import { encodeStatus, sendBytes } from "../wire/send.ts"
import { successStatus } from "../wire/status.ts"
import { type ListOptions, listFreshness, readSelection, type Selection } from "./list/list-options.ts"

/**
 * A request whose kind is known, as the operations of verbs need it: `createOperation`, `updateOperation` and the
 * others take decoded input and return objects. The verbs around them read bodies and send answers.
 */
export interface ObjectRequest {
  readonly parts: ServerParts
  readonly registry: Registry
  readonly handle: KindHandle
  readonly request: Operation
}

/** Built by `route.ts` once the kind is known, and passed to one verb. */
export interface ResourceRequest extends ObjectRequest {
  readonly request: RequestContext
  readonly incoming: Incoming
  readonly outgoing: Outgoing
}

/** The format of the response, as negotiated. */
export interface ResponseFormat extends Negotiated {
  readonly indented: boolean
  readonly gzip: boolean
}

/**
 * Negotiates the format of the response. Every verb calls it first. Throws 406. `read`: the request changes nothing, so
 * `checkFormat` can follow when the response is known: 404 and 400 then come before 406, as in the reference. `tables`:
 * false for an answer that has no Table; an answer of a behaviour in place of the store never has one.
 */
export function negotiateResponse(
  call: ResourceRequest,
  answer: { list: boolean; watch?: boolean; read?: boolean; tables?: boolean },
): ResponseFormat {
  const { headers, query } = call.request
  const collection = call.request.info.name === ""
  const { vendor } = call.parts
  const compact = call.handle.kind.storage.format === "json" ? "metadata" : true
  const tables = answer.tables !== false && (answer.read === true || call.handle.kind.answeredBy === undefined)
  const negotiated = negotiate(headers.accept, { vendor, watch: answer.watch === true, collection, compact, tables })
  if (answer.watch !== true && answer.read !== true) checkFormat(call, negotiated, answer)
  return {
    indented: negotiated.media === "json" && wantsPretty({ query, userAgent: headers["user-agent"], negotiated }),
    gzip: call.parts.options["feature-gates"].APIResponseCompression === true && acceptsGzip(headers["accept-encoding"]),
    ...negotiated,
  }
}

/**
 * Throws 406 for a list requested as an object, or an object requested as a list. Reads call it before they respond.
 */
export function checkFormat(call: ResourceRequest, format: Negotiated, answer: { list: boolean }): void {
  const { kind } = call.handle
  checkRendering(format.as, { list: answer.list, kind: answer.list ? kind.listKind : kind.kind })
}

/** The part of a collection that a request selects. */
export interface CollectionScope extends Selection {
  readonly namespace: string
}

/**
 * Reads selectors and path of a collection request. Throws 400. A name in a field selector is used for a direct lookup
 * only if it identifies one object.
 */
export function collectionScope(call: ObjectRequest): CollectionScope {
  const { info, query } = call.request
  const { kind } = call.handle
  const { name: selected, ...selection } = readSelection(query, call.handle)
  const name = info.name !== "" ? info.name : kind.namespaced && info.namespace === "" ? undefined : selected
  return { namespace: info.namespace, ...(name !== undefined && name !== "" && { name }), ...selection }
}

/** Converts list options into a request to the registry. Throws 400. */
export function listRequest(call: ObjectRequest, options: ListOptions): ListRequest {
  const { kind } = call.handle
  const scope = collectionScope(call)
  return {
    namespace: scope.namespace,
    freshness: listFreshness(options),
    limit: options.limit,
    continueToken: options.continueToken,
    trace: call.request.trace,
    ...(scope.filter !== undefined && { filter: scope.filter, signal: call.request }),
    ...(scope.filterWork !== undefined && { filterWork: scope.filterWork }),
    ...(scope.selected !== undefined && { selected: scope.selected }),
    ...(scope.name !== undefined && { name: scope.name }),
    tokenScope: [kind.group, kind.resource, scope.namespace, scope.text].join("\0"),
  }
}

/**
 * Sends a Status of Success: the object is gone, or the action is done. Only a creation states its code, as in the
 * reference. A client that asked for a table or for metadata gets a Status too.
 */
export async function answerStatus(call: ResourceRequest, details: StatusDetails | undefined, status = 200): Promise<void> {
  const format = negotiate(call.request.headers.accept, { vendor: call.parts.vendor })
  const success = successStatus(details, call.parts.vendor)
  call.request.trace.answering()
  const body = encodeStatus(format.media, status === 201 ? { ...success, code: status } : success)
  call.request.audit?.answeredStatus(status, success)
  await sendBytes(call.outgoing, { status, contentType: format.contentType, body, warnings: call.request.warnings })
}
