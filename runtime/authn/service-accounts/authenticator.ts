/**
 * Authenticates tokens of service accounts, both bound tokens and tokens of Secrets. Besides the signature, the account
 * and the bound object must still exist. Specification section 5; catalog operations.yaml, serviceAccounts.
 */
import type { JWTPayload } from "jose"
import { accountGroups, accountUser, type User } from "../../base/user.ts"
import type { Vendor } from "../../base/vendor.ts"
import { AuthenticationError } from "../authenticate.ts"
import { issuerOf } from "../jwt-form.ts"
import type { CredentialNotes } from "../notes.ts"
import type { TokenLookUp } from "../tokens/kept-tokens.ts"
import { subjectOf, type TokenSubject } from "./claims.ts"
import { legacyIdentity, legacyIssuer } from "./legacy-tokens.ts"
import { type AccountTokenOptions, requireObject, verified } from "./verify.ts"

/** Called once per server with keys. Loads the library of tokens with the first token that may be one. */
export function serviceAccountTokens(options: AccountTokenOptions): TokenLookUp {
  const { tokens, vendor } = options
  return async (token, audiences) => {
    const issuer = issuerOf(token)
    if (issuer === legacyIssuer(vendor)) return legacyIdentity(options, token, audiences)
    if (issuer === undefined || !tokens.issuers.includes(issuer)) return undefined
    const payload = await verified(options, token, issuer)
    const shared = audiencesOf(payload).filter((audience) => audiences.includes(audience))
    if (shared.length === 0)
      throw new AuthenticationError(
        `token audiences ${quoted(audiencesOf(payload))} is invalid for the target audiences ${quoted(audiences)}`,
      )
    const subject = subjectOf(payload, vendor)
    if (subject === undefined) throw new AuthenticationError("the claims of the token are those of no service account")
    if (tokens.lookup) await requireObjects(options, subject)
    const notes = stalenessOf(options, subject)
    return { user: userOf(subject, payload, vendor), audiences: shared, ...(notes !== undefined && { notes }) }
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
  // The node of a pod may be deleted before the pod.
  else if (node !== undefined) await requireObject(await read("nodes", "", node.name), node, now)
}

/** Counts a token that lives longer than its client should use it. Requests after that time have an annotation. */
function stalenessOf({ clock, meter, vendor }: AccountTokenOptions, subject: TokenSubject): CredentialNotes | undefined {
  const { warnAfter = 0, namespace, account } = subject
  if (warnAfter === 0) return undefined
  const now = clock.nowMs()
  const isStale = now > warnAfter * 1000
  meter.used(isStale ? "stale" : "valid")
  if (!isStale) return undefined
  const seconds = Math.floor(now / 1000) - warnAfter
  const text = `subject: ${accountUser(namespace, account.name)}, seconds after warning threshold: ${seconds}`
  return { annotations: [[`${vendor.group("authentication.orch.io")}/stale-token`, text]], warnings: [] }
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

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`
}
