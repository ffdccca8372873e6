/** Makes the authenticators that options configure, and reads their files: at the start, and when they change. */
import { errorText } from "../base/error-text.ts"
import { type Authenticator, type StaticToken, staticTokens } from "../authn/authenticate.ts"
import { parseTokenFile } from "../authn/tokens/token-file.ts"
import { type CertificateVerifier, certificateVerifier, clientCertificates } from "../authn/certificates/client-certificates.ts"
import { type CertificatePool, certificatePool } from "../authn/certificates/pool.ts"
import { headerRemover, requestHeader } from "../authn/certificates/request-header.ts"
import type { RequestHeaderNames } from "../base/client-trust.ts"
import type { ConfiguredAuthentication, TokenParts } from "../authn/configured.ts"
import { keptTokens } from "../authn/tokens/kept-tokens.ts"
import { tokenWebhook } from "../authn/tokens/token-webhook.ts"
import { vendorProfile } from "../base/vendor.ts"
import { WatchedFiles, type WatchedFilesOptions } from "../base/watched-files.ts"
import type { Options } from "../options/table.ts"
import type { AuthenticationOptions } from "./authentication-options.ts"
import { takenUp, unusableChange } from "./changed-file.ts"
import { openHookFile } from "./hook-file.ts"
import { configureJwt } from "./jwt-authentication.ts"
import { StartError } from "../base/start-error.ts"

/**
 * Called once per server. Undefined when no option configures more than tokens. Throws StartError for a file that
 * cannot be read, and for options that contradict each other.
 */
export function configureAuthentication(how: AuthenticationOptions): ConfiguredAuthentication | undefined {
  const { options, ownAuthority } = how
  checkRequestHeaders(options)
  const made = new Made(how)
  const authorities = new Map<AuthorityOption, FollowedAuthorities>()
  const verifierOf = (name: AuthorityOption, more?: string): CertificateVerifier | undefined => {
    if (options[name] === "" && more === undefined) return undefined
    const followed = options[name] === "" ? fixedAuthorities(more) : watchedAuthorities(name, how, more)
    authorities.set(name, followed)
    made.ends.push(() => followed.stop())
    return certificateVerifier({ authorities: followed, clock: how.clock })
  }
  try {
    const certificates: Authenticator[] = []
    const proxies = verifierOf("requestheader-client-ca-file")
    const names = requestHeaderNames(options)
    if (proxies !== undefined) certificates.push(requestHeader(proxies, names))
    const clients = verifierOf("client-ca-file", ownAuthority)
    if (clients !== undefined) certificates.push(clientCertificates(clients))
    const jwt = configureJwt(how)
    made.ends.push(() => jwt?.stop())
    const webhook = made.webhook()
    const listed = made.listed()
    if (certificates.length === 0 && listed === undefined && jwt === undefined && webhook === undefined) return undefined
    return {
      certificates,
      ...(listed !== undefined && { listed }),
      tokens: (parts) => [...(jwt === undefined ? [] : [jwt.authenticator(parts)]), ...(webhook === undefined ? [] : [webhook(parts)])],
      ...(proxies !== undefined && { removeHeaders: headerRemover(names) }),
      clientAuthorities: () => (authorities.size === 0 ? undefined : [...authorities.values()].map(({ current }) => current.pem).join("")),
      trust: () => ({
        clients: authorities.get("client-ca-file")?.current.pem ?? "",
        proxies: authorities.get("requestheader-client-ca-file")?.current.pem ?? "",
        proxyHeaders: names,
      }),
      onAuthorities(listener) {
        for (const file of authorities.values()) file.onChange(listener)
      },
      stop: () => made.stop(),
    }
  } catch (error) {
    made.stop()
    throw error
  }
}

/** The authenticators made so far, and the functions that end them. */
class Made {
  readonly ends: (() => void)[] = []

  constructor(private readonly how: AuthenticationOptions) {}

  stop(): void {
    for (const end of this.ends) end()
  }

  /** Undefined without `--token-auth-file`. */
  listed(): ConfiguredAuthentication["listed"] {
    const { clock, log, options } = this.how
    const path = options["token-auth-file"]
    if (path === "") return undefined
    const file = watched(path, {
      clock,
      read: ([text = ""]) => parseTokenFile(text, path, (message) => log.warn(`--token-auth-file: ${message}`)),
      onFault: (error) => log.error({ error: errorText(error) }, unusableChange("token-auth-file", path)),
    })
    this.ends.push(() => file.stop())
    return (audiences) => {
      let current = staticTokens(file.current, audiences)
      file.onChange((tokens) => {
        current = staticTokens(tokens, audiences)
        log.info({ tokens: tokens.length }, takenUp("token-auth-file"))
      })
      return (credentials) => current(credentials)
    }
  }

  /** Undefined without `--authentication-token-webhook-config-file`. */
  webhook(): ((parts: TokenParts) => Authenticator) | undefined {
    const { clock, options, random } = this.how
    const opened = openHookFile("authentication-token-webhook-config-file", this.how)
    if (opened === undefined) return undefined
    const { file, onFault } = opened
    this.ends.push(() => file.stop())
    const ttlMs = options["authentication-token-webhook-cache-ttl"]
    const version = options["authentication-token-webhook-version"]
    return ({ hooks, audiences, meter }) =>
      keptTokens({
        lookUp: tokenWebhook({
          post: (review, timeoutMs) => hooks.post(file.place, { review, timeoutMs }),
          apiVersion: vendorProfile(options.vendor).apiVersion(`authentication.orch.io/${version}`),
          ...{ audiences, clock, random, onFault },
        }),
        keptMs: { success: ttlMs, failure: ttlMs },
        ...{ clock, random, meter },
      })
  }
}

/** Throws StartError for a file that cannot be read at the start. */
function watched(path: string, how: Omit<WatchedFilesOptions<readonly StaticToken[]>, "paths">): WatchedFiles<readonly StaticToken[]> {
  try {
    return new WatchedFiles({ ...how, paths: [path] })
  } catch (error) {
    throw new StartError(`--token-auth-file: ${errorText(error)}`)
  }
}

type AuthorityOption = "client-ca-file" | "requestheader-client-ca-file"

type FollowedAuthorities = Pick<WatchedFiles<CertificatePool>, "current" | "onChange" | "stop">

function fixedAuthorities(pem = ""): FollowedAuthorities {
  return { current: certificatePool(pem), onChange: () => undefined, stop: () => undefined }
}

/** `more`: PEM of authorities that are trusted besides the file's. */
function watchedAuthorities(name: AuthorityOption, { clock, log, options }: AuthenticationOptions, more = ""): FollowedAuthorities {
  const path = options[name]
  try {
    return new WatchedFiles({
      paths: [path],
      read([pem = ""]) {
        const pool = certificatePool(pem)
        return more === "" ? pool : certificatePool(`${pool.pem}${more}`)
      },
      clock,
      onFault: (error) => log.error({ err: error }, unusableChange(name, path)),
    })
  } catch (error) {
    throw new StartError(`--${name}: ${path}: ${errorText(error)}; name a PEM file with the certificates of the authorities`)
  }
}

function requestHeaderNames(options: Options): RequestHeaderNames {
  return {
    allowedNames: options["requestheader-allowed-names"],
    usernameHeaders: options["requestheader-username-headers"],
    groupHeaders: options["requestheader-group-headers"],
    extraPrefixes: options["requestheader-extra-headers-prefix"],
  }
}

const headerOptions = [
  "requestheader-allowed-names",
  "requestheader-username-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
] as const

function checkRequestHeaders(options: Options): void {
  const given = headerOptions.filter((name) => options[name].length > 0)
  if (options["requestheader-client-ca-file"] !== "" || given.length === 0) return
  throw new StartError(
    `--${given[0]} needs --requestheader-client-ca-file: header fields are believed only of a proxy whose certificate is verified`,
  )
}
