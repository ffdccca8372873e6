/**
 * Documents with which other servers verify tokens of this server: OpenID Connect Discovery 1.0 section 4, and the keys
 * (RFC 7517). Specification section 4.13; catalog operations.yaml, serviceAccounts.discovery.
 */
import type { ServiceAccountTokens } from "./tokens.ts"

export const configurationPath = "/.well-known/openid-configuration"
export const keysPath = "/openid/v1/jwks"

export interface IssuerDocuments {
  readonly configuration: string
  readonly keys: string
}

/**
 * The two documents; undefined if the issuer is not an https URL or has a query or a fragment, since clients could not
 * derive their address. `address`: host and port at which clients reach this server.
 */
export function issuerDocuments({ issuers, keys, jwksUri }: ServiceAccountTokens, address: string): IssuerDocuments | undefined {
  const [issuer = ""] = issuers
  if (!URL.canParse(issuer)) return undefined
  const { protocol, search, hash } = new URL(issuer)
  if (protocol !== "https:" || search !== "" || hash !== "") return undefined
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))].toSorted()
  return {
    configuration: JSON.stringify({
      issuer,
      jwks_uri: jwksUri ?? `https://${address}${keysPath}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: algorithms,
    }),
    keys: JSON.stringify({
      keys: keys.map(({ id, algorithm, publicKey }) => ({ use: "sig", kid: id, alg: algorithm, ...publicKey.export({ format: "jwk" }) })),
    }),
  }
}
