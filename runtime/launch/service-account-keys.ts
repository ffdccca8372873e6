/** Reads `--service-account-*`: the keys, issuers and audiences of tokens. Specification section 5. */
import { generateKeyPairSync } from "node:crypto"
import type { Logger } from "pino"
import { type SigningKey, signingKeyIn, type VerifyingKey, verifyingKeysIn } from "../authn/service-accounts/keys.ts"
import type { ServiceAccountTokens } from "../authn/service-accounts/tokens.ts"
import type { Clock } from "../base/clock.ts"
import { errorText } from "../base/error-text.ts"
import { FileTooLargeError } from "../base/file-text.ts"
import type { Vendor } from "../base/vendor.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import type { Options } from "../options/table.ts"
import { takenUp, unusableChange } from "./changed-file.ts"
import { StartError } from "../base/start-error.ts"

const noKeys =
  "tokens of service accounts are off: servers of one etcd share their keys as files; give --service-account-signing-key-file and --service-account-key-file (docs/STORE.md)"
const noSigningKey = "tokens of service accounts are verified, and none can be requested: --service-account-signing-key-file is not given"

const maxSecondsMin = 3600
const maxSecondsMax = 2 ** 32

export interface AccountKeyOptions {
  readonly vendor: Vendor
  /** PEM of a key that lasts as long as the store; undefined when there is none. */
  readonly ownKey: () => string | undefined
  readonly clock: Clock
  readonly log: Pick<Logger, "error" | "info" | "warn">
}

/**
 * Reads the files of the options, and again when they change; the caller stops that. Without files, `ownKey` signs and
 * verifies; without that key as well, returns undefined: the server knows no tokens of accounts. Throws StartError.
 */
export function serviceAccountTokensOf(options: Options, how: AccountKeyOptions): ServiceAccountTokens | undefined {
  const issuers = issuersOf(options, how.vendor)
  const maxSeconds = maxSecondsOf(options)
  const files = keysOf(options, how)
  if (files?.current.signing === undefined) how.log.warn(files === undefined ? noKeys : noSigningKey)
  if (files === undefined) return undefined
  return {
    get keys() {
      return files.current.keys
    },
    get signing() {
      return files.current.signing
    },
    issuers,
    ...(maxSeconds !== undefined && { maxSeconds }),
    extendsExpiration: options["service-account-extend-token-expiration"],
    lookup: options["service-account-lookup"],
    ...(options["service-account-jwks-uri"] !== "" && { jwksUri: options["service-account-jwks-uri"] }),
    stop: () => files.stop(),
  }
}

interface Keys {
  readonly keys: readonly VerifyingKey[]
  readonly signing: SigningKey | undefined
}

function keysOf(options: Options, how: AccountKeyOptions): Pick<WatchedFiles<Keys>, "current" | "stop"> | undefined {
  if (options[keyOption].length > 0) return watchedKeys(options, how)
  if (options[signingOption] !== "")
    throw new StartError(`--${signingOption} needs --${keyOption}, with the key that verifies what it signs`)
  const pem = how.ownKey()
  if (pem === undefined) return undefined
  const signing = signingKeyIn(pem)
  return { current: { keys: [signing], signing }, stop: () => undefined }
}

const keyOption = "service-account-key-file"
const signingOption = "service-account-signing-key-file"

/** The signing key is the last of the files, if there is one. */
function watchedKeys(options: Options, { clock, log }: AccountKeyOptions): WatchedFiles<Keys> {
  const files = options[keyOption]
  const signingFile = options[signingOption]
  const paths = [...files, ...(signingFile === "" ? [] : [signingFile])]
  const optionAt = (index: number): string => (index < files.length ? keyOption : signingOption)
  const read = (texts: readonly string[]): Keys => {
    const keys: VerifyingKey[] = []
    let signing: SigningKey | undefined
    for (const [index, text] of texts.entries())
      try {
        if (index < files.length) keys.push(...verifyingKeysIn(text))
        else signing = signingKeyIn(text)
      } catch (error) {
        throw new Error(`--${optionAt(index)}: ${paths[index]}: ${errorText(error)}`)
      }
    const { id } = signing ?? {}
    if (id !== undefined && !keys.some((key) => key.id === id))
      throw new Error(`--${signingOption}: no --${keyOption} has its public key: tokens would not be accepted`)
    return { keys, signing }
  }
  try {
    const watched = new WatchedFiles({
      ...{ paths, read, clock },
      onFault: (error) => log.error({ error: errorText(error) }, unusableChange(keyOption, paths.join(", "))),
    })
    watched.onChange(({ keys, signing }) => log.info({ keys: keys.map(({ id }) => id), signing: signing?.id }, takenUp(keyOption)))
    return watched
  } catch (error) {
    const path = error instanceof Error && "path" in error ? error.path : undefined
    const index = typeof path === "string" ? paths.indexOf(path) : -1
    const place = error instanceof FileTooLargeError ? "" : `${paths[index]}: `
    throw new StartError(index < 0 ? errorText(error) : `--${optionAt(index)}: ${place}${errorText(error)}`)
  }
}

/** A new key for tokens, as PEM. Called once per data folder. */
export function newServiceAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString()
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
