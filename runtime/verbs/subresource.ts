/** Sub-resources: status writes its part of the parent, scale shows it in another shape, behaviours answer for the rest. */
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

/** Called by the router once the sub-resource is known and the method allowed. */
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

/** The body is the parent's kind. A behaviour may say what of it is taken. */
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

/** POST of a body that changes the parent: binding. Answers 201 with a Status. */
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

/** The object that a posted body is about: that of the path, or the body's own where the path names none (`/bindings`). Throws 400. */
function namedObject(call: ResourceRequest, body: ApiObject): string {
  const { info } = call.request
  const sent = body.metadata?.name ?? ""
  matchNamespace(body, info.namespace)
  if (info.name === "" && sent === "") throw badRequest("metadata.name must name the object that this is about")
  if (info.name !== "" && sent !== "" && sent !== info.name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${info.name})`)
  return info.name === "" ? sent : info.name
}

/** Sub-resource behaviours refuse by throwing; faults of the next object are the validator's to find. */
function changeScope(subresource: Subresource): ChangeContext {
  return { dryRun: false, subresource: subresource.name, failures: new Failures() }
}
