/** A request step as the request that is sent. */
import type { VendorName } from "../../../runtime/base/vendor.ts"
import { vendorProfile } from "../../../runtime/base/vendor.ts"
import type { HttpRequest } from "../../support/http-client.ts"
import { encodeCompact } from "./encoding.ts"
import { type Fields, isFields } from "./scenario.ts"
import { filled, filledText, type Variables } from "./variables.ts"

const patchTypes: Readonly<Record<string, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
}

interface RequestContext {
  readonly variables: Variables
  readonly vendor: VendorName
  readonly token: string
}

/** Throws an Error for a step that cannot be sent. A header whose value is null is left out, the credential too. */
export async function requestOf(fields: Fields, context: RequestContext): Promise<HttpRequest> {
  const line = filledText(String(fields.do), context.variables)
  const space = line.indexOf(" ")
  const sent = await bodyOf(fields, context)
  const headers: Record<string, unknown> = {
    authorization: `Bearer ${context.token}`,
    ...(sent !== undefined && { "content-type": sent.contentType }),
    ...(isFields(fields.headers) ? Object(filled(fields.headers, context.variables)) : {}),
  }
  const kept = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)] as const]))
  return {
    method: line.slice(0, space),
    path: line.slice(space + 1),
    headers: Object.fromEntries(kept),
    ...(sent !== undefined && { body: sent.bytes }),
    ...(fields.chunked === true && { chunked: true }),
  }
}

interface SentBody {
  readonly bytes: Buffer
  readonly contentType: string
}

async function bodyOf(fields: Fields, context: RequestContext): Promise<SentBody | undefined> {
  const { body, yaml, text, hex, compact, patch } = fields
  const json = typeof patch === "string" ? (patchTypes[patch] ?? patch) : "application/json"
  if (body !== undefined) return { bytes: Buffer.from(JSON.stringify(filled(body, context.variables))), contentType: json }
  if (yaml !== undefined) return { bytes: Buffer.from(filledText(String(yaml), context.variables)), contentType: "application/yaml" }
  if (text !== undefined) return { bytes: Buffer.from(filledText(String(text), context.variables)), contentType: json }
  if (hex !== undefined) return { bytes: Buffer.from(String(hex).replace(/\s/g, ""), "hex"), contentType: json }
  if (compact === undefined) return undefined
  return {
    bytes: await encodeCompact(filled(compact, context.variables), context.vendor),
    contentType: vendorProfile(context.vendor).compactMediaType,
  }
}
