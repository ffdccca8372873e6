/** DeleteOptions, from the body and the query of a delete request: specification sections 4.9 and 4.11. */
import { badRequest, invalid } from "../base/errors.ts"
import { shortJson } from "../base/bounded-text.ts"
import type { Failure } from "../base/failure.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { shownValueCharactersMax } from "../base/limits.ts"
import type { DeleteRequest } from "../registry/delete.ts"
import { propagationFailures, type PropagationPolicy } from "../registry/propagation.ts"
import { booleanParameter, integerParameter } from "../http/request/query.ts"
import { bodyLimit } from "../wire/read-body.ts"
import { decodeBody } from "../wire/decode-body.ts"
import { bodyMedia, type Media } from "../wire/negotiate.ts"
import { bodyOf } from "./request-body.ts"
import type { ResourceRequest } from "./call.ts"
import { dryRunFailures, dryRunValues } from "./write-options.ts"

/** The reference's from 1.32 on, where DELETE of what cannot be read has no other way. */
export const ignoreReadErrorParameter = "ignoreStoreReadErrorWithClusterBreakingPotential"

/** The deletion part of a `DeleteRequest`. */
export interface DeleteOptions extends Omit<DeleteRequest, "attributes" | "name" | "admitted"> {
  readonly dryRun: boolean
}

/** Called by DELETE of an object and of a collection. Throws 400, 413, 415 or 422. */
export async function deleteOptions(call: ResourceRequest, { collection }: { collection: boolean }): Promise<DeleteOptions> {
  return readDeleteOptions(call.request.query, await optionsBody(call), { collection })
}

/** The body, when there is one. Any version is taken, as the reference does: the kind is the same in every group. */
async function optionsBody(call: ResourceRequest): Promise<JsonObject | undefined> {
  const media = mediaOf(call)
  const body = await bodyOf(call, typeof media === "string" ? bodyLimit(media) : undefined)
  if (body.length === 0) return undefined
  // A media type that nobody knows matters only when there is something to read.
  if (typeof media !== "string") throw media.refusal
  const options = await call.parts.body({ group: "meta", version: "v1", kind: "DeleteOptions" })
  const decoded = await decodeBody(body, media, {
    shape: options.shape,
    codec: options.codec,
    expect: { kind: "DeleteOptions", apiVersions: ["v1"], anyVersion: true },
    fieldValidation: "Ignore",
    signal: call.request.expiry,
  })
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
 * Body and query of a delete request, both honoured: where they disagree the safer word holds, so that no body can silence `?dryRun=All`.
 * `body` is a decoded DeleteOptions, absent when none was sent. Throws 400 or 422.
 */
export function readDeleteOptions(
  query: URLSearchParams,
  body: JsonObject | undefined,
  { collection }: { collection: boolean } = { collection: false },
): DeleteOptions {
  const dryRuns = [...dryRunValues(query), ...listOf(body?.dryRun)]
  const policy = textOf(body, "propagationPolicy") ?? query.get("propagationPolicy") ?? undefined
  const orphan = flagOf(body, "orphanDependents") ?? booleanParameter(query, "orphanDependents")
  const failures = [
    ...propagationFailures({
      ...(policy !== undefined && { propagationPolicy: policy }),
      ...(orphan !== undefined && { orphanDependents: orphan }),
    }),
    ...(policy === undefined || isPolicy(policy) ? [] : [unknownPolicy(policy)]),
    ...dryRunFailures(dryRuns),
  ]
  const grace = numberOf(body, "gracePeriodSeconds") ?? secondsOf(query)
  if (failures.length > 0) throw invalid({ group: "meta.orch.io", resource: "DeleteOptions" }, failures)
  return {
    dryRun: dryRuns.includes("All"),
    ...(booleanParameter(query, ignoreReadErrorParameter) === true && { ignoreReadError: true }),
    ...(policy !== undefined && isPolicy(policy) && { propagationPolicy: policy }),
    ...(orphan !== undefined && { orphanDependents: orphan }),
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...preconditions(query, body, { collection }),
  }
}

function isPolicy(text: string): text is PropagationPolicy {
  return text === "Orphan" || text === "Background" || text === "Foreground"
}

function unknownPolicy(value: string): Failure {
  const supported = ["Foreground", "Background", "Orphan", "nil"]
  return { type: "NotSupported", field: "propagationPolicy", value, detail: "", supported }
}

/** The reference reads an empty number as a mistake here. */
function secondsOf(query: URLSearchParams): number | undefined {
  if (query.get("gracePeriodSeconds") === "") throw badRequest('query parameter gracePeriodSeconds: "" is not a whole number')
  return integerParameter(query, "gracePeriodSeconds")
}

/**
 * `uid` and `resourceVersion` stand in the query by their bare names, as the reference has it. Of a collection `resourceVersion` is the
 * version to list at as well, which is all that it is when the options have a body of their own.
 */
function preconditions(
  query: URLSearchParams,
  body: JsonObject | undefined,
  { collection }: { collection: boolean },
): Pick<DeleteOptions, "uid" | "resourceVersion"> {
  const sent = body?.preconditions
  const own = typeof sent === "object" && sent !== null && !Array.isArray(sent) ? sent : undefined
  const listed = collection && body !== undefined
  const uid = agreed("uid", textOf(own, "uid"), query.get("uid"))
  const resourceVersion = agreed("resourceVersion", textOf(own, "resourceVersion"), listed ? null : query.get("resourceVersion"))
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
}

/** Two different values could never both hold. */
function agreed(name: string, inBody: string | undefined, inQuery: string | null): string | undefined {
  if (inBody !== undefined && inQuery !== null && inBody !== inQuery) {
    throw badRequest(
      `the preconditions of the body and of the query disagree about ${name}: ${shown(inBody)} and ${shown(inQuery)}; send one`,
    )
  }
  return inBody ?? inQuery ?? undefined
}

/** A value of the body as messages show it: it may be as long as the body. */
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
  // Beyond what a number holds exactly, one second more or less is nothing.
  if (typeof value === "bigint") return Number(value)
  if (typeof value !== "number" || !Number.isInteger(value))
    throw badRequest(`DeleteOptions.${name}: expected a whole number, found ${shown(String(value))}`)
  return value
}
