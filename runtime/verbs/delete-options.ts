/** Reads DeleteOptions from the body and the query of a delete request; specification sections 4.9 and 4.11. */
import { badRequest, invalid } from "../base/errors.ts"
import { shortJson } from "../base/bounded-text.ts"
import type { Failure } from "../base/failure.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { shownValueCharactersMax } from "../base/limits.ts"
import type { DeleteRequest } from "../registry/delete.ts"
import { propagationFailures, type PropagationPolicy } from "../registry/propagation.ts"
import { booleanParameter, integerParameter, textParameter } from "../http/request/query.ts"
import { bodyLimit } from "../wire/read-body.ts"
import { decodeBody } from "../wire/decode-body.ts"
import { bodyMedia, type Media } from "../wire/negotiate.ts"
import { bodyOf } from "./request-body.ts"
import type { ResourceRequest } from "./call.ts"
import { dryRunFailures } from "./write-options.ts"

/** As in the reference from 1.32 on: the only way to DELETE an object that cannot be decoded. */
export const ignoreReadErrorParameter = "ignoreStoreReadErrorWithClusterBreakingPotential"

/** The kind of the body; it is the same in all groups. */
export const deleteOptionsKind = { group: "meta", version: "v1", kind: "DeleteOptions" }

/** The fields of a `DeleteRequest` that clients set. */
export interface DeleteOptions extends Omit<DeleteRequest, "attributes" | "name" | "admitted"> {
  readonly dryRun: boolean
}

/** Called by DELETE of an object and of a collection. Throws 400, 413, 415 or 422. */
export async function deleteOptions(call: ResourceRequest, { collection }: { collection: boolean }): Promise<DeleteOptions> {
  return readDeleteOptions(call.request.query, await optionsBody(call), { collection })
}

/**
 * The decoded body, if there is one. Accepts any apiVersion, as the reference does: the kind is the same in all groups.
 */
async function optionsBody(call: ResourceRequest): Promise<JsonObject | undefined> {
  const media = mediaOf(call)
  const body = await bodyOf(call, typeof media === "string" ? bodyLimit(media) : undefined)
  if (body.length === 0) return undefined
  // An unknown media type is an error only if there is a body.
  if (typeof media !== "string") throw media.refusal
  const options = await call.parts.body(deleteOptionsKind)
  const decoded = await decodeBody(body, media, {
    shape: options.shape,
    codec: options.codec,
    expect: { kind: "DeleteOptions", apiVersions: ["v1"], anyVersion: true },
    fieldValidation: "Ignore",
    signal: call.request.expiry,
  })
  // The options have no version of their own; audit shows them as the reference does.
  call.request.audit?.sent({ ...decoded.object, apiVersion: call.parts.vendor.apiVersion("meta.orch.io/__internal") }, false)
  return decoded.object
}

function mediaOf(call: ResourceRequest): Media | { readonly refusal: unknown } {
  try {
    return bodyMedia(call.request.headers["content-type"], { vendor: call.parts.vendor })
  } catch (refusal) {
    return { refusal }
  }
}

/**
 * Combines body and query of a delete request. Values of the body come first, but a dry run in either of them counts: a
 * body cannot override `?dryRun=All`. `body`: a decoded DeleteOptions; absent if none was sent. Throws 400 or 422.
 */
export function readDeleteOptions(
  query: URLSearchParams,
  body: JsonObject | undefined,
  { collection }: { collection: boolean } = { collection: false },
): DeleteOptions {
  const dryRuns = [...query.getAll("dryRun"), ...listOf(body?.dryRun)]
  const policy = textOf(body, "propagationPolicy") ?? query.get("propagationPolicy") ?? undefined
  const orphan = flagOf(body, "orphanDependents") ?? booleanParameter(query, "orphanDependents")
  const failures = [
    ...propagationFailures({ propagationPolicy: policy, orphanDependents: orphan }),
    ...(policy === undefined || isPolicy(policy) ? [] : [unknownPolicy(policy)]),
    ...dryRunFailures(dryRuns),
  ]
  const grace = numberOf(body, "gracePeriodSeconds") ?? integerParameter(query, "gracePeriodSeconds")
  if (failures.length > 0) throw invalid({ group: "meta.orch.io", resource: "DeleteOptions" }, failures)
  const { uid, resourceVersion } = preconditions(query, body, { collection })
  return {
    dryRun: dryRuns.includes("All"),
    ignoreReadError: booleanParameter(query, ignoreReadErrorParameter),
    propagationPolicy: policy !== undefined && isPolicy(policy) ? policy : undefined,
    orphanDependents: orphan,
    gracePeriodSeconds: grace,
    uid,
    resourceVersion,
  }
}

function isPolicy(text: string): text is PropagationPolicy {
  return text === "Orphan" || text === "Background" || text === "Foreground"
}

function unknownPolicy(value: string): Failure {
  const supported = ["Foreground", "Background", "Orphan", "nil"]
  return { type: "NotSupported", field: "propagationPolicy", value, detail: "", supported }
}

/**
 * The preconditions. The query names them `uid` and `resourceVersion`, as in the reference. For a collection,
 * `resourceVersion` in the query is also the version to list at, and no precondition if the request has a body.
 */
function preconditions(
  query: URLSearchParams,
  body: JsonObject | undefined,
  { collection }: { collection: boolean },
): Pick<DeleteOptions, "uid" | "resourceVersion"> {
  const sent = body?.preconditions
  const own = typeof sent === "object" && sent !== null && !Array.isArray(sent) ? sent : undefined
  const listed = collection && body !== undefined
  const uid = agreed("uid", textOf(own, "uid"), textParameter(query, "uid"))
  const resourceVersion = agreed("resourceVersion", textOf(own, "resourceVersion"), listed ? "" : textParameter(query, "resourceVersion"))
  return { uid, resourceVersion }
}

/** Two different values could never both match. An empty one in the query is ignored; in the body it never matches. */
function agreed(name: string, inBody: string | undefined, inQuery: string): string | undefined {
  if (inBody !== undefined && inQuery !== "" && inBody !== inQuery) {
    throw badRequest(
      `the preconditions of the body and of the query disagree about ${name}: ${shown(inBody)} and ${shown(inQuery)}; send one`,
    )
  }
  return inBody ?? (inQuery === "" ? undefined : inQuery)
}

/** Shortens a value of the body for messages, since it can be as long as the body. */
function shown(value: JsonValue): string {
  return shortJson(value, shownValueCharactersMax)
}

function listOf(value: JsonObject[string]): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw badRequest("DeleteOptions.dryRun: expected a list of texts")
  return value
}

function textOf(from: JsonObject | undefined, name: string): string | undefined {
  const value = from?.[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== "string") throw badRequest(`DeleteOptions.${name}: expected a text, found ${shown(value)}`)
  return value
}

function flagOf(from: JsonObject | undefined, name: string): boolean | undefined {
  const value = from?.[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== "boolean") throw badRequest(`DeleteOptions.${name}: expected true or false, found ${shown(value)}`)
  return value
}

function numberOf(from: JsonObject | undefined, name: string): number | undefined {
  const value = from?.[name]
  if (value === undefined || value === null) return undefined
  // Above the safe integers a second more or less does not matter.
  if (typeof value === "bigint") return Number(value)
  if (typeof value !== "number" || !Number.isInteger(value))
    throw badRequest(`DeleteOptions.${name}: expected a whole number, found ${shown(String(value))}`)
  return value
}
