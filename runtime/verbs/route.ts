/**
 * Finds the verb for a resource path: checks group version, resource, sub-resource and method. Specification section
 * 4.2.
 */
import { assert } from "../base/assert.ts"
import { badRequest, methodNotAllowed, notFound, notYetServed, unknownPath } from "../base/errors.ts"
import { pathSegmentFaults } from "../schema/names.ts"
import type { Connect, Kind, Subresource } from "../schema/kind.ts"
import type { Vendor } from "../base/vendor.ts"
import type { RequestAudit } from "../http/request/audit.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Operation } from "../http/request/operation.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import { repeatedFor } from "../registry/released-kind.ts"
import type { ServerParts } from "../server-parts.ts"
import { answerUnknownPath } from "../wire/send.ts"
import type { ResourceRequest } from "./call.ts"
import { createVerb } from "./create.ts"
import { deleteCollectionVerb } from "./delete-collection.ts"
import { deleteVerb } from "./delete.ts"
import { getVerb } from "./get.ts"
import { listVerb } from "./list/list.ts"
import { patchVerb } from "./patch.ts"
import { answerSubresource } from "./subresource.ts"
import { updateVerb } from "./update.ts"
import { watchVerb } from "./watch/watch.ts"

const verbs: Readonly<Record<string, (call: ResourceRequest) => Promise<void>>> = {
  get: getVerb,
  list: listVerb,
  watch: watchVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb,
}

/** As in the reference. `verbs` of a sub-resource are its names in authorization and discovery. */
const connectMethods: Readonly<Record<Connect, readonly string[]>> = {
  log: ["GET"],
  attach: ["GET", "POST"],
  exec: ["GET", "POST"],
  portforward: ["GET", "POST"],
  proxy: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
}

/** Called for every resource path. Throws ApiError. On return the response is sent, or streaming. */
export function answerResource(parts: ServerParts, request: RequestContext): Promise<void> {
  return repeatedFor(request, () => answerAsServed(parts, request))
}

/** Answers by the kind that the table has now. */
async function answerAsServed(parts: ServerParts, request: RequestContext): Promise<void> {
  const { info, incoming, outgoing } = request
  if (isForeignPath(parts, info)) return answerUnknownPath(outgoing)
  const { kind, subresource } = routeOf(parts, request)
  const handle = parts.registry.opened(kind) ?? (await parts.registry.handle(kind))
  const call: ResourceRequest = { parts, registry: parts.registry, handle, request, incoming, outgoing }
  if (subresource !== undefined) return answerSubresource(call, subresource)
  await verbs[info.verb]?.(call)
}

/**
 * Whether the path belongs neither to the server's own groups nor to a kind of a definition. The reference then answers
 * with plain text.
 */
function isForeignPath({ kinds }: Pick<ServerParts, "kinds">, info: RequestInfo): boolean {
  const kind = kinds.find(info.group, info.version, info.resource)
  if (kind === undefined) return kinds.isComplete && !kinds.hasFixedGroup(info.group)
  return kind.custom !== undefined && !isPath(kind, info)
}

/**
 * Finds the kind and sub-resource that handle a request. Adds the warning of a deprecated version. Throws 400, 404 or
 * 405, or 503 while the kinds of definitions are still being read.
 */
export function routeOf(
  parts: Pick<ServerParts, "kinds" | "vendor">,
  { info, warnings, audit }: Pick<Operation, "info" | "warnings" | "audit">,
): { readonly kind: Kind; readonly subresource: Subresource | undefined } {
  const kind = parts.kinds.find(info.group, info.version, info.resource)
  if (kind === undefined && !parts.kinds.isComplete) throw notYetServed()
  if (kind === undefined || !isPath(kind, info)) throw unknownPath()
  const subresource = info.subresource === "" ? undefined : kind.subresources.find((candidate) => candidate.name === info.subresource)
  if (info.subresource !== "" && subresource === undefined)
    throw kind.custom === undefined ? unknownPath() : notFound({ group: kind.group, resource: kind.resource, name: info.name })
  if (info.tail.length > 0 && subresource?.connect !== "proxy") throw unknownPath()
  checkMethod(kind, subresource, info)
  const warning = parts.kinds.warningOf(kind, parts.vendor.group)
  if (warning !== undefined) {
    warnings.push(warning)
    if (audit !== undefined) auditDeprecation(parts.vendor, audit, warning)
  }
  checkName(info)
  return postedTo(parts, kind) ?? { kind, subresource }
}

/** Events show which clients use a version that will be removed. */
function auditDeprecation({ groupDomain }: Vendor, audit: RequestAudit, warning: string): void {
  audit.annotate(`${groupDomain}/deprecated`, "true")
  const [, release] = /unavailable in v(\d+\.\d+)\+/.exec(warning) ?? []
  if (release !== undefined) audit.annotate(`${groupDomain}/removed-release`, release)
}

/**
 * Whether the path exists for the kind, with any method: a namespaced object needs its namespace, and only collections
 * and objects can be watched.
 */
function isPath(kind: Kind, info: RequestInfo): boolean {
  if (info.watchPath && info.subresource !== "") return false
  return kind.namespaced ? info.namespace !== "" || info.name === "" : info.namespace === ""
}

/** For a kind that is never stored (`postsTo`): the kind and sub-resource that handle a POST of it. */
function postedTo(
  parts: Pick<ServerParts, "kinds">,
  { group, version, postsTo }: Kind,
): { kind: Kind; subresource: Subresource } | undefined {
  if (postsTo === undefined) return undefined
  const kind = parts.kinds.find(group, version, postsTo.resource)
  const subresource = kind?.subresources.find(({ name }) => name === postsTo.subresource)
  assert(kind !== undefined && subresource !== undefined, "the generator has looked for it", postsTo)
  return { kind, subresource }
}

function checkMethod(kind: Kind, subresource: Subresource | undefined, info: RequestInfo): void {
  if (subresource?.connect !== undefined) {
    if (!connectMethods[subresource.connect].includes(info.method)) throw methodNotAllowed()
    return
  }
  if (subresource !== undefined) {
    if (info.method === "HEAD" || !subresource.verbs.some((verb) => verb === info.verb)) throw methodNotAllowed()
    return
  }
  const onCollection = info.name === ""
  const needsName = info.verb === "update" || info.verb === "patch" || info.verb === "get" || info.verb === "delete"
  if (info.watchPath && info.method !== "GET") throw methodNotAllowed()
  const allowed = kind.verbs.some((verb) => verb === info.verb) && info.verb in verbs && info.method !== "HEAD"
  if (!allowed || (onCollection && needsName) || (!onCollection && info.verb === "create")) throw methodNotAllowed()
  const needsNamespace = kind.namespaced && info.namespace === ""
  if (needsNamespace && (info.verb === "create" || info.verb === "deletecollection")) throw methodNotAllowed()
}

/** Throws 400 for a name that no object can have. */
function checkName(info: RequestInfo): void {
  if (info.name === "" || info.verb === "create") return
  const faults = pathSegmentFaults(info.name)
  if (faults.length > 0) throw badRequest(`invalid resource name ${JSON.stringify(info.name)}: ${faults.join(", ")}`)
}
