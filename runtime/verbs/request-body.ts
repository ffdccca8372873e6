/** Decodes the bodies of resource requests, applies `fieldValidation`, and sets defaults. */
import { isKnownKind } from "../wire/known-kinds.ts"
import { badRequest } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { beginsWork } from "../base/event-loop-monitor.ts"
import { normalizing } from "../encoding/normalize.ts"
import { keepManagedFieldsReset } from "../encoding/managed-fields-reset.ts"
import { sentForms } from "../encoding/sent-forms.ts"
import { unknownFieldText } from "../encoding/json/typed.ts"
import { documentValuesMax } from "../base/limits.ts"
import type { KindBody } from "../server-parts.ts"
import type { Stages } from "../base/turns.ts"
import { bodyLimit, readBody } from "../wire/read-body.ts"
import { decodeBody } from "../wire/decode-body.ts"
import type { DecodedObject, DecodeOptions, FieldValidation } from "../wire/decode-object.ts"
import { bodyMedia } from "../wire/negotiate.ts"
import type { ObjectRequest, ResourceRequest } from "./call.ts"

/** The body of create and update, in the handle's version. Throws 400, 413 or 415. `stored`: as in `DecodeOptions`. */
export async function readObject(
  call: ResourceRequest,
  { fieldValidation }: { fieldValidation: FieldValidation },
  stored?: ApiObject,
): Promise<ApiObject> {
  const { handle } = call
  const options = { fieldValidation, settled: handle.settled, stored }
  const { body, decoded } = await readAs(call, options, {
    kind: handle.kind.kind,
    apiVersion: handle.apiVersion,
    shape: handle.parts.shape,
    ...(handle.kind.storage.format !== "json" && { codec: handle.compact }),
    applyDefaults: handle.parts.applyDefaults,
  })
  await call.request.pace.turn()
  const { object, settled } = decoded
  withDefaults(call, handle.parts, object, settled)
  // Settled values are learned only in their stored form.
  if (decoded.isPlain && settled === undefined && sentForms(object) === undefined) handle.settled?.learn(body, object)
  if (call.request.audit !== undefined) await auditBody(call, object)
  return object
}

/** Reports a decoded body to audit. A large one is written in a turn of its own. */
async function auditBody({ handle, request }: ResourceRequest, object: ApiObject): Promise<void> {
  if (request.audit?.keepsRequest === true) await request.pace.turn()
  request.audit?.sent(object, handle.kind.custom === undefined)
}

/** Sets defaults in a decoded object. Their characters count as sent, so that work on a large result takes turns. */
export function withDefaults(
  { request, parts }: ObjectRequest,
  form: Pick<KindBody, "applyDefaults">,
  object: ApiObject,
  unchanged?: ReadonlySet<string>,
): void {
  const added = (characters: number): void => {
    request.pace.bytes += characters
  }
  form.applyDefaults(object, { vendor: parts.vendor, added, unchanged })
}

/**
 * The body of a sub-resource with its own kind (Scale, Binding). `apiVersions`: the versions it may state; absent: only
 * the kind's version.
 */
export async function readKindBody(
  call: ResourceRequest,
  kind: KindBody,
  options: { fieldValidation: FieldValidation; apiVersions?: readonly string[] },
): Promise<ApiObject> {
  const { object } = (await readAs(call, options, kind)).decoded
  kind.applyDefaults(object, { vendor: call.parts.vendor })
  call.request.audit?.sent(object, true)
  return object
}

/**
 * Reads the bytes of the body, and marks the start of the work on the request. Bodies for a kind of a definition are
 * kept: the request is decoded again if the definition changes meanwhile. Throws 400 or 413.
 */
export async function bodyOf({ handle, incoming, request }: ResourceRequest, limit?: number): Promise<Buffer> {
  if (request.body !== undefined) return request.body
  const body = await readBody({ request: incoming, signal: request.expiry, ...(limit !== undefined && { limit }) })
  if (handle.kind.custom !== undefined) request.body = body
  request.pace.bytes = body.length
  beginsWork(request)
  return body
}

async function readAs(
  call: ResourceRequest,
  options: Pick<DecodeOptions, "settled" | "stored"> & { fieldValidation: FieldValidation; apiVersions?: readonly string[] },
  kind: Omit<KindBody, "validate" | "codec"> & Partial<Pick<KindBody, "codec">>,
): Promise<{ readonly body: Buffer; readonly decoded: DecodedObject }> {
  const { headers, warnings } = call.request
  const media = bodyMedia(headers["content-type"], { vendor: call.parts.vendor, compact: kind.codec !== undefined })
  const body = await bodyOf(call, bodyLimit(media))
  const decoding = decodeBody(body, media, {
    shape: kind.shape,
    ...(kind.codec !== undefined && { codec: kind.codec }),
    expect: {
      kind: kind.kind,
      apiVersions: options.apiVersions ?? [kind.apiVersion],
      isKnown: (apiVersion, name) => isKnown(call, apiVersion, name),
    },
    fieldValidation: options.fieldValidation,
    signal: call.request.expiry,
    settled: options.settled,
    stored: options.stored,
  })
  const decoded = decoding instanceof Promise ? await decoding : decoding
  warnings.push(...decoded.warnings)
  return { body, decoded }
}

function isKnown({ parts: { kinds, vendor } }: ResourceRequest, apiVersion: string, kind: string): boolean {
  return isKnownKind(
    vendor.neutralApiVersion(apiVersion),
    kind,
    (group, version, name) => kinds.findKind(group, version, name) !== undefined,
  )
}

/**
 * Normalizes a changed document and sets defaults. Throws 400, or 413 for too many values. `written`: the object before
 * the change, if this process has written it last; its fields that are unchanged are normal, and have their defaults.
 */
export function* renormalizing(
  call: ObjectRequest,
  kind: Pick<KindBody, "shape" | "applyDefaults">,
  changed: JsonObject,
  { keepNulls = false, written }: { readonly keepNulls?: boolean; readonly written?: ApiObject | undefined } = {},
): Stages<{ object: ApiObject; unknown: string[] }> {
  yield
  const unchanged = written === undefined ? undefined : unchangedFields(changed, written)
  const { object, unknown } = yield* normalizing(kind.shape, changed, {
    maxValues: documentValuesMax,
    keepNulls,
    unchanged,
    keepsSentForms: true,
  })
  yield
  keepManagedFieldsReset(changed, object)
  withDefaults(call, kind, object, unchanged)
  return { object, unknown: unknown.map(unknownFieldText) }
}

/** The fields of an object, such as its spec, that a change has left in place. */
function unchangedFields(changed: JsonObject, written: ApiObject): ReadonlySet<string> {
  const names = new Set<string>()
  for (const name in written) {
    const value = written[name]
    if (name !== "metadata" && typeof value === "object" && value === changed[name]) names.add(name)
  }
  return names
}

/** Applies `fieldValidation` to unknown fields in the result of a patch. Sends each warning once over all attempts. */
export function applyFieldValidation(
  call: ObjectRequest,
  texts: readonly string[],
  options: { fieldValidation: FieldValidation; sentWarnings: Set<string> },
): void {
  if (texts.length === 0 || options.fieldValidation === "Ignore") return
  if (options.fieldValidation === "Strict") throw badRequest(`strict decoding error: ${texts.join(", ")}`)
  for (const text of texts) {
    if (!options.sentWarnings.has(text)) call.request.warnings.push(text)
    options.sentWarnings.add(text)
  }
}
