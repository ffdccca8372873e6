/**
 * Distributed claims (OpenID Connect Core 5.6.2): instead of its groups, a token names an endpoint, which answers with
 * a token that has them. As in the reference, only the groups claim may be distributed.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { refusal } from "./claims.ts"
import type { ProviderClient } from "./fetch-document.ts"

export interface DistributedClaimsOptions {
  readonly client: Pick<ProviderClient, "token">
  /** Returns the claims of a token that its own issuer has signed. Rejects with AuthenticationError. */
  readonly verify: (token: string) => Promise<JsonObject>
}

/**
 * Returns the claims with the value of `claim`, from the endpoint that they name for it; returns the same claims when
 * they name none. Rejects with AuthenticationError if the endpoint cannot be reached or does not answer with a valid
 * token.
 */
export async function withDistributedClaim(claims: JsonObject, claim: string, options: DistributedClaimsOptions): Promise<JsonObject> {
  if (Object.hasOwn(claims, claim)) return claims
  const source = sourceOf(claims, claim)
  if (source === undefined) return claims
  const { client, verify } = options
  let token: string
  try {
    token = await client.token(source.endpoint, source.accessToken)
  } catch (error) {
    throw unexpanded(`while getting distributed claim ${JSON.stringify(claim)}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const found = own(await verify(token.trim()), claim)
  if (found === undefined)
    throw unexpanded(`jwt returned by distributed claim endpoint ${JSON.stringify(source.endpoint)} did not contain claim: ${claim}`)
  return { ...claims, [claim]: found }
}

interface Source {
  readonly endpoint: string
  /** "" for none. */
  readonly accessToken: string
}

/** The source that the claims name for a claim; undefined when they name none. */
function sourceOf(claims: JsonObject, claim: string): Source | undefined {
  const names = own(claims, "_claim_names")
  if (names === undefined) return undefined
  if (!isObject(names)) throw unexpanded("error parsing distributed claim names: it is no object")
  const sources = own(claims, "_claim_sources")
  if (sources === undefined) throw unexpanded("no claim sources")
  if (!isObject(sources)) throw unexpanded("could not parse claim sources: it is no object")
  const name = own(names, claim)
  if (name === undefined) return undefined
  const source = typeof name === "string" ? own(sources, name) : undefined
  if (!isObject(source)) throw unexpanded(`id token _claim_names contained a source ${JSON.stringify(name)} missing in _claims_sources`)
  const { endpoint = "", access_token: accessToken = "" } = source
  if (typeof endpoint !== "string" || typeof accessToken !== "string")
    throw unexpanded("could not parse claim sources: endpoint and access_token must be texts")
  // Without an endpoint, the source may contain the claim itself; such claims are not supported.
  return endpoint === "" ? undefined : { endpoint, accessToken }
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function unexpanded(why: string): Error {
  return refusal(`could not expand distributed claims: ${why}`)
}
