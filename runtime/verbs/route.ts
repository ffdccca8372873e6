/** From a resource path to its verb: is the group version there, the resource, the sub-resource, the method. Specification section 4.2. */
import { badRequest, methodNotAllowed, unknownPath } from "../errors.ts"
import { pathSegmentFaults } from "../kit/names.ts"
import type { Kind, Subresource } from "../kit/kind.ts"
import type { RequestInfo } from "../request.ts"
import type { ServerContext } from "../server-env.ts"
import type { ServerParts } from "../server-parts.ts"
import { answerUnknownPath } from "../wire/send.ts"
import type { Call } from "./call.ts"
import { createVerb } from "./create.ts"
import { deleteCollectionVerb } from "./delete-collection.ts"
import { deleteVerb } from "./delete.ts"
import { getVerb } from "./get.ts"
import { listVerb } from "./list.ts"
import { patchVerb } from "./patch.ts"
import { answerSubresource } from "./subresource.ts"
import { updateVerb } from "./update.ts"
import { watchVerb } from "./watch.ts"

const verbs: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  get: getVerb,
  list: listVerb,
  watch: watchVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb,
}

/** Called for every resource path. Throws ApiError; on return the answer is written, or being streamed. */
export async function answerResource(parts: ServerParts, context: ServerContext): Promise<void> {
  const request = context.get("request")
  const { info } = request
  const kind = parts.kinds.find(info.group, info.version, info.resource)
  if (kind === undefined && !parts.kinds.hasGroup(info.group)) return answerUnknownPath(context.env.outgoing)
  if (kind === undefined || info.tail.length > 0 || (!kind.namespaced && info.namespace !== "")) throw unknownPath()
  checkName(info)
  const subresource = info.subresource === "" ? undefined : kind.subresources.find((candidate) => candidate.name === info.subresource)
  if (info.subresource !== "" && subresource === undefined) throw unknownPath()
  checkMethod(kind, subresource, info)
  const handle = await parts.registry.handle(kind)
  const call: Call = { parts, registry: parts.registry, handle, request, incoming: context.env.incoming, outgoing: context.env.outgoing }
  if (subresource !== undefined) return answerSubresource(call, subresource)
  await verbs[info.verb]?.(call)
}

function checkMethod(kind: Kind, subresource: Subresource | undefined, info: RequestInfo): void {
  if (subresource !== undefined) {
    if (info.method === "HEAD" || !subresource.verbs.some((verb) => verb === info.verb)) throw methodNotAllowed()
    return
  }
  const onCollection = info.name === ""
  const needsName = info.verb === "update" || info.verb === "patch" || info.verb === "get" || info.verb === "delete"
  if (info.watchPath && info.verb !== "watch") throw methodNotAllowed()
  const allowed = kind.verbs.some((verb) => verb === info.verb) && info.verb in verbs && info.method !== "HEAD"
  if (!allowed || (onCollection && needsName) || (!onCollection && info.verb === "create")) throw methodNotAllowed()
  const needsNamespace = kind.namespaced && info.namespace === ""
  if (needsNamespace && (info.name !== "" || info.verb === "create" || info.verb === "deletecollection") && info.verb !== "watch")
    throw methodNotAllowed()
}

/** A name that no object can have is a client's mistake, told as one. */
function checkName(info: RequestInfo): void {
  if (info.name === "" || info.verb === "create") return
  const faults = pathSegmentFaults(info.name)
  if (faults.length > 0) throw badRequest(`invalid resource name ${JSON.stringify(info.name)}: ${faults.join(", ")}`)
}
