/** Sub-resources: status writes a part of the parent, scale converts it, behaviours implement the others. */
import { badRequest, methodNotAllowed, notFound } from "../base/errors.ts"
import type { ChangeContext } from "../schema/behaviour.ts"
import { Failures } from "../base/failure.ts"
import type { ApiObject } from "../base/json.ts"
import type { Subresource } from "../schema/kind.ts"
import { mutateObject, validateObject } from "../registry/admit.ts"
import { updateObject } from "../registry/update.ts"
import { handlePost } from "./subresource-action.ts"
import { attributesOf } from "./attributes.ts"
import { readKindBody } from "./request-body.ts"
import { answerStatus, type ResourceRequest } from "./call.ts"
import { connectVerb } from "./connect.ts"
import { matchNamespace } from "./create.ts"
import { getVerb } from "./get.ts"
import { patchVerb } from "./patch.ts"
import { answerScale } from "./scale/scale.ts"
import { updateVerb } from "./update.ts"
import { readWriteOptions } from "./write-options.ts"

/** Called by the router, after it has found the sub-resource and checked the method. */
export async function answerSubresource(call: ResourceRequest, subresource: Subresource): Promise<void> {
  switch (subresource.type) {
    case "scale":
      return answerScale(call, subresource)
    case "status":
      return onParent(call, subresource)
    case "behaviour":
      return call.request.info.verb === "create" ? postVerb(call, subresource) : onParent(call, subresource)
    case "connect":
      return connectVerb(call, subresource)
  }
}

/** For bodies of the parent's kind. A behaviour may choose which part is taken. */
async function onParent(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const behaviour = subresource.behaviour === undefined ? undefined : call.registry.subresourceBehaviour(subresource.behaviour)
  const take = behaviour?.update?.bind(behaviour)
  const next = take === undefined ? undefined : (body: ApiObject, old: ApiObject) => take(body, old, changeScope(subresource))
  switch (call.request.info.verb) {
    case "get":
      return getVerb(call)
    case "update":
      return updateVerb(call, subresource, next)
    case "patch":
      return patchVerb(call, { subresource, ...(next !== undefined && { next }) })
    default:
      throw methodNotAllowed()
  }
}

/** POST of a body that changes the parent: binding. Responds 201 with a Status. */
async function postVerb(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const { query, warnings } = call.request
  const behaviour = subresource.behaviour === undefined ? undefined : call.registry.subresourceBehaviour(subresource.behaviour)
  if (behaviour?.act !== undefined) return handlePost(call, subresource, behaviour)
  const act = behaviour?.create?.bind(behaviour)
  if (act === undefined) throw methodNotAllowed()
  const options = readWriteOptions(query, "CreateOptions")
  const posted = subresource.kind ?? call.handle.kind
  const form = await call.parts.body(posted)
  const sent = await readKindBody(call, form, options)
  const name = namedObject(call, sent)
  const attributes = attributesOf(call, "CREATE", options, posted)
  attributes.name = name
  const body = await mutateObject(call.registry, attributes, { object: sent }, form)
  behaviour?.validate?.(body, name)
  await validateObject(call.registry, attributes, { object: body })
  await updateObject(call.registry, call.handle, {
    attributes,
    admission: "done",
    subresource,
    put: false,
    warn: (text) => warnings.push(text),
    transform: (old) => {
      if (old === undefined) throw notFound({ group: call.handle.kind.group, resource: call.handle.kind.resource, name })
      return act(body, old, changeScope(subresource))
    },
  })
  await answerStatus(call, undefined, 201)
}

/** The name of the object that a body refers to: from the path, else from the body (`/bindings`). Throws 400. */
function namedObject(call: ResourceRequest, body: ApiObject): string {
  const { info } = call.request
  const sent = body.metadata?.name ?? ""
  matchNamespace(body, info.namespace)
  if (info.name === "" && sent === "") throw badRequest("metadata.name must name the object that this is about")
  if (info.name !== "" && sent !== "" && sent !== info.name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${info.name})`)
  return info.name === "" ? sent : info.name
}

/** Sub-resource behaviours throw to refuse. The validator checks the next object. */
function changeScope(subresource: Subresource): ChangeContext {
  return { dryRun: false, subresource: subresource.name, failures: new Failures() }
}
