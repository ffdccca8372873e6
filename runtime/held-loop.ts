/** What the log says when the event loop was held: which request it was, without the names and values that it carries. */
import type { Logger } from "pino"
import type { KindTable } from "./registry/kinds.ts"
import type { LoopHold } from "./loop-watch.ts"
import { RequestContext, type RequestInfo } from "./request.ts"
import type { Vendor } from "./vendor.ts"

interface Told {
  readonly log: Logger
  readonly kinds: KindTable
  readonly vendor: Vendor
}

/** Called after each hold. One line for each request that it may have been, one for debugging when it was none that is known. */
export function logHold(told: Told, { milliseconds, suspects }: LoopHold): void {
  const ms = Math.round(milliseconds)
  const requests = suspects.filter((suspect) => suspect instanceof RequestContext)
  for (const request of requests)
    told.log.warn(
      { milliseconds: ms, ...requestFields(told, request) },
      requests.length === 1 ? "a request held the event loop" : "this request or another one held the event loop",
    )
  // A start, a collection of the heap, a busy machine: for those who look for it.
  if (requests.length === 0) told.log.debug({ milliseconds: ms }, "the event loop was held, by no request that is known")
}

function requestFields(told: Told, { info, user, fault, incoming, outgoing }: RequestContext): object {
  const answerBytes = Number(outgoing.getHeader("content-length"))
  return {
    verb: fault === undefined ? info.verb : (incoming.method?.toLowerCase().slice(0, 16) ?? ""),
    path: fault === undefined ? pathTemplate(told, info) : "/{path}",
    user: user.name,
    requestBytes: Number(incoming.headers["content-length"] ?? 0),
    ...(Number.isFinite(answerBytes) && { answerBytes }),
  }
}

/** What is no part of a path that this server knows stands in braces: names are the client's affair. */
function pathTemplate({ kinds, vendor }: Told, info: RequestInfo): string {
  if (!info.isResource) return /^\/(api|apis|healthz|livez|metrics|openapi|readyz|version)(?=\/|$)/.exec(info.path)?.[0] ?? "/{path}"
  const kind = kinds.find(info.group, info.version, info.resource)
  if (kind === undefined) return "/apis/{group}/{version}/{resource}"
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${vendor.group(kind.group)}/${kind.version}`
  const subresource = kind.subresources.find(({ name }) => name === info.subresource)
  return [
    root,
    ...(info.namespace === "" ? [] : ["namespaces/{namespace}"]),
    kind.resource,
    ...(info.name === "" ? [] : ["{name}"]),
    ...(subresource === undefined ? [] : [subresource.name]),
    ...(info.tail.length === 0 ? [] : ["{path}"]),
  ].join("/")
}
