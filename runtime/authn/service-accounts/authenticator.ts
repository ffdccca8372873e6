/**
 * Authenticates tokens of service accounts, bound ones and those of Secrets. The signature is not enough: the account
 * and what the token is bound to must still be there. Specification section 5; catalog operations.yaml,
 * serviceAccounts.
 */
import { timingSafeEqual } from "node:crypto"
import type { JWTPayload, JWTVerifyOptions } from "jose"
import type { Clock } from "../../base/clock.ts"
import type { ApiObject } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { parseInstant } from "../../base/time.ts"
import { accountGroups, accountUser, type User } from "../../base/user.ts"
import type { Vendor } from "../../base/vendor.ts"
import { AuthenticationError, forServer } from "../authenticate.ts"
import type { TokenLookUp } from "../tokens/kept-tokens.ts"
import { type Named, privateClaim, subjectOf, type TokenSubject } from "./claims.ts"
import type { VerifyingKey } from "./keys.ts"

/** Reads the newest state of an object of the core group; undefined if there is none. */
export type CoreReader = (
  resource: "nodes" | "pods" | "secrets" | "serviceaccounts",
  namespace: string,
  name: string,
) => Promise<ApiObject | undefined>

export interface AccountTokenOptions {
  readonly keys: readonly VerifyingKey[]
  /** Accepted values of `iss`. */
  readonly issuers: readonly string[]
  /** `--service-account-lookup`: whether the objects of a token must exist. */
  readonly lookup: boolean
  /** Those of the server. */
  readonly audiences: readonly string[]
  readonly read: CoreReader
  readonly clock: Clock
  readonly vendor: Vendor
}

/** `iss` of the tokens of Secrets, followed by `/serviceaccount`. */
const legacyIssuer = ({ word }: Vendor): string => `${word}/serviceaccount`

/** By how much the clocks of issuers may differ. An object counts as gone this long after its deletion began, too. */
const leewaySeconds = 60

/** Called once per server with keys. Loads the library of tokens with the first token that may be one. */
export function serviceAccountTokens(options: AccountTokenOptions): TokenLookUp {
  const { issuers, vendor } = options
  return async (token, audiences) => {
    const issuer = issuerOf(token)
    if (issuer === legacyIssuer(vendor)) return legacy(options, token, audiences)
    if (issuer === undefined || !issuers.includes(issuer)) return undefined
    const payload = await verified(options, token, issuer)
    const shared = audiencesOf(payload).filter((audience) => audiences.includes(audience))
    if (shared.length === 0)
      throw new AuthenticationError(
        `token audiences ${quoted(audiencesOf(payload))} is invalid for the target audiences ${quoted(audiences)}`,
      )
    const subject = subjectOf(payload, vendor)
    if (subject === undefined) throw new AuthenticationError("the claims of the token are those of no service account")
    if (options.lookup) await requireObjects(options, subject)
    return { user: userOf(subject, payload, vendor), audiences: shared }
  }
}

/** The `iss` of a token, before its signature is verified: it decides who is to verify it. */
function issuerOf(token: string): string | undefined {
  const [, payload, signature, more] = token.split(".")
  if (payload === undefined || signature === undefined || more !== undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))
    return isObject(claims) && typeof claims.iss === "string" ? claims.iss : undefined
  } catch {
    return undefined
  }
}

/** Tries the key that the token names, else all. Throws AuthenticationError. */
async function verified({ keys, clock }: AccountTokenOptions, token: string, issuer: string): Promise<JWTPayload> {
  const { decodeProtectedHeader, errors, jwtVerify } = await import("jose")
  const { kid } = headerOf(() => decodeProtectedHeader(token))
  const named = keys.filter(({ id }) => id === kid)
  for (const { algorithm, publicKey } of [...named, ...keys.filter(({ id }) => id !== kid)]) {
    const how: JWTVerifyOptions = { issuer, algorithms: [algorithm], clockTolerance: leewaySeconds, currentDate: new Date(clock.nowMs()) }
    try {
      return (await jwtVerify(token, publicKey, how)).payload
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new AuthenticationError("service account token has expired")
      if (error instanceof errors.JWTClaimValidationFailed)
        throw new AuthenticationError(`service account token is not valid yet: ${error.message}`)
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  throw new AuthenticationError("invalid signature")
}

function headerOf(read: () => { readonly kid?: string }): { readonly kid?: string } {
  try {
    return read()
  } catch {
    throw new AuthenticationError("the header of the token cannot be read")
  }
}

function audiencesOf({ aud = [] }: JWTPayload): readonly string[] {
  return typeof aud === "string" ? [aud] : aud
}

async function requireObjects({ read, clock }: AccountTokenOptions, subject: TokenSubject): Promise<void> {
  const { namespace, account, pod, secret, node } = subject
  const now = clock.nowMs()
  await requireObject(await read("serviceaccounts", namespace, account.name), account, now)
  if (secret !== undefined) await requireObject(await read("secrets", namespace, secret.name), secret, now)
  if (pod !== undefined) await requireObject(await read("pods", namespace, pod.name), pod, now)
  // The node of a pod may be gone before it.
  else if (node !== undefined) await requireObject(await read("nodes", "", node.name), node, now)
}

function requireObject(object: ApiObject | undefined, { uid }: Named, nowMs: number): void {
  const { deletionTimestamp, uid: current } = object?.metadata ?? {}
  const isGone = deletionTimestamp !== undefined && parseInstant(deletionTimestamp).seconds * 1000 + leewaySeconds * 1000 < nowMs
  if (object === undefined || isGone || current !== uid) throw new AuthenticationError("service account token has been invalidated")
}

function userOf({ namespace, account, pod, node }: TokenSubject, { jti }: JWTPayload, vendor: Vendor): User {
  const key = (name: string): string => vendor.domain(`authentication.orch.io/${name}`)
  const extra: Record<string, readonly string[]> = {}
  if (jti !== undefined) extra[key("credential-id")] = [`JTI=${jti}`]
  if (pod !== undefined) {
    extra[key("pod-name")] = [pod.name]
    extra[key("pod-uid")] = [pod.uid]
  }
  if (node !== undefined) {
    extra[key("node-name")] = [node.name]
    if (node.uid !== "") extra[key("node-uid")] = [node.uid]
  }
  return { name: accountUser(namespace, account.name), uid: account.uid, groups: accountGroups(namespace), extra }
}

/** A token without an end, which is kept in a Secret. It has no audiences: it is for the server. */
async function legacy(options: AccountTokenOptions, token: string, audiences: readonly string[]): ReturnType<TokenLookUp> {
  const { vendor, lookup } = options
  const payload = await verified(options, token, legacyIssuer(vendor))
  const claim = (name: string): string => textIn(payload, `${privateClaim(vendor)}/serviceaccount/${name}`)
  const [namespace, secretName] = [claim("namespace"), claim("secret.name")]
  const account = { name: claim("service-account.name"), uid: claim("service-account.uid") }
  if (namespace === "" || secretName === "" || payload.sub !== accountUser(namespace, account.name))
    throw new AuthenticationError("the claims of the token are those of no service account")
  if (lookup) {
    await requireSecret(options, { namespace, secretName, token })
    requireObject(await options.read("serviceaccounts", namespace, account.name), account, options.clock.nowMs())
  }
  const user = { name: accountUser(namespace, account.name), uid: account.uid, groups: accountGroups(namespace), extra: {} }
  return forServer(options.audiences)({ user }, audiences)
}

async function requireSecret(
  { read, vendor }: AccountTokenOptions,
  { namespace, secretName, token }: { readonly namespace: string; readonly secretName: string; readonly token: string },
): Promise<void> {
  const secret = await read("secrets", namespace, secretName)
  const { deletionTimestamp, labels } = secret?.metadata ?? {}
  const stored = Buffer.from(isObject(secret?.data) && typeof secret.data.token === "string" ? secret.data.token : "", "base64")
  const given = Buffer.from(token)
  const isIt = stored.length === given.length && timingSafeEqual(stored, given)
  if (secret === undefined || deletionTimestamp !== undefined || !isIt)
    throw new AuthenticationError("service account token has been invalidated")
  if (labels?.[vendor.domain("orch.io/legacy-token-invalid-since")] !== undefined)
    throw new AuthenticationError("the token in the secret has been marked as invalid")
}

function textIn(payload: JWTPayload, name: string): string {
  const value = payload[name]
  return typeof value === "string" ? value : ""
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`
}
