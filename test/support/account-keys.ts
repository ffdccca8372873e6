/** Keys of service-account tokens for tests. */
import { generateKeyPairSync } from "node:crypto"
import { signingKeyIn } from "../../runtime/authn/service-accounts/keys.ts"
import type { ServiceAccountTokens } from "../../runtime/authn/service-accounts/tokens.ts"

/** PEM of a new private key. */
export function privateKeyPem(sort: "rsa" | "P-256" | "P-384" | "P-521" = "P-256"): string {
  const { privateKey } =
    sort === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: sort })
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString()
}

export const testIssuer = "https://issuer.example.com"

/** What a server with a new key and without options knows. */
export function accountTokens(more: Partial<ServiceAccountTokens> = {}): ServiceAccountTokens {
  const signing = signingKeyIn(privateKeyPem())
  return { keys: [signing], signing, issuers: [testIssuer], extendsExpiration: true, lookup: true, ...more }
}
