/** The issuers of ID tokens that `--authentication-config` or `--oidc-*` name, and their changes. */
import { readFileText } from "../base/file-text.ts"
import { errorText } from "../base/error-text.ts"
import type { Authenticator } from "../authn/authenticate.ts"
import { certificatePool } from "../authn/certificates/pool.ts"
import type { TokenParts } from "../authn/configured.ts"
import { changedIssuersMs, keptIdTokensMs } from "../authn/limits.ts"
import { type AuthenticationConfiguration, authenticationConfigurationShape, type JwtConfiguration } from "../authn/oidc/configuration.ts"
import { providerClient } from "../authn/oidc/fetch-document.ts"
import type { JwtAuthenticator } from "../authn/oidc/jwt-authenticator.ts"
import { type IssuerParts, jwtTokens } from "../authn/oidc/jwt-tokens.ts"
import { Provider } from "../authn/oidc/provider.ts"
import { validateAuthenticationConfiguration } from "../authn/oidc/validate-configuration.ts"
import { keptTokens } from "../authn/tokens/kept-tokens.ts"
import { yamlFileBytesMax } from "../base/file-limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import { within } from "../base/within.ts"
import type { Log } from "../controllers/controller.ts"
import { deduplicateLog } from "../controllers/log-deduplication.ts"
import { systemAuthorities } from "../hooks/authorities.ts"
import type { Options } from "../options/table.ts"
import type { AuthenticationOptions } from "./authentication-options.ts"
import { takenUp, unusableChange, whatStays } from "./changed-file.ts"
import { type ConfigurationKind, decodeConfiguration, validated } from "./configuration-file.ts"
import { StartError } from "../base/start-error.ts"

export interface JwtAuthentication {
  /** Called once per server. */
  authenticator(parts: Pick<TokenParts, "meter">): Authenticator
  stop(): void
}

/** Undefined when no option names an issuer. Throws StartError. */
export function configureJwt(how: AuthenticationOptions): JwtAuthentication | undefined {
  const { options } = how
  checkOptions(options)
  const path = options["authentication-config"]
  if (path !== "") return new JwtIssuers(how, openFile(how, path))
  if (options["oidc-issuer-url"] === "") return undefined
  const jwt = [issuerOfOptions(options)]
  try {
    return new JwtIssuers(how, validatedIssuers({ jwt }, how, options["oidc-signing-algs"]))
  } catch (error) {
    throw new StartError(`--oidc-issuer-url: ${errorText(error)}`)
  }
}

/** All algorithms, as the options name them; a configuration cannot select any. */
const allAlgorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"] as const

const documentKind: ConfigurationKind = {
  kind: "AuthenticationConfiguration",
  versions: ["apiserver.config.orch.io/v1beta1", "apiserver.config.orch.io/v1alpha1"],
  shape: authenticationConfigurationShape,
}

function openFile(how: AuthenticationOptions, path: string): WatchedFiles<readonly JwtAuthenticator[]> {
  const { clock, log, metrics, options } = how
  try {
    return new WatchedFiles({
      paths: [path],
      bytesMax: yamlFileBytesMax,
      clock,
      read: ([text = ""]) =>
        validatedIssuers(decodeConfiguration<AuthenticationConfiguration>(text, documentKind, vendorProfile(options.vendor)), how),
      onFault: (error) => {
        metrics.reloadsOf("authentication").reloaded("failure")
        log.error({ error: errorText(error) }, unusableChange("authentication-config", path))
      },
    })
  } catch (error) {
    throw new StartError(`--authentication-config: ${path}: ${errorText(error)}`)
  }
}

/** Throws ConfigurationError. */
function validatedIssuers(
  configuration: AuthenticationConfiguration,
  { accountIssuers }: AuthenticationOptions,
  algorithms: readonly string[] = allAlgorithms,
): readonly JwtAuthenticator[] {
  return validated((failures) =>
    validateAuthenticationConfiguration(configuration, { failures, disallowedIssuers: accountIssuers, algorithms }),
  )
}

/** The issuers in force. Issuers of a changed file take effect when all of them have answered. */
class JwtIssuers implements JwtAuthentication {
  private readonly file: WatchedFiles<readonly JwtAuthenticator[]> | undefined
  private readonly log: Log
  private current: IssuerSet
  private next: IssuerSet | undefined
  private parts: Pick<TokenParts, "meter"> | undefined
  private known: Authenticator | undefined

  constructor(
    private readonly how: AuthenticationOptions,
    source: WatchedFiles<readonly JwtAuthenticator[]> | readonly JwtAuthenticator[],
  ) {
    const { clock, log } = how
    // Reports an issuer that stays unreachable once a minute.
    this.log = deduplicateLog({ warn: (values, text) => log.warn(values, text) }, clock)
    this.file = source instanceof WatchedFiles ? source : undefined
    this.current = new IssuerSet(how, this.log, source instanceof WatchedFiles ? source.current : source)
    this.file?.onChange((issuers) => void this.change(issuers))
  }

  authenticator(parts: Pick<TokenParts, "meter">): Authenticator {
    this.parts = parts
    this.known = this.current.authenticator(parts)
    return (credentials) => this.known?.(credentials)
  }

  stop(): void {
    this.file?.stop()
    this.next?.stop()
    this.current.stop()
  }

  private async change(issuers: readonly JwtAuthenticator[]): Promise<void> {
    const { clock, log, metrics } = this.how
    log.debug("--authentication-config: the file has changed; its issuers are asked")
    this.next?.stop()
    const next = new IssuerSet(this.how, this.log, issuers)
    this.next = next
    await within(changedIssuersMs, next.ready, clock)
    // The file has changed once more, or the server has stopped.
    if (this.next !== next || next.isStopped) return
    this.next = undefined
    if (!next.isReady) {
      next.stop()
      metrics.reloadsOf("authentication").reloaded("failure")
      log.error({ issuers: next.missing }, `--authentication-config: issuers of the changed file cannot be asked; ${whatStays}`)
      return
    }
    this.current.stop()
    this.current = next
    if (this.parts !== undefined) this.known = next.authenticator(this.parts)
    metrics.reloadsOf("authentication").reloaded("success")
    log.info({ issuers: issuers.map(({ issuer }) => issuer) }, takenUp("authentication-config"))
  }
}

/** The issuers of one version of the configuration. */
class IssuerSet {
  private readonly issuers: readonly IssuerParts[]
  private isEnded = false
  private announce: () => void = () => undefined
  /** Resolves when every issuer has answered. */
  readonly ready: Promise<void>

  constructor(
    private readonly how: AuthenticationOptions,
    log: Log,
    authenticators: readonly JwtAuthenticator[],
  ) {
    const { clock } = how
    this.ready = new Promise((resolve) => {
      this.announce = resolve
    })
    this.issuers = authenticators.map((authenticator): IssuerParts => {
      const { authorities = systemAuthorities(), discoveryUrl, issuer } = authenticator
      const client = providerClient({ authorities, clock })
      const onFault = (error: string): void => log.warn({ issuer, error }, "the provider cannot be asked")
      const onReady = (): void => {
        how.log.debug({ issuer }, "the configuration of the identity provider was read")
        if (this.isReady) this.announce()
      }
      return { authenticator, client, provider: new Provider({ issuer, discoveryUrl, client, clock, retries: true, onReady, onFault }) }
    })
    if (this.issuers.length === 0) this.announce()
  }

  get isReady(): boolean {
    return this.missing.length === 0
  }

  /** Issuers that have not answered yet. */
  get missing(): readonly string[] {
    return this.issuers.flatMap(({ authenticator, provider }) => (provider.isReady ? [] : [authenticator.issuer]))
  }

  get isStopped(): boolean {
    return this.isEnded
  }

  authenticator({ meter }: Pick<TokenParts, "meter">): Authenticator {
    const { clock, metrics, random } = this.how
    const lookUp = jwtTokens({ issuers: this.issuers, clock, meter: (...facts) => metrics.jwt(...facts) })
    return keptTokens({ lookUp, keptMs: { success: keptIdTokensMs, failure: 0 }, clock, random, meter })
  }

  stop(): void {
    this.isEnded = true
    for (const { provider } of this.issuers) provider.stop()
    this.announce()
  }
}

/** The record that the options `--oidc-*` describe. Throws StartError for a file that cannot be read. */
function issuerOfOptions(options: Options): JwtConfiguration {
  const certificateAuthority = authoritiesOfOptions(options)
  return {
    issuer: {
      url: options["oidc-issuer-url"],
      audiences: [options["oidc-client-id"]],
      ...(certificateAuthority !== undefined && { certificateAuthority }),
    },
    claimValidationRules: Object.entries(options["oidc-required-claim"]).map(([claim, requiredValue]) => ({ claim, requiredValue })),
    claimMappings: {
      username: { claim: options["oidc-username-claim"], prefix: usernamePrefix(options) },
      groups: { claim: options["oidc-groups-claim"], prefix: options["oidc-groups-prefix"] },
    },
  }
}

/** Values of claims other than email are unique for their issuer only. */
function usernamePrefix(options: Options): string {
  const prefix = options["oidc-username-prefix"]
  if (prefix === "-") return ""
  return prefix === "" && options["oidc-username-claim"] !== "email" ? `${options["oidc-issuer-url"]}#` : prefix
}

function authoritiesOfOptions(options: Options): string | undefined {
  const path = options["oidc-ca-file"]
  if (path === "") return undefined
  try {
    return certificatePool(readFileText(path)).pem
  } catch (error) {
    throw new StartError(`--oidc-ca-file: ${path}: ${errorText(error)}`)
  }
}

const oidcTexts = [
  "oidc-issuer-url",
  "oidc-client-id",
  "oidc-ca-file",
  "oidc-username-prefix",
  "oidc-groups-claim",
  "oidc-groups-prefix",
] as const

/** Throws StartError for options that contradict each other. */
function checkOptions(options: Options): void {
  const given =
    oidcTexts.find((name) => options[name] !== "") ??
    (Object.keys(options["oidc-required-claim"]).length > 0 ? "oidc-required-claim" : undefined)
  if (options["authentication-config"] !== "") {
    if (options["feature-gates"].StructuredAuthenticationConfiguration === false)
      throw new StartError("--authentication-config needs --feature-gates=StructuredAuthenticationConfiguration=true")
    if (given !== undefined)
      throw new StartError(`--authentication-config and --${given} exclude each other: write the issuer into the file`)
    return
  }
  if (options["oidc-issuer-url"] !== "") {
    if (options["oidc-client-id"] === "")
      throw new StartError("--oidc-issuer-url needs --oidc-client-id: a token must say that it is for this server")
    return
  }
  if (given !== undefined) throw new StartError(`--${given} needs --oidc-issuer-url, which names the issuer of the tokens`)
}
