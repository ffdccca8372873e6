/** Makes the authenticators that options configure, and reads their files: at the start, and when they change. */
import type { Logger } from "pino"
import type { Authenticator } from "../authn/authenticate.ts"
import { type CertificateVerifier, certificateVerifier, clientCertificates } from "../authn/certificates/client-certificates.ts"
import { type CertificatePool, certificatePool } from "../authn/certificates/pool.ts"
import { headerRemover, requestHeader, type RequestHeaderNames } from "../authn/certificates/request-header.ts"
import type { ConfiguredAuthentication } from "../authn/configured.ts"
import type { Clock } from "../base/clock.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import type { Options } from "../options/table.ts"
import { StartError } from "./start-error.ts"

export interface AuthenticationOptions {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Called once per server. Undefined when no option asks for more than tokens. Throws StartError for a file that cannot
 * be read, and for options that contradict each other.
 */
export function configureAuthentication(how: AuthenticationOptions): ConfiguredAuthentication | undefined {
  const { options } = how
  checkRequestHeaders(options)
  const files: WatchedFiles<CertificatePool>[] = []
  const verifierOf = (name: AuthorityOption): CertificateVerifier | undefined => {
    if (options[name] === "") return undefined
    const authorities = watchedAuthorities(name, how)
    files.push(authorities)
    return certificateVerifier({ authorities, clock: how.clock })
  }
  const certificates: Authenticator[] = []
  const proxies = verifierOf("requestheader-client-ca-file")
  const names = requestHeaderNames(options)
  if (proxies !== undefined) certificates.push(requestHeader(proxies, names))
  const clients = verifierOf("client-ca-file")
  if (clients !== undefined) certificates.push(clientCertificates(clients))
  if (certificates.length === 0) return undefined
  return {
    certificates,
    ...(proxies !== undefined && { removeHeaders: headerRemover(names) }),
    clientAuthorities: () => files.map(({ current }) => current.pem).join(""),
    onAuthorities(listener) {
      for (const file of files) file.onChange(listener)
    },
    stop() {
      for (const file of files) file.stop()
    },
  }
}

type AuthorityOption = "client-ca-file" | "requestheader-client-ca-file"

function watchedAuthorities(name: AuthorityOption, { clock, log, options }: AuthenticationOptions): WatchedFiles<CertificatePool> {
  const path = options[name]
  try {
    return new WatchedFiles({
      paths: [path],
      read: ([pem = ""]) => certificatePool(pem),
      clock,
      onFault: (error) =>
        log.error({ err: error }, `--${name}: ${path} has changed and cannot be used; what it said before stays in force`),
    })
  } catch (error) {
    throw new StartError(
      `--${name}: ${path}: ${error instanceof Error ? error.message : String(error)}; name a PEM file with the certificates of the authorities`,
    )
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
