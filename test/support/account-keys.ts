/** Keys of service-account tokens for tests. */
import { generateKeyPairSync } from "node:crypto"
import { SignJWT } from "jose"
import { type SigningKey, signingKeyIn } from "../../runtime/authn/service-accounts/keys.ts"
import type { ServiceAccountTokens } from "../../runtime/authn/service-accounts/tokens.ts"

/** PEM of a new private key. */
export function privateKeyPem(sort: "rsa" | "P-256" | "P-384" | "P-521" = "P-256"): string {
  const { privateKey } =
    sort === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: sort })
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString()
}

export const testIssuer = "https://issuer.example.com"

/** A token without an end, of an account and in a Secret; all of vendor `kubernetes`. */
export function tokenOfSecret(
  key: Pick<SigningKey, "algorithm" | "privateKey">,
  { namespace, secret, account }: { namespace: string; secret: string; account: { name: string; uid: string } },
): Promise<string> {
  const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`
  return new SignJWT({
    sub: `system:serviceaccount:${namespace}:${account.name}`,
    [claim("namespace")]: namespace,
    [claim("secret.name")]: secret,
    [claim("service-account.name")]: account.name,
    [claim("service-account.uid")]: account.uid,
  })
    .setIssuer("kubernetes/serviceaccount")
    .setProtectedHeader({ alg: key.algorithm })
    .sign(key.privateKey)
}

/** The token settings of a server with a new key and without options. */
export function accountTokens(more: Partial<ServiceAccountTokens> = {}): ServiceAccountTokens {
  const signing = signingKeyIn(privateKeyPem())
  return { keys: [signing], signing, issuers: [testIssuer], extendsExpiration: true, lookup: true, stop: () => undefined, ...more }
}
