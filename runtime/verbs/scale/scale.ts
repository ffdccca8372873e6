/** `scale`: a view of the parent as an autoscaling/v1 Scale; catalog `resources.yaml` scale. */
import { assert } from "../../base/assert.ts"
import { badRequest, invalid } from "../../base/errors.ts"
import { deepClone, getPath, setPath } from "../../encoding/field-path.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Subresource } from "../../schema/kind.ts"
import { labelSelectorOf } from "../../query/selector.ts"
import { mutateObject } from "../../registry/admit.ts"
import { getObject } from "../../registry/read.ts"
import { updateObject } from "../../registry/update.ts"
import type { KindBody } from "../../server-parts.ts"
import type { Stages } from "../../base/turns.ts"
import { workOn } from "../../wire/long-documents.ts"
import { answerKindBody } from "../answer.ts"
import { attributesOf } from "../attributes.ts"
import { bodyOf, applyFieldValidation, readKindBody, renormalizing } from "../request-body.ts"
import { readApplyPatch } from "../apply.ts"
import { type ResourceRequest, negotiateResponse } from "../call.ts"
import { getFreshness } from "../list/list-options.ts"
import { patchTypeOf, readPatch } from "../patch.ts"
import { objectOf } from "../represent.ts"
import { scaleColumns } from "./scale-columns.ts"
import { scaleManagers, versionsOfScale } from "./scale-owners.ts"
import { readWriteOptions, type WriteOptions } from "../write-options.ts"

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" }

/** GET, PUT and PATCH of a scale. */
export async function answerScale(call: ResourceRequest, subresource: Subresource): Promise<void> {
  const { info, query } = call.request
  const format = negotiateResponse(call, { list: false })
  const kind = await call.parts.body(scaleKind)
  if (info.verb === "get") {
    const found = await getObject(call.registry, call.handle, {
      namespace: info.namespace,
      name: info.name,
      freshness: getFreshness(query),
    })
    return answerKindBody(call, {
      format,
      kind,
      object: scaleOf(objectOf(call.handle, found), subresource, call),
      columns: scaleColumns,
      status: 200,
    })
  }
  const change = info.verb === "patch" ? await patchedScale(call, subresource) : await sentScale(call)
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
    managedFields: "provided",
    admission: { view: (parent) => scaleOf(parent, subresource, call) },
    warn: (text) => call.request.warnings.push(text),
    transform: async (old) => {
      assert(old !== undefined, "scale never creates")
      const before = managers.view(scaleOf(old, subresource, call), old)
      const sent = await change.next(before)
      const ofScale = change.applied ? sent.metadata?.managedFields : managers.afterWrite(before, sent)
      const scale = await mutateObject(call.registry, attributes, { object: sent, old: before }, kind)
      return managers.intoParent(rescaled(call, subresource, { old, scale }), old, ofScale)
    },
  })
  await answerKindBody(call, { format, kind, object: scaleOf(result.object, subresource, call), columns: scaleColumns, status: 200 })
}

/** The change to a scale that a request makes. */
interface ScaleChange {
  readonly options: WriteOptions
  /** The result of `next` already has its managedFields. */
  readonly applied: boolean
  /** Makes the next Scale from that of the stored parent, which has its managedFields. */
  readonly next: (before: ApiObject) => ApiObject | Promise<ApiObject>
}

async function sentScale(call: ResourceRequest): Promise<ScaleChange> {
  const options = readWriteOptions(call.request.query, "UpdateOptions")
  const body = await readKindBody(call, await call.parts.body(scaleKind), options)
  return { options, applied: false, next: () => body }
}

async function patchedScale(call: ResourceRequest, subresource: Subresource): Promise<ScaleChange> {
  const type = patchTypeOf(call)
  const applied = type === "application/apply-patch+yaml"
  const options = readWriteOptions(call.request.query, applied ? "apply" : "PatchOptions")
  const { expiry } = call.request
  const body = await bodyOf(call)
  const kind = await call.parts.body(scaleKind)
  const patch = applied
    ? await readApplyPatch(call, body, { ...options, versions: versionsOfScale(kind), subresource: subresource.name, kind: kind.kind })
    : await readPatch(call, type, body)
  const sentWarnings = new Set<string>()
  return {
    options,
    applied,
    async next(before) {
      const { object, unknown } = await workOn(body.length, patchingScale(call, kind, patch.apply(before)), expiry)
      applyFieldValidation(call, [...patch.strictErrors, ...unknown], { fieldValidation: options.fieldValidation, sentWarnings })
      return object
    },
  }
}

function* patchingScale(call: ResourceRequest, kind: KindBody, work: Stages<JsonObject>): ReturnType<typeof renormalizing> {
  return yield* renormalizing(call, kind, yield* work)
}

/** Sets the parent's replicas from `scale`, whose uid and resourceVersion become preconditions. */
function rescaled(call: ResourceRequest, subresource: Subresource, change: { old: ApiObject; scale: ApiObject }): ApiObject {
  const { old, scale } = change
  const name = scale.metadata?.name ?? ""
  if (name !== call.request.info.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.request.info.name})`)
  const replicas = isObject(scale.spec) ? (scale.spec.replicas ?? 0) : 0
  if (typeof replicas !== "number" || replicas < 0) {
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

function scaleOf(parent: ApiObject, subresource: Subresource, call: ResourceRequest): ApiObject {
  const paths = pathsOf(subresource)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata ?? {}
  // An absent number means zero, and zero is omitted, as typed servers do.
  const replicas = getPath(parent, paths.specReplicas) ?? 0
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

/** The text form of a LabelSelector or of a plain map of labels. */
function textOfSelector(selector: JsonValue | undefined): string {
  if (!isObject(selector)) return ""
  const structured = selector.matchLabels !== undefined || selector.matchExpressions !== undefined
  return labelSelectorOf(structured ? selector : { matchLabels: selector }).toString()
}

function pathsOf(subresource: Subresource): NonNullable<Subresource["scale"]> {
  assert(subresource.scale !== undefined, "a scale sub-resource says where replicas are", { name: subresource.name })
  return subresource.scale
}
