/**
 * Converts errors and outcomes to Status objects. Only here an ApiError becomes a response. Field order is the
 * reference's.
 */
import type { ApiError, StatusDetails } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { TypeShape } from "../schema/shape.ts"
import type { Vendor } from "../base/vendor.ts"

const cause: TypeShape = {
  name: "meta.v1.StatusCause",
  fields: [
    { name: "reason", type: { scalar: "string" }, number: 1 },
    { name: "message", type: { scalar: "string" }, number: 2 },
    { name: "field", type: { scalar: "string" }, number: 3 },
  ],
}

const details: TypeShape = {
  name: "meta.v1.StatusDetails",
  fields: [
    { name: "name", type: { scalar: "string" }, number: 1 },
    { name: "group", type: { scalar: "string" }, number: 2 },
    { name: "kind", type: { scalar: "string" }, number: 3 },
    { name: "uid", type: { scalar: "string" }, number: 6 },
    { name: "causes", type: { list: { ref: () => cause } }, number: 4 },
    { name: "retryAfterSeconds", type: { scalar: "int32" }, number: 5 },
  ],
}

/** `metadata` of lists, Tables and Status; specification section 2.3. */
export const listMetaShape: TypeShape = {
  name: "meta.v1.ListMeta",
  fields: [
    { name: "selfLink", type: { scalar: "string" }, number: 1 },
    { name: "resourceVersion", type: { scalar: "string" }, number: 2 },
    { name: "continue", type: { scalar: "string" }, number: 3 },
    { name: "remainingItemCount", type: { scalar: "int64" }, number: 4, pointer: true },
  ],
}

/** The shape of Status, for protobuf. */
export const statusShape: TypeShape = {
  name: "meta.v1.Status",
  fields: [
    { name: "metadata", type: { ref: () => listMetaShape }, number: 1 },
    { name: "status", type: { scalar: "string" }, number: 2 },
    { name: "message", type: { scalar: "string" }, number: 3 },
    { name: "reason", type: { scalar: "string" }, number: 4 },
    { name: "details", type: { ref: () => details }, number: 5, pointer: true },
    { name: "code", type: { scalar: "int32" }, number: 6 },
  ],
}

/**
 * The Status of a failed request. Called once per error, by the error handler and by watches that end with an error.
 */
export function failureStatus(thrown: ApiError, vendor: Vendor): ApiObject {
  const error = wireError(thrown, vendor)
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: error.continueToken === undefined || error.continueToken === "" ? {} : metadataOf(error.continueToken),
    status: "Failure",
    ...(error.message !== "" && { message: error.message }),
    ...(error.reason !== "" && { reason: error.reason }),
    ...(error.details !== undefined && { details: detailsOf(error.details) }),
    code: error.code,
  }
}

/**
 * The error with the names of the vendor. Errors are built with neutral names (`base/errors.ts`); the only vendor name
 * in them is the group of the error's subject.
 */
export function wireError(error: ApiError, vendor: Vendor): Pick<ApiError, "code" | "reason" | "message" | "details" | "continueToken"> {
  const { code, reason, message, details, continueToken } = error
  const group = details?.group
  if (!filled(group)) return error
  const named = vendor.group(group)
  return {
    code,
    reason,
    message: message.replaceAll(group, named),
    details: { ...details, group: named },
    ...(continueToken !== undefined && { continueToken }),
  }
}

/** `metadata` of a Status is a ListMeta; of its fields, an error sets only `continue`. */
function metadataOf(continueToken: string): JsonObject {
  return { continue: continueToken }
}

/** The Status of a DELETE that removed the object. `details` identifies the deleted object, in neutral names. */
export function successStatus(subject: StatusDetails | undefined, vendor: Vendor): ApiObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    ...(subject !== undefined && {
      details: detailsOf(filled(subject.group) ? { ...subject, group: vendor.group(subject.group) } : subject),
    }),
  }
}

function detailsOf(subject: StatusDetails): JsonObject {
  const { name, group, kind, uid, causes = [], retryAfterSeconds = 0 } = subject
  const details: JsonObject = {}
  if (filled(name)) details.name = name
  if (filled(group)) details.group = group
  if (filled(kind)) details.kind = kind
  if (filled(uid)) details.uid = uid
  if (causes.length > 0) details.causes = causes.map((item) => ({ ...item }))
  if (retryAfterSeconds !== 0) details.retryAfterSeconds = retryAfterSeconds
  return details
}

function filled(text: string | undefined): text is string {
  return text !== undefined && text !== ""
}
