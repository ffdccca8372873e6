/** Sub-resources: status writes a part of the parent, scale converts it, behaviours implement the others. */
import type { OpenAttributes } from "../admission/plugin.ts"
import { badRequest, invalid, methodNotAllowed, notFound, otherName } from "../base/errors.ts"
import type { ChangeContext, SubresourceBehaviour } from "../schema/behaviour.ts"
import { Failures } from "../base/failure.ts"
import type { ApiObject } from "../base/json.ts"
import type { Subresource } from "../schema/kind.ts"
import type { KindBody } from "../server-parts.ts"
import { mutateObject, validateObject } from "../registry/admit.ts"
import { updateObject } from "../registry/update.ts"
import { objectAccess } from "./subresource-action.ts"
import { attributesOf } from "./attributes.ts"
import { readKindBody } from "./request-body.ts"
import { answerKindBody } from "./answer.ts"
import { answerStatus, negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { connectVerb } from "./connect.ts"
import { matchNamespace } from "./match-namespace.ts"
import { getVerb } from "./get.ts"
import { patchVerb } from "./patch.ts"
import { answerScale } from "./scale/scale.ts"
import { updateVerb, type WriteScope } from "./update.ts"
import { readWriteOptions, type WriteOptions } from "./write-options.ts"

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

/** For bodies of the parent's kind. A behaviour may choose the part of the body that is used. */
async function onParent(call: ResourceRequest, subresource: Subresource): Promise<void> {
  switch (call.request.info.verb) {
    case "get":
      return getVerb(call)
    case "update":
      return updateVerb(call, writeScope(call, subresource))
    case "patch":
      return patchVerb(call, writeScope(call, subresource))
    default:
      throw methodNotAllowed()
  }
}

/** The rules for a PUT or PATCH of a sub-resource with a body of the parent's kind. */
export function writeScope({ registry }: ObjectRequest, subresource: Subresource): WriteScope {
  const behaviour = subresource.behaviour === undefined ? undefined : registry.subresourceBehaviour(subresource.behaviour)
  const take = behaviour?.update?.bind(behaviour)
  return { subresource, ...(take !== undefined && { next: (body, old) => take(body, old, changeScope(subresource)) }) }
}

/** POST of a body to a sub-resource. Responds 201 with a Status, or with the object that answers. */
async function postVerb(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const posted = await postedForm(call, subresource)
  const format = negotiateResponse(call, { list: false, tables: false })
  const options = readWriteOptions(call.request.query, "CreateOptions")
  const body = await readKindBody(call, posted.form, { ...options, apiVersions: posted.apiVersions })
  const object = await postOperation(call, { ...posted, subresource, body, options })
  if (object === undefined) return answerStatus(call, undefined, 201)
  return answerKindBody(call, { format, kind: posted.form, object, columns: [], status: 201 })
}

/** The body that a POST to a sub-resource takes, and the behaviour that handles it. */
export interface PostedForm {
  readonly behaviour: SubresourceBehaviour
  readonly form: KindBody
  /** The versions that the body may state. */
  readonly apiVersions: readonly string[]
}

/** Called before the body is read. Throws 405 for a sub-resource without POST. */
export async function postedForm({ parts, registry, handle }: ObjectRequest, subresource: Subresource): Promise<PostedForm> {
  const behaviour = subresource.behaviour === undefined ? undefined : registry.subresourceBehaviour(subresource.behaviour)
  if (behaviour?.act === undefined && behaviour?.create === undefined && behaviour?.answer === undefined) throw methodNotAllowed()
  const form = await parts.body(subresource.kind ?? handle.kind)
  const versions = (behaviour.acceptedVersions ?? []).map((version) => parts.vendor.apiVersion(version))
  return { behaviour, form, apiVersions: [form.apiVersion, ...versions] }
}

/** A POST whose body is decoded. */
export interface Post extends Pick<PostedForm, "behaviour" | "form"> {
  readonly subresource: Subresource
  readonly body: ApiObject
  readonly options: WriteOptions
}

/**
 * Admits the body, then performs the action of the behaviour (eviction), changes the parent (binding), or returns the
 * object that answers (token).
 */
export async function postOperation(call: ObjectRequest, post: Post): Promise<ApiObject | undefined> {
  const { behaviour, form, subresource, options } = post
  const { info } = call.request
  matchNamespace(post.body, info.namespace)
  const changesParent = behaviour.create !== undefined
  const name = changesParent ? namedObject(call, post) : info.name
  const attributes = attributesOf(call, "CREATE", options, subresource.kind ?? call.handle.kind)
  attributes.name = name
  const body = await mutateObject(call.registry, attributes, { object: post.body }, form)
  behaviour.validate?.(body, name)
  if (behaviour.answer !== undefined) checkBody(call, post, body)
  await validateObject(call.registry, attributes, { object: body })
  if (changesParent) {
    await changeParent(call, { ...post, body }, attributes)
    return undefined
  }
  const place = { body, namespace: info.namespace, name }
  const objects = objectAccess(call, attributes)
  if (behaviour.answer === undefined) {
    await behaviour.act?.({ ...place, dryRun: options.dryRun, objects })
    return undefined
  }
  return behaviour.answer({ ...place, user: call.request.user, access: call.parts.access, objects, warn: attributes.warn })
}

/** Throws 422 for a body that breaks a rule of its schema. */
function checkBody({ parts, handle }: ObjectRequest, { form, subresource }: Post, body: ApiObject): void {
  const failures = new Failures()
  form.validate(body, { failures, vendor: parts.vendor })
  const { group } = subresource.kind ?? handle.kind
  if (!failures.empty) throw invalid({ group, resource: form.kind, name: body.metadata?.name ?? "" }, failures.list)
}

async function changeParent(call: ObjectRequest, { behaviour, subresource, body }: Post, attributes: OpenAttributes): Promise<void> {
  const { group, resource } = call.handle.kind
  await updateObject(call.registry, call.handle, {
    attributes,
    admission: "done",
    subresource,
    put: false,
    transform: (old) => {
      if (old === undefined || behaviour.create === undefined) throw notFound({ group, resource, name: attributes.name })
      return behaviour.create(body, old, changeScope(subresource))
    },
  })
}

/** The name of the object that a body refers to: from the path, else from the body (`/bindings`). Throws 400. */
function namedObject({ request: { info } }: ObjectRequest, { body, form }: Pick<Post, "body" | "form">): string {
  const sent = body.metadata?.name ?? ""
  if (info.name === "" && sent === "") throw badRequest("Name parameter required: metadata.name must name the object that this is about")
  if (info.name !== "" && sent !== "" && sent !== info.name) throw otherName(form.kind, sent, info.name)
  return info.name === "" ? sent : info.name
}

/** Sub-resource behaviours throw to refuse. The validator checks the next object. */
function changeScope(subresource: Subresource): ChangeContext {
  return { dryRun: false, subresource: subresource.name, failures: new Failures() }
}
