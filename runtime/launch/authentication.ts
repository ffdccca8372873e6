/** Makes the authenticators that options configure, and reads their files: at the start, and when they change. */
import { readFileSync } from "node:fs"
import type { Logger } from "pino"
import type { Authenticator } from "../authn/authenticate.ts"
import { type CertificateVerifier, certificateVerifier, clientCertificates } from "../authn/certificates/client-certificates.ts"
import { type CertificatePool, certificatePool } from "../authn/certificates/pool.ts"
import { headerRemover, requestHeader, type RequestHeaderNames } from "../authn/certificates/request-header.ts"
import type { ConfiguredAuthentication, ReviewSender } from "../authn/configured.ts"
import { keptIdTokensMs } from "../authn/limits.ts"
import { providerClient } from "../authn/oidc/fetch-document.ts"
import { oidcTokens } from "../authn/oidc/oidc-tokens.ts"
import { Provider } from "../authn/oidc/provider.ts"
import { keptTokens } from "../authn/tokens/kept-tokens.ts"
import { tokenWebhook } from "../authn/tokens/token-webhook.ts"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import { vendorProfile } from "../base/vendor.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import type { Log } from "../controllers/controller.ts"
import { deduplicateLog } from "../controllers/log-deduplication.ts"
import { systemAuthorities } from "../hooks/authorities.ts"
import type { Options } from "../options/table.ts"
import { openHookFile } from "./hook-file.ts"
import { StartError } from "./start-error.ts"

export interface AuthenticationOptions {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** The authority that issues the administrator's certificate, PEM: trusted beside those of `--client-ca-file`. */
  readonly ownAuthority?: string | undefined
}

/**
 * Called once per server. Undefined when no option asks for more than tokens. Throws StartError for a file that cannot
 * be read, and for options that contradict each other.
 */
export function configureAuthentication(how: AuthenticationOptions): ConfiguredAuthentication | undefined {
  const { options, ownAuthority } = how
  checkRequestHeaders(options)
  checkOidc(options)
  const made = new Made(how)
  const authorities: FollowedAuthorities[] = []
  const verifierOf = (name: AuthorityOption, more?: string): CertificateVerifier | undefined => {
    if (options[name] === "" && more === undefined) return undefined
    const followed = options[name] === "" ? fixedAuthorities(more) : watchedAuthorities(name, how, more)
    authorities.push(followed)
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
    const oidc = made.oidc()
    const webhook = made.webhook()
    if (certificates.length === 0 && oidc === undefined && webhook === undefined) return undefined
    return {
      certificates,
      tokens: (hooks, audiences) => [...(oidc === undefined ? [] : [oidc]), ...(webhook === undefined ? [] : [webhook(hooks, audiences)])],
      ...(proxies !== undefined && { removeHeaders: headerRemover(names) }),
      clientAuthorities: () => (authorities.length === 0 ? undefined : authorities.map(({ current }) => current.pem).join("")),
      onAuthorities(listener) {
        for (const file of authorities) file.onChange(listener)
      },
      stop: () => made.stop(),
    }
  } catch (error) {
    made.stop()
    throw error
  }
}

/** What was made so far, and how it ends. */
class Made {
  readonly ends: (() => void)[] = []

  constructor(private readonly how: AuthenticationOptions) {}

  stop(): void {
    for (const end of this.ends) end()
  }

  /** Undefined without `--oidc-issuer-url`. */
  oidc(): Authenticator | undefined {
    const { clock, options, random } = this.how
    const issuer = options["oidc-issuer-url"]
    if (issuer === "") return undefined
    const log = this.log()
    const client = providerClient({ authorities: oidcAuthorities(options), clock })
    const onFault = (error: string): void => log.warn({ error }, "--oidc-issuer-url: the provider cannot be asked")
    const onReady = (): void => this.how.log.debug({ issuer }, "the configuration of the identity provider was read")
    const provider = new Provider({ issuer, client, clock, onFault, onReady })
    this.ends.push(() => provider.stop())
    const lookUp = oidcTokens({
      issuer,
      clientId: options["oidc-client-id"],
      usernameClaim: options["oidc-username-claim"],
      usernamePrefix: usernamePrefix(options),
      groupsClaim: options["oidc-groups-claim"],
      groupsPrefix: options["oidc-groups-prefix"],
      requiredClaims: options["oidc-required-claim"],
      algorithms: options["oidc-signing-algs"],
      provider,
      clock,
    })
    return keptTokens({ lookUp, keptMs: { success: keptIdTokensMs, failure: 0 }, clock, random })
  }

  /** Undefined without `--authentication-token-webhook-config-file`. */
  webhook(): ((hooks: ReviewSender, audiences: readonly string[]) => Authenticator) | undefined {
    const { clock, options, random } = this.how
    const opened = openHookFile("authentication-token-webhook-config-file", this.how)
    if (opened === undefined) return undefined
    const { file, onFault } = opened
    this.ends.push(() => file.stop())
    const ttlMs = options["authentication-token-webhook-cache-ttl"]
    const version = options["authentication-token-webhook-version"]
    return (hooks, audiences) =>
      keptTokens({
        lookUp: tokenWebhook({
          post: (review, timeoutMs) => hooks.post(file.place, { review, timeoutMs }),
          apiVersion: vendorProfile(options.vendor).apiVersion(`authentication.orch.io/${version}`),
          ...{ audiences, clock, random, onFault },
        }),
        keptMs: { success: ttlMs, failure: ttlMs },
        ...{ clock, random },
      })
  }

  /** Whatever is away for long is reported once a minute. */
  private log(): Log {
    const { clock, log } = this.how
    return deduplicateLog({ warn: (values, text) => log.warn(values, text) }, clock)
  }
}

/** Names of other claims than email are unique for their issuer only. */
function usernamePrefix(options: Options): string {
  const prefix = options["oidc-username-prefix"]
  if (prefix === "-") return ""
  return prefix === "" && options["oidc-username-claim"] !== "email" ? `${options["oidc-issuer-url"]}#` : prefix
}

function oidcAuthorities(options: Options): string | readonly string[] {
  const path = options["oidc-ca-file"]
  if (path === "") return systemAuthorities()
  try {
    return certificatePool(readFileSync(path, "utf8")).pem
  } catch (error) {
    throw new StartError(`--oidc-ca-file: ${path}: ${messageOf(error)}`)
  }
}

const oidcTexts = ["oidc-client-id", "oidc-ca-file", "oidc-username-prefix", "oidc-groups-claim", "oidc-groups-prefix"] as const

function checkOidc(options: Options): void {
  if (options["oidc-issuer-url"] !== "") {
    if (options["oidc-client-id"] === "")
      throw new StartError("--oidc-issuer-url needs --oidc-client-id: a token must say that it is for this server")
    return
  }
  const given = oidcTexts.find((name) => options[name] !== "")
  const named = given ?? (Object.keys(options["oidc-required-claim"]).length > 0 ? "oidc-required-claim" : undefined)
  if (named !== undefined) throw new StartError(`--${named} needs --oidc-issuer-url, which names the issuer of the tokens`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type AuthorityOption = "client-ca-file" | "requestheader-client-ca-file"

type FollowedAuthorities = Pick<WatchedFiles<CertificatePool>, "current" | "onChange" | "stop">

function fixedAuthorities(pem = ""): FollowedAuthorities {
  return { current: certificatePool(pem), onChange: () => undefined, stop: () => undefined }
}

/** `more`: PEM of authorities that are trusted besides those of the file. */
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
      onFault: (error) =>
        log.error({ err: error }, `--${name}: ${path} has changed and cannot be used; what it said before stays in force`),
    })
  } catch (error) {
    throw new StartError(`--${name}: ${path}: ${messageOf(error)}; name a PEM file with the certificates of the authorities`)
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
