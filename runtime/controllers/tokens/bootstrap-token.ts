/** Bootstrap tokens: Secrets with which new nodes join the cluster (catalog operations.yaml: bootstrapTokens). */
import type { Secret } from "../../../generated/core/v1/secret/types.ts"
import { parseInstant, TimeError } from "../../base/time.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { CachedObject } from "../../storage/cache.ts"

const namePrefix = "bootstrap-token-"
const idSyntax = /^[a-z0-9]{6}$/
const secretSyntax = /^[a-z0-9]{16}$/

/** Whether a Secret is a token, by its type and namespace. Does not decode it. */
export function isToken(secret: CachedObject, vendor: Vendor): boolean {
  return secret.field("type") === tokenType(vendor) && secret.field("metadata.namespace") === tokenNamespace(vendor)
}

/** The `type` of the Secrets. */
export function tokenType(vendor: Vendor): string {
  return vendor.domain("bootstrap.orch.io/token")
}

export function tokenNamespace(vendor: Vendor): string {
  return vendor.namespace("orch-system")
}

/** When a token expires, in milliseconds since the epoch. An invalid time counts as expired; undefined: never. */
export function expiryOf(secret: Secret): number | undefined {
  const text = textOf(secret, "expiration")
  if (text === "") return undefined
  try {
    return parseInstant(text).seconds * 1000
  } catch (error) {
    if (error instanceof TimeError) return 0
    throw error
  }
}

/** The id and secret of a token that may sign; undefined for a token that may not, is damaged, or has expired. */
export function signingToken(secret: Secret, nowMs: number): { readonly id: string; readonly secret: string } | undefined {
  const [id, key] = [textOf(secret, "token-id"), textOf(secret, "token-secret")]
  const { name, deletionTimestamp } = secret.metadata
  if (deletionTimestamp !== undefined || name !== namePrefix + id || !idSyntax.test(id) || !secretSyntax.test(key)) return undefined
  if (textOf(secret, "usage-bootstrap-signing") !== "true" || (expiryOf(secret) ?? Number.POSITIVE_INFINITY) <= nowMs) return undefined
  return { id, secret: key }
}

function textOf({ data = {} }: Secret, name: string): string {
  return Buffer.from(data[name] ?? "", "base64").toString("utf8")
}
