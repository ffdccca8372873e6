/** Logs which request held the event loop, without the names and values in that request. */
import type { Logger } from "pino"
import type { KindTable } from "../registry/kinds.ts"
import type { LoopHold } from "../base/event-loop-monitor.ts"
import { RequestContext } from "../http/request/context.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import type { Vendor } from "../base/vendor.ts"

interface HoldLogDeps {
  readonly log: Logger
  readonly kinds: KindTable
  readonly vendor: Vendor
}

/**
 * Called after each hold. Logs one warning for each suspected request, or a debug line when no request is suspected.
 */
export function logHold(told: HoldLogDeps, { milliseconds, suspects }: LoopHold): void {
  const ms = Math.round(milliseconds)
  const requests = suspects.filter((suspect) => suspect instanceof RequestContext)
  for (const request of requests)
    told.log.warn(
      { milliseconds: ms, ...requestFields(told, request) },
      requests.length === 1 ? "a request held the event loop" : "this request or another one held the event loop",
    )
  // The start, a garbage collection or a busy machine: of interest when debugging only.
  if (requests.length === 0) told.log.debug({ milliseconds: ms }, "the event loop was held, by no request that is known")
}

function requestFields(told: HoldLogDeps, { info, user, fault, incoming, outgoing }: RequestContext): object {
  const answerBytes = Number(outgoing.getHeader("content-length"))
  return {
    verb: fault === undefined ? info.verb : (incoming.method?.toLowerCase().slice(0, 16) ?? ""),
    path: fault === undefined ? pathTemplate(told, info) : "/{path}",
    user: user.name,
    requestBytes: Number(incoming.headers["content-length"] ?? 0),
    ...(Number.isFinite(answerBytes) && { answerBytes }),
  }
}

/** Path segments that the server does not know are replaced by placeholders in braces: names are private to clients. */
function pathTemplate({ kinds, vendor }: HoldLogDeps, info: RequestInfo): string {
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
