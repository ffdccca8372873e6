/** Responses with one object: cached bytes if they fit, else a conversion into the negotiated format. */
import { wrapUnknown } from "../encoding/protobuf/codec.ts"
import type { JsonObject, ApiObject } from "../base/json.ts"
import { stringify } from "../encoding/json/text.ts"
import type { Column } from "../schema/kind.ts"
import { largeObjectBytes } from "../base/limits.ts"
import { type Trace, untraced } from "../base/trace.ts"
import { atOnce, inTurns, nextTurn, type Stages } from "../base/turns.ts"
import { droppingManagedFields } from "../encoding/json/drop-managed-fields.ts"
import type { RequestAudit } from "../http/request/audit.ts"
import type { WriteResult } from "../registry/commit.ts"
import type { KindBody } from "../server-parts.ts"
import { indentJson } from "../wire/pretty.ts"
import { sendBytes } from "../wire/send.ts"
import { renderTable, singleMetadata } from "../wire/table.ts"
import { writeYaml, writingYaml } from "../wire/yaml-writer.ts"
import type { ResourceRequest, ResponseFormat } from "./call.ts"
import { partialEnvelope, partialJson, partialOf, tableOf, tableOptions } from "./render.ts"
import { protobufOf, freshVersion, jsonOf, objectOf, type ObjectVersion } from "./represent.ts"

const newline = Buffer.from("\n")

/** Sends one version of an object. Get calls it, and every write. */
export function answerVersion(
  call: ResourceRequest,
  answer: { format: ResponseFormat; version: ObjectVersion; status: number },
): Promise<void> {
  const { version, status } = answer
  const { audit } = call.request
  if (audit?.keepsResponse === true && version.json().length >= largeObjectBytes) return answerAudited(call, answer, audit)
  if (audit !== undefined) audit.answered(status, audit.keepsResponse ? atOnce(auditedObject(call, answer)) : undefined)
  return answerUnaudited(call, answer)
}

/** A large object is written for audit in a turn of its own. */
async function answerAudited(
  call: ResourceRequest,
  answer: { format: ResponseFormat; version: ObjectVersion; status: number },
  audit: RequestAudit,
): Promise<void> {
  await nextTurn()
  audit.answered(answer.status, await inTurns(auditedObject(call, answer)))
  await nextTurn()
  return answerUnaudited(call, answer)
}

function answerUnaudited(call: ResourceRequest, answer: { format: ResponseFormat; version: ObjectVersion; status: number }): Promise<void> {
  const { format, version, status } = answer
  call.request.trace.answering()
  if (isCached(format)) return send(call, format, status, bodyOf(call, format, version))
  if (version.json().length < largeObjectBytes) return send(call, format, status, madeBody(call, format, version))
  return answerInTurns(call, answer)
}

/** As `bodyOf`, for the answer itself: in the trace, the time after it counts as writing the answer. */
function madeBody(call: ResourceRequest, format: ResponseFormat, version: ObjectVersion): Buffer {
  const { trace } = call.request
  const body = bodyOf(call, format, version, trace)
  trace.serialized()
  return body
}

/** The object of an answer as audit records it: JSON, also if the client requested another format. */
function* auditedObject(call: ResourceRequest, { format, version }: { format: ResponseFormat; version: ObjectVersion }): Stages<Buffer> {
  const json = bodyOf(call, { ...format, media: "json", indented: false }, version).subarray(0, -newline.length)
  yield
  return call.request.audit?.omitsManagedFields === true ? yield* droppingManagedFields(json) : json
}

/** Whether the response is the stored bytes or a cached encoding. */
function isCached(format: ResponseFormat): boolean {
  return format.as === undefined && (format.media === "compact" || (format.media === "json" && !format.indented))
}

/** Reads a large object in one turn and writes it in another. */
async function answerInTurns(
  call: ResourceRequest,
  { format, version, status }: { format: ResponseFormat; version: ObjectVersion; status: number },
): Promise<void> {
  const isRead = format.media === "yaml" || format.as?.kind === "Table"
  const object = isRead ? objectOf(call.handle, version) : undefined
  await nextTurn()
  const read: ObjectVersion = {
    json: () => version.json(),
    derived: (form, make) => version.derived(form, make),
    ...(version.message !== undefined && { message: () => version.message?.() }),
    ...(object !== undefined && { object }),
  }
  const isYaml = format.media === "yaml" && format.as === undefined && object !== undefined
  const { trace } = call.request
  const body = isYaml ? Buffer.from(await inTurns(writingYaml(object))) : bodyOf(call, format, read, trace)
  await nextTurn()
  trace.serialized()
  return send(call, format, status, body)
}

/** Sends the result of a write: 201 if it created the object, else 200. */
export function answerWrite(call: ResourceRequest, answer: { format: ResponseFormat; result: WriteResult }): Promise<void> {
  const { format, result } = answer
  return answerVersion(call, { format, version: freshVersion(call.handle, result), status: result.created ? 201 : 200 })
}

/** Sends an object that has no cached version, such as the last state of a deleted one. */
export function answerObject(call: ResourceRequest, answer: { format: ResponseFormat; object: ApiObject; status: number }): Promise<void> {
  const { format, object, status } = answer
  return answerVersion(call, { format, version: freshVersion(call.handle, { object }), status })
}

/** Sends an object of a sub-resource's own kind, such as Scale. `columns`: the columns of its table. */
export function answerKindBody(
  call: ResourceRequest,
  answer: { format: ResponseFormat; kind: KindBody; object: ApiObject; columns: readonly Column[]; status: number },
): Promise<void> {
  const { format, object, status } = answer
  // Partial metadata does not depend on the kind.
  if (format.as !== undefined && format.as.kind !== "Table") return answerObject(call, { format, object, status })
  const { audit } = call.request
  if (audit !== undefined) {
    const json = audit.keepsResponse ? kindBodyOf(call, { ...answer, format: { ...format, media: "json", indented: false } }) : undefined
    audit.answered(status, json?.subarray(0, -newline.length))
    call.request.trace.answering()
  }
  return send(call, format, status, kindBodyOf(call, answer))
}

function kindBodyOf(
  call: ResourceRequest,
  answer: { format: ResponseFormat; kind: KindBody; object: ApiObject; columns: readonly Column[] },
): Buffer {
  const { format, kind, object, columns } = answer
  if (format.as !== undefined)
    return textOf(format, renderTable([object], singleMetadata(object), { ...tableOptions(call, format), columns }))
  const { apiVersion = "", kind: name = "" } = object
  return format.media === "compact" ? wrapUnknown({ apiVersion, kind: name, raw: kind.codec.encode(object) }) : textOf(format, object)
}

function bodyOf(call: ResourceRequest, format: ResponseFormat, version: ObjectVersion, trace: Trace = untraced): Buffer {
  const { handle } = call
  if (format.as !== undefined) return bodyAs(call, format, version, trace)
  if (format.media === "compact") return protobufOf(handle, version)
  if (format.media === "yaml") return Buffer.from(writeYaml(objectOf(handle, version)))
  return jsonTextOf(format, jsonOf(handle, version))
}

/** Makes the form, then encodes it; partial metadata in protobuf takes one step for both. */
function bodyAs(call: ResourceRequest, format: ResponseFormat, version: ObjectVersion, trace: Trace): Buffer {
  if (format.as?.kind !== "Table" && format.media === "compact") return partialEnvelope(call, format, version)
  if (format.as?.kind !== "Table" && format.media !== "yaml") {
    const json = partialJson(call, format, version)
    trace.transformed()
    return jsonTextOf(format, json)
  }
  const isTable = format.as?.kind === "Table"
  const object = isTable ? tableOf(call.handle, version, tableOptions(call, format)) : partialOf(call, format, version)
  trace.transformed()
  return textOf(format, object)
}

function jsonTextOf(format: ResponseFormat, json: Buffer): Buffer {
  return Buffer.concat([format.indented ? indentJson(json) : json, newline])
}

/** JSON or YAML of a small object. */
function textOf(format: ResponseFormat, object: JsonObject): Buffer {
  if (format.media === "yaml") return Buffer.from(writeYaml(object))
  return jsonTextOf(format, Buffer.from(stringify(object)))
}

function send(call: ResourceRequest, format: ResponseFormat, status: number, body: Buffer): Promise<void> {
  return sendBytes(call.outgoing, { status, contentType: format.contentType, body, warnings: call.request.warnings, gzip: format.gzip })
}
