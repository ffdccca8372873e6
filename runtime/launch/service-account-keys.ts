/** What `--service-account-*` says: the keys, issuers and audiences of tokens. Specification section 5. */
import { generateKeyPairSync } from "node:crypto"
import { type SigningKey, signingKeyIn, type VerifyingKey, verifyingKeysIn } from "../authn/service-accounts/keys.ts"
import type { ServiceAccountTokens } from "../authn/service-accounts/tokens.ts"
import { readFileText } from "../base/file-text.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Options } from "../options/table.ts"
import { StartError } from "./start-error.ts"

const maxSecondsMin = 3600
const maxSecondsMax = 2 ** 32

/**
 * Reads the files of the options. Without any, `ownKey` gives the PEM text of a key that lasts as long as the store;
 * undefined when there is none, and then the server knows no tokens of accounts. Throws StartError.
 */
export function serviceAccountTokensOf(
  options: Options,
  { vendor, ownKey }: { readonly vendor: Vendor; readonly ownKey: () => string | undefined },
): ServiceAccountTokens | undefined {
  const files = options["service-account-key-file"]
  const signingFile = options["service-account-signing-key-file"]
  if (signingFile !== "" && files.length === 0)
    throw new StartError("--service-account-signing-key-file needs --service-account-key-file, with the key that verifies what it signs")
  const given = files.flatMap((path) => readKeys(path, "service-account-key-file", verifyingKeysIn))
  const [fromFile] = signingFile === "" ? [] : readKeys(signingFile, "service-account-signing-key-file", (pem) => [signingKeyIn(pem)])
  const signing = fromFile ?? (files.length === 0 ? ownSigningKey(ownKey) : undefined)
  const keys: readonly VerifyingKey[] = given.length > 0 || signing === undefined ? given : [signing]
  if (keys.length === 0) return undefined
  if (signing !== undefined && !keys.some(({ id }) => id === signing.id))
    throw new StartError(
      "--service-account-signing-key-file: no --service-account-key-file has its public key: tokens would not be accepted",
    )
  const issuers = issuersOf(options, vendor)
  const maxSeconds = maxSecondsOf(options)
  return {
    keys,
    ...(signing !== undefined && { signing }),
    issuers,
    ...(maxSeconds !== undefined && { maxSeconds }),
    extendsExpiration: options["service-account-extend-token-expiration"],
    lookup: options["service-account-lookup"],
    ...(options["service-account-jwks-uri"] !== "" && { jwksUri: options["service-account-jwks-uri"] }),
  }
}

/** A new key for tokens, as PEM. Called once per data folder. */
export function newServiceAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString()
}

function ownSigningKey(ownKey: () => string | undefined): SigningKey | undefined {
  const pem = ownKey()
  return pem === undefined ? undefined : signingKeyIn(pem)
}

function readKeys<Key>(
  path: string,
  option: "service-account-key-file" | "service-account-signing-key-file",
  read: (pem: string) => readonly Key[],
): readonly Key[] {
  try {
    return read(readFileText(path))
  } catch (error) {
    throw new StartError(`--${option}: ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function issuersOf(options: Options, vendor: Vendor): readonly string[] {
  const given = options["service-account-issuer"]
  for (const issuer of given)
    if (issuer === "" || (issuer.includes(":") && !URL.canParse(issuer)))
      throw new StartError(`--service-account-issuer: ${JSON.stringify(issuer)} is no URL; expected one such as https://issuer.example.com`)
  return given.length > 0 ? given : [`https://${vendor.word}.default.svc.cluster.local`]
}

function maxSecondsOf(options: Options): number | undefined {
  const milliseconds = options["service-account-max-token-expiration"]
  if (milliseconds === 0) return undefined
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < maxSecondsMin || seconds > maxSecondsMax)
    throw new StartError(`--service-account-max-token-expiration: ${seconds}s will not do: expected 1h to ${maxSecondsMax}s, or 0 for any`)
  return seconds
}
