/**
 * Authenticates bootstrap tokens: Secrets with which new nodes join the cluster. Specification section 5; catalog
 * operations.yaml, bootstrapTokens.
 */
import { timingSafeEqual } from "node:crypto"
import type { Clock } from "../base/clock.ts"
import { type ApiObject, isObject } from "../base/json.ts"
import { parseInstant, TimeError } from "../base/time.ts"
import type { Vendor } from "../base/vendor.ts"
import { forServer } from "./authenticate.ts"
import type { CoreReader } from "./service-accounts/verify.ts"
import type { TokenLookUp } from "./tokens/kept-tokens.ts"

export interface BootstrapTokenOptions {
  readonly read: CoreReader
  readonly clock: Clock
  readonly vendor: Vendor
  /** The audiences of the server. */
  readonly audiences: readonly string[]
}

const tokenSyntax = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const bootstrappers = "system:bootstrappers"

/**
 * Called once with `--enable-bootstrap-token-auth`. A token that is damaged, expired or not meant for authentication is
 * unknown, not refused.
 */
export function bootstrapTokens({ read, clock, vendor, audiences }: BootstrapTokenOptions): TokenLookUp {
  const ofServer = forServer(audiences)
  return async (token, asked) => {
    const [, id = "", secret = ""] = tokenSyntax.exec(token) ?? []
    if (id === "") return undefined
    const stored = await read("secrets", vendor.namespace("orch-system"), `bootstrap-token-${id}`)
    const groups = stored === undefined ? undefined : groupsOf(stored, { id, secret, nowMs: clock.nowMs(), vendor })
    if (groups === undefined) return undefined
    return ofServer({ user: { name: `system:bootstrap:${id}`, groups, extra: {} } }, asked)
  }
}

/** The groups of the token; undefined unless the Secret holds this token and allows it to authenticate. */
function groupsOf(
  stored: ApiObject,
  { id, secret, nowMs, vendor }: { readonly id: string; readonly secret: string; readonly nowMs: number; readonly vendor: Vendor },
): readonly string[] | undefined {
  if (stored.metadata?.deletionTimestamp !== undefined || stored.type !== vendor.domain("bootstrap.orch.io/token")) return undefined
  const field = (name: string): Buffer => dataIn(stored, name)
  const expected = field("token-secret")
  const given = Buffer.from(secret)
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined
  if (field("token-id").toString("utf8") !== id || hasEnded(field("expiration").toString("utf8"), nowMs)) return undefined
  if (field("usage-bootstrap-authentication").toString("utf8") !== "true") return undefined
  const asked = field("auth-extra-groups").toString("utf8")
  const extra = asked === "" ? [] : [...new Set(asked.split(","))]
  return extra.every((group) => extraGroup.test(group)) ? [bootstrappers, ...extra] : undefined
}

function dataIn({ data }: ApiObject, name: string): Buffer {
  const value = isObject(data) ? data[name] : undefined
  return Buffer.from(typeof value === "string" ? value : "", "base64")
}

/** A text that is not a time counts as expired. */
function hasEnded(expiration: string, nowMs: number): boolean {
  if (expiration === "") return false
  try {
    return parseInstant(expiration).seconds * 1000 <= nowMs
  } catch (error) {
    if (error instanceof TimeError) return true
    throw error
  }
}
