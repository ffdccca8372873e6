/** `scale`: a view of the parent as an autoscaling/v1 Scale; catalog `resources.yaml` scale. */
import { assert } from "../../base/assert.ts"
import { type ApiError, badRequest, conflict, internal, invalid, preconditionText } from "../../base/errors.ts"
import { deepClone, getPath, setPath } from "../../encoding/field-path.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Subresource } from "../../schema/kind.ts"
import { labelSelectorOf } from "../../query/selector.ts"
import { mutateObject } from "../../registry/admit.ts"
import { updateObject } from "../../registry/update.ts"
import type { KindBody } from "../../server-parts.ts"
import type { Stages } from "../../base/turns.ts"
import { workOn } from "../../wire/long-documents.ts"
import { answerKindBody } from "../answer.ts"
import { attributesOf } from "../attributes.ts"
import { bodyOf, applyFieldValidation, readKindBody, renormalizing } from "../request-body.ts"
import { type ApplyScope, readApplyPatch } from "../apply.ts"
import { negotiateResponse, type ObjectRequest, type ResourceRequest } from "../call.ts"
import { getOperation } from "../get.ts"
import type { Patch } from "../patch-document.ts"
import { patchTypeOf, readPatch } from "../patch.ts"
import { objectOf } from "../represent.ts"
import { matchPath } from "../update.ts"
import { scaleColumns } from "./scale-columns.ts"
import { scaleManagers, versionsOfScale } from "./scale-owners.ts"
import { readWriteOptions, type WriteOptions } from "../write-options.ts"

export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" }

/** GET, PUT and PATCH of a scale. */
export async function answerScale(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const format = negotiateResponse(call, { list: false })
  const kind = await call.parts.body(scaleKind)
  const object = await scaleAfter(call, subresource, kind)
  await answerKindBody(call, { format, kind, object, columns: scaleColumns, status: 200 })
}

async function scaleAfter(call: ResourceRequest, subresource: Subresource, kind: KindBody): Promise<ApiObject> {
  switch (call.request.info.verb) {
    case "get":
      return getScale(call, subresource)
    case "patch":
      return changeScale(call, subresource, await sentPatch(call, subresource, kind))
    default: {
      const options = readWriteOptions(call.request.query, "UpdateOptions")
      const body = await readKindBody(call, kind, options)
      return changeScale(call, subresource, replacedScale(body, options))
    }
  }
}

/** Reads the Scale of an object. Throws as a get. */
export async function getScale(call: ObjectRequest, subresource: Subresource): Promise<ApiObject> {
  const parent = objectOf(call.handle, await getOperation(call))
  const path = pathsOf(subresource).specReplicas
  if (call.handle.kind.custom !== undefined && getPath(parent, path) === undefined) throw missingReplicas("does not exist", path)
  return scaleOf(parent, subresource, call)
}

/** A definition gives absent replicas no meaning, so the Scale cannot be read, as in the reference. */
function missingReplicas(fault: "does not exist" | "cannot be empty", path: string): ApiError {
  const text = `the spec replicas field ${JSON.stringify(`.${path}`)} ${fault}`
  return fault === "does not exist" ? internal(text) : badRequest(text)
}

/** Replicas in the Scale that a write changes if a definition's object has no number, as in the reference. */
const unsetReplicas = -(2 ** 31)

/** Changes the parent's replicas, and returns its Scale. */
export async function changeScale(call: ObjectRequest, subresource: Subresource, change: ScaleChange): Promise<ApiObject> {
  const kind = await call.parts.body(scaleKind)
  const { options } = change
  const attributes = attributesOf(call, "UPDATE", options, scaleKind)
  const managers = await scaleManagers(call, attributes, {
    kind,
    subresource: subresource.name,
    replicas: pathsOf(subresource).specReplicas,
  })
  const result = await updateObject(call.registry, call.handle, {
    attributes,
    put: false,
    ...(change.sentUid !== undefined && { sentUid: change.sentUid }),
    managedFields: "provided",
    admission: { view: (parent) => scaleOf(parent, subresource, call) },
    transform: async (old) => {
      assert(old !== undefined, "scale never creates")
      const before = managers.view(scaleOf(old, subresource, call), old)
      const sent = await change.next(before)
      matchPath(call, sent)
      if (change.sentUid === undefined) checkPatchedUid(call, subresource, { old, sent })
      const ofScale = change.applied ? sent.metadata?.managedFields : managers.afterWrite(before, sent)
      const scale = await mutateObject(call.registry, attributes, { object: sent, old: before }, kind)
      return managers.intoParent(rescaled(call, subresource, { old, scale }), old, ofScale)
    },
  })
  return scaleOf(result.object, subresource, call)
}

/** The change to a scale that a request makes. */
export interface ScaleChange {
  readonly options: WriteOptions
  /** The result of `next` already has its managedFields. */
  readonly applied: boolean
  /** Makes the next Scale from the stored parent's Scale, which has its managedFields. */
  readonly next: (before: ApiObject) => ApiObject | Promise<ApiObject>
  /** The uid in the body of a PUT, which the parent must have. Absent: the request is a patch. */
  readonly sentUid?: string
}

/** Throws 409 if a patch has given the Scale another uid. The reference names the sub-resource there. */
function checkPatchedUid(call: ObjectRequest, subresource: Subresource, { old, sent }: { old: ApiObject; sent: ApiObject }): void {
  const { uid: stored = "" } = old.metadata ?? {}
  const { uid: asked = "" } = sent.metadata ?? {}
  if (asked === "" || asked === stored) return
  const { group, resource } = call.handle.kind
  const { name } = call.request.info
  throw conflict({ group, resource: `${resource}/${subresource.name}`, name }, preconditionText("UID", asked, stored))
}

/** The change that a PUT of a Scale makes. */
export function replacedScale(body: ApiObject, options: WriteOptions): ScaleChange {
  return { options, applied: false, next: () => body, sentUid: body.metadata?.uid ?? "" }
}

async function sentPatch(call: ResourceRequest, subresource: Subresource, kind: KindBody): Promise<ScaleChange> {
  const type = patchTypeOf(call)
  const applied = type === "application/apply-patch+yaml"
  const options = readWriteOptions(call.request.query, applied ? "apply" : "PatchOptions")
  const body = await bodyOf(call)
  const patch = applied ? await readApplyPatch(call, body, scaleApplyScope(kind, subresource, options)) : await readPatch(call, type, body)
  return patchedScale(call, kind, { patch, options, applied })
}

/** The scope of a server-side apply to a scale. */
export function scaleApplyScope(kind: KindBody, subresource: Subresource, options: WriteOptions): ApplyScope {
  return { ...options, versions: versionsOfScale(kind), subresource: subresource.name, kind: kind.kind }
}

/** The change that a parsed patch makes to a scale. */
export function patchedScale(
  call: ObjectRequest,
  kind: KindBody,
  { patch, options, applied }: { patch: Patch; options: WriteOptions; applied: boolean },
): ScaleChange {
  const { expiry, pace } = call.request
  const sentWarnings = new Set<string>()
  return {
    options,
    applied,
    async next(before) {
      const { object, unknown } = await workOn(pace.bytes, patchingScale(call, kind, patch.apply(before)), expiry)
      applyFieldValidation(call, [...patch.strictErrors, ...unknown], { fieldValidation: options.fieldValidation, sentWarnings })
      return object
    },
  }
}

function* patchingScale(call: ObjectRequest, kind: KindBody, work: Stages<JsonObject>): ReturnType<typeof renormalizing> {
  return yield* renormalizing(call, kind, yield* work)
}

/** Sets the parent's replicas from `scale`, whose uid and resourceVersion become preconditions. */
function rescaled(call: ObjectRequest, subresource: Subresource, change: { old: ApiObject; scale: ApiObject }): ApiObject {
  const { old, scale } = change
  const { name } = call.request.info
  const replicas = isObject(scale.spec) ? (scale.spec.replicas ?? 0) : 0
  const isCustom = call.handle.kind.custom !== undefined
  if (isCustom && replicas === unsetReplicas) throw missingReplicas("cannot be empty", pathsOf(subresource).specReplicas)
  // The validator of a definition's objects refuses negative numbers itself.
  if (typeof replicas !== "number" || (replicas < 0 && !isCustom)) {
    throw invalid({ group: "autoscaling", resource: "Scale", name }, [
      { type: "Invalid", field: "spec.replicas", value: replicas, detail: "must be greater than or equal to 0" },
    ])
  }
  const { uid, resourceVersion } = scale.metadata ?? {}
  const next: ApiObject = {
    ...deepClone(old),
    metadata: { ...old.metadata, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
  }
  setPath(next, pathsOf(subresource).specReplicas, replicas)
  return next
}

function scaleOf(parent: ApiObject, subresource: Subresource, call: ObjectRequest): ApiObject {
  const paths = pathsOf(subresource)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata ?? {}
  // An absent number of a built-in kind means zero, and zero is omitted, as typed servers do.
  const replicas = getPath(parent, paths.specReplicas) ?? (call.handle.kind.custom === undefined ? 0 : unsetReplicas)
  const selector = paths.selector === undefined ? "" : textOfSelector(getPath(parent, paths.selector))
  return {
    kind: "Scale",
    apiVersion: call.parts.vendor.apiVersion("autoscaling/v1"),
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: getPath(parent, paths.statusReplicas) ?? 0, ...(selector !== "" && { selector }) },
  }
}

/** The text form of a LabelSelector or of a plain map of labels. Definitions' objects have it as a text. */
function textOfSelector(selector: JsonValue | undefined): string {
  if (typeof selector === "string") return selector
  if (!isObject(selector)) return ""
  const structured = selector.matchLabels !== undefined || selector.matchExpressions !== undefined
  return labelSelectorOf(structured ? selector : { matchLabels: selector }).toString()
}

function pathsOf(subresource: Subresource): NonNullable<Subresource["scale"]> {
  assert(subresource.scale !== undefined, "a scale sub-resource says where replicas are", { name: subresource.name })
  return subresource.scale
}
