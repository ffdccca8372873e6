/** Answers of one object: the bytes at hand where they fit, another form where one was asked for. */
import { wrapUnknown } from "../kit/compact.ts"
import type { JsonObject, ApiObject } from "../kit/json.ts"
import { stringify } from "../kit/json-text.ts"
import type { Column } from "../kit/kind.ts"
import { largeObjectBytes } from "../limits.ts"
import { inTurns, nextTurn } from "../turns.ts"
import type { WriteResult } from "../registry/commit.ts"
import type { KindBody } from "../server-parts.ts"
import { indentJson } from "../wire/pretty.ts"
import { sendBytes } from "../wire/send.ts"
import { renderTable, singleMetadata } from "../wire/table.ts"
import { writeYaml, writingYaml } from "../wire/yaml-writer.ts"
import type { Call, Wanted } from "./call.ts"
import { partialEnvelope, partialJson, partialOf, tableOf, tableOptions } from "./render.ts"
import { compactOf, freshVersion, jsonOf, objectOf, type Version } from "./represent.ts"

const newline = Buffer.from("\n")

/** One version of an object, as get answers it. */
export function answerVersion(call: Call, answer: { wanted: Wanted; version: Version; status: number }): Promise<void> {
  const { wanted, version, status } = answer
  if (isAtHand(wanted) || version.json().length < largeObjectBytes) return send(call, wanted, status, bodyOf(call, wanted, version))
  return answerInTurns(call, answer)
}

/** Whether the answer is the stored bytes, or a form that is kept. */
function isAtHand(wanted: Wanted): boolean {
  return wanted.as === undefined && (wanted.media === "compact" || (wanted.media === "json" && !wanted.laidOut))
}

/** A large object is read in one turn and written in another one. */
async function answerInTurns(call: Call, { wanted, version, status }: { wanted: Wanted; version: Version; status: number }): Promise<void> {
  const isRead = wanted.media === "yaml" || wanted.as?.kind === "Table"
  const object = isRead ? objectOf(call.handle, version) : undefined
  await nextTurn()
  const read: Version = {
    json: () => version.json(),
    derived: (form, make) => version.derived(form, make),
    ...(version.message !== undefined && { message: () => version.message?.() }),
    ...(object !== undefined && { object }),
  }
  const isYaml = wanted.media === "yaml" && wanted.as === undefined && object !== undefined
  const body = isYaml ? Buffer.from(await inTurns(writingYaml(object))) : bodyOf(call, wanted, read)
  await nextTurn()
  return send(call, wanted, status, body)
}

/** What a write left behind: 201 when it made the object. */
export function answerWrite(call: Call, answer: { wanted: Wanted; result: WriteResult }): Promise<void> {
  const { wanted, result } = answer
  return answerVersion(call, { wanted, version: freshVersion(call.handle, result), status: result.created ? 201 : 200 })
}

/** An object that was never stored in this form: the last state of a deleted one. */
export function answerObject(call: Call, answer: { wanted: Wanted; object: ApiObject; status: number }): Promise<void> {
  const { wanted, object, status } = answer
  return answerVersion(call, { wanted, version: freshVersion(call.handle, { object }), status })
}

/** An object of a body kind: Scale. `columns`: those of its table. */
export function answerKindBody(
  call: Call,
  answer: { wanted: Wanted; kind: KindBody; object: ApiObject; columns: readonly Column[]; status: number },
): Promise<void> {
  const { wanted, object, status } = answer
  // Partial metadata is that of any object.
  if (wanted.as !== undefined && wanted.as.kind !== "Table") return answerObject(call, { wanted, object, status })
  return send(call, wanted, status, kindBodyOf(call, answer))
}

function kindBodyOf(call: Call, answer: { wanted: Wanted; kind: KindBody; object: ApiObject; columns: readonly Column[] }): Buffer {
  const { wanted, kind, object, columns } = answer
  if (wanted.as !== undefined)
    return textOf(wanted, renderTable([object], singleMetadata(object), { ...tableOptions(call, wanted), columns }))
  const { apiVersion = "", kind: name = "" } = object
  return wanted.media === "compact" ? wrapUnknown({ apiVersion, kind: name, raw: kind.codec.encode(object) }) : textOf(wanted, object)
}

function bodyOf(call: Call, wanted: Wanted, version: Version): Buffer {
  const { handle } = call
  if (wanted.as?.kind === "Table") return textOf(wanted, tableOf(call.handle, version, tableOptions(call, wanted)))
  if (wanted.as !== undefined) {
    if (wanted.media === "compact") return partialEnvelope(call, wanted, version)
    return wanted.media === "yaml"
      ? textOf(wanted, partialOf(call, wanted, version))
      : jsonTextOf(wanted, partialJson(call, wanted, version))
  }
  if (wanted.media === "compact") return compactOf(handle, version)
  if (wanted.media === "yaml") return Buffer.from(writeYaml(objectOf(handle, version)))
  return jsonTextOf(wanted, jsonOf(handle, version))
}

function jsonTextOf(wanted: Wanted, json: Buffer): Buffer {
  return Buffer.concat([wanted.laidOut ? indentJson(json) : json, newline])
}

/** JSON or YAML of a small object. */
function textOf(wanted: Wanted, object: JsonObject): Buffer {
  if (wanted.media === "yaml") return Buffer.from(writeYaml(object))
  return jsonTextOf(wanted, Buffer.from(stringify(object)))
}

function send(call: Call, wanted: Wanted, status: number, body: Buffer): Promise<void> {
  return sendBytes(call.outgoing, { status, contentType: wanted.contentType, body, warnings: call.request.warnings, gzip: wanted.gzip })
}
