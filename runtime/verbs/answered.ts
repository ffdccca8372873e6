/** POST of a kind that is not stored: a behaviour answers it (`answeredBy` of a schema). */
import type { OpenAttributes } from "../admission/plugin.ts"
import { withManagers } from "../apply/managed-fields/with-managers.ts"
import { assert } from "../base/assert.ts"
import { invalid } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import { sentForms } from "../encoding/sent-forms.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { mutateObject, validateByKind, validateObject } from "../registry/admit.ts"
import { dedupOwnerReferences } from "../registry/owner-references.ts"
import { managerOf, updateManagedFields } from "../registry/managed-fields.ts"
import { attributesOf } from "./attributes.ts"
import type { ObjectRequest } from "./call.ts"
import { matchNamespace } from "./match-namespace.ts"
import { objectAccess } from "./subresource-action.ts"
import type { WriteOptions } from "./write-options.ts"

/**
 * Answers a decoded object. It passes admission and validation like a created object. Nothing is stored, so a dry run
 * does the same. Throws ApiError.
 */
export async function answeredOperation(call: ObjectRequest, sent: ApiObject, options: WriteOptions): Promise<ApiObject> {
  const { registry, handle, request, parts } = call
  const { kind } = handle
  const behaviour = registry.subresourceBehaviour(kind.answeredBy ?? "")
  assert(behaviour.answer !== undefined, "a behaviour that answers a kind has the function answer", { kind: kind.kind })
  matchNamespace(sent, request.info.namespace)
  dropSystemFields(sent)
  const attributes = attributesOf(call, "CREATE", options)
  dedupOwnerReferences(sent, attributes.warn)
  const object = await withManagedFields(call, sent, attributes)
  const body = await mutateObject(registry, attributes, { object }, handle.parts)
  behaviour.validate?.(body, "")
  const failures = new Failures()
  await validateByKind(handle.parts, body, { failures, vendor: parts.vendor, bytes: request.pace.bytes })
  if (!failures.empty) throw invalid({ group: kind.group, resource: "" }, failures.list)
  await validateObject(registry, attributes, { object: body })
  const { namespace } = request.info
  return behaviour.answer({
    body,
    namespace,
    name: "",
    user: request.user,
    access: { ...parts.access, authenticate: (token, audiences) => parts.access.authenticate(token, audiences, request) },
    objects: objectAccess(call, attributes),
    warn: attributes.warn,
  })
}

/** Drops metadata that only a server sets, as in every creation. */
function dropSystemFields({ metadata = {} }: ApiObject): void {
  const fields: JsonObject = metadata
  for (const name of ["uid", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"]) delete fields[name]
  if (metadata.creationTimestamp !== undefined) fields["creationTimestamp"] = null
}

/** As in the reference, the answer has managed fields, although no object keeps them. */
async function withManagedFields(
  { registry, handle, request }: ObjectRequest,
  sent: ApiObject,
  attributes: OpenAttributes,
): Promise<ApiObject> {
  if (request.untracked) return sent
  const next = withManagers(sent, undefined)
  const managedFields = await updateManagedFields(registry, handle, {
    manager: managerOf(attributes),
    subresource: "",
    next,
    forms: sentForms(sent),
    pace: request.pace,
  })
  return managedFields === undefined ? next : withManagers(next, managedFields)
}
