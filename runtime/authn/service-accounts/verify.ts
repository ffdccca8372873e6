/** Shared checks of service-account tokens: the signature, and objects that must still exist. */
import type { JWTPayload, JWTVerifyOptions } from "jose"
import type { Clock } from "../../base/clock.ts"
import type { ApiObject } from "../../base/json.ts"
import { parseInstant } from "../../base/time.ts"
import type { Vendor } from "../../base/vendor.ts"
import { AuthenticationError } from "../authenticate.ts"
import type { AccountTokenMeter } from "../meters.ts"
import type { Named } from "./claims.ts"
import type { ServiceAccountTokens } from "./tokens.ts"

/** Reads the newest state of an object of the core group; undefined if there is none. */
export type CoreReader = (
  resource: "nodes" | "pods" | "secrets" | "serviceaccounts",
  namespace: string,
  name: string,
) => Promise<ApiObject | undefined>

export interface AccountTokenOptions {
  /** Read for each token: the keys change with their files. */
  readonly tokens: Pick<ServiceAccountTokens, "keys" | "issuers" | "lookup">
  /** The audiences of the server. */
  readonly audiences: readonly string[]
  readonly read: CoreReader
  /** Called with the Secret of each token without an expiry that a client presents, also if it is marked as invalid. */
  readonly noteUse: (secret: ApiObject) => void
  readonly clock: Clock
  readonly vendor: Vendor
  readonly meter: AccountTokenMeter
}

/** Tolerance between the clocks of issuers. Also the time after which an object under deletion counts as gone. */
const leewaySeconds = 60

/**
 * Tries the key that the token names, else all. Loads the library of tokens with the first one. Throws
 * AuthenticationError.
 */
export async function verified({ tokens: { keys }, clock }: AccountTokenOptions, token: string, issuer: string): Promise<JWTPayload> {
  const { decodeProtectedHeader, errors, jwtVerify } = await import("jose")
  const { kid } = headerOf(() => decodeProtectedHeader(token))
  const named = keys.filter(({ id }) => id === kid)
  // Bounded: the configuration has these keys.
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

/** Throws AuthenticationError unless an object with this uid exists and is not long past its deletion timestamp. */
export function requireObject(object: ApiObject | undefined, { uid }: Pick<Named, "uid">, nowMs: number): void {
  const { deletionTimestamp, uid: current } = object?.metadata ?? {}
  const isGone = deletionTimestamp !== undefined && parseInstant(deletionTimestamp).seconds * 1000 + leewaySeconds * 1000 < nowMs
  if (object === undefined || isGone || current !== uid) throw new AuthenticationError("service account token has been invalidated")
}
