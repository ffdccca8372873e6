/** TLS versions and cipher suites of the listener, from options, as far as this node's OpenSSL has them. */
import { Duplex } from "node:stream"
import { connect, createSecureContext, getCiphers, TLSSocket } from "node:tls"
import type { Log } from "../controllers/controller.ts"
import { contextOf, type Tls } from "../http/tls.ts"
import { cipherSuites, type CipherSuite } from "../options/cipher-suites.ts"
import type { Options } from "../options/table.ts"
import { StartError } from "../base/start-error.ts"

export type TlsSettings = Required<Pick<Tls, "ciphers" | "minVersion">>

const versions = { VersionTLS10: "TLSv1", VersionTLS11: "TLSv1.1", VersionTLS12: "TLSv1.2", VersionTLS13: "TLSv1.3" } as const

/** RFC 9113 section 9.2.2 requires one of them with TLS 1.2. */
const neededByHttp2 = ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"]

/** OpenSSL 3 has TLS 1.0 and 1.1 at this level alone: they sign with SHA-1. */
const weakestLevel = "@SECLEVEL=0"

/**
 * Called once at start. Logs a warning for insecure settings and for settings without effect. Throws StartError for
 * suites that OpenSSL lacks, for suites without one that HTTP/2 needs, and for HSTS directives without `max-age`.
 */
export function tlsSettings(options: Options, log: Log, available: readonly string[] = getCiphers()): TlsSettings {
  checkDirectives(options)
  const minVersion = versions[options["tls-min-version"]]
  const has = ({ openssl }: CipherSuite): boolean => available.includes(openssl.toLowerCase())
  const asked = askedSuites(options, has)
  for (const { name, use } of asked)
    if (use === "insecure") log.warn({ suite: name }, "--tls-cipher-suites has an insecure suite; leave it out unless a client needs it")
  const isOld = minVersion === "TLSv1" || minVersion === "TLSv1.1"
  if (isOld) log.warn({ minVersion }, "--tls-min-version accepts an insecure version; ask for VersionTLS12 unless a client needs it")
  const of13 = cipherSuites.filter((suite) => suite.use === "always" && has(suite))
  const older = asked.length > 0 ? asked : cipherSuites.filter((suite) => suite.use === "default" && has(suite))
  if (minVersion === "TLSv1.3") {
    if (asked.length > 0) log.warn({}, "--tls-cipher-suites has no effect with --tls-min-version=VersionTLS13, whose suites are always on")
    return { minVersion, ciphers: listOf(of13) }
  }
  return { minVersion, ciphers: `${listOf([...of13, ...older])}${isOld ? `:${weakestLevel}` : ""}` }
}

/** Browsers ignore the header field without `max-age`: RFC 6797 section 6.1.1. */
function checkDirectives(options: Options): void {
  const directives = options["strict-transport-security-directives"]
  if (directives.length === 0 || directives.some((one) => one.startsWith("max-age="))) return
  throw new StartError(`--strict-transport-security-directives: ${directives.join(",")} has no effect without max-age=SECONDS; add it`)
}

function listOf(suites: readonly CipherSuite[]): string {
  return [...new Set(suites.map(({ openssl }) => openssl))].join(":")
}

/** The suites of TLS 1.2 and older that the option names, in the order of the server. */
function askedSuites(options: Options, has: (suite: CipherSuite) => boolean): readonly CipherSuite[] {
  const names: readonly string[] = options["tls-cipher-suites"]
  if (names.length === 0) return []
  const asked = cipherSuites.filter(({ name }) => names.includes(name))
  const missing = asked.filter((suite) => !has(suite)).map(({ name }) => name)
  if (missing.length > 0) {
    const there = cipherSuites.filter(has).map(({ name }) => name)
    throw new StartError(
      `--tls-cipher-suites: the OpenSSL of this node (${process.versions.openssl}) does not have ${missing.join(", ")}; leave them out. It has ${there.join(", ")}`,
    )
  }
  if (options["tls-min-version"] !== "VersionTLS13" && !names.some((name) => neededByHttp2.includes(name)))
    throw new StartError(
      `--tls-cipher-suites: HTTP/2 needs ${neededByHttp2.join(" or ")}; add one of them, or ask for --tls-min-version=VersionTLS13`,
    )
  return asked.filter(({ use }) => use !== "always")
}

/**
 * Called once at start, with the TLS settings of connections. Throws StartError if the oldest requested version does
 * not work: OpenSSL builds and system settings may disable old versions, which only a handshake shows.
 */
export async function checkOldestVersion(tls: Tls): Promise<void> {
  const { minVersion } = tls
  if (minVersion !== "TLSv1" && minVersion !== "TLSv1.1") return
  const [client, server] = pipe()
  const served = new TLSSocket(server, { isServer: true, secureContext: createSecureContext(contextOf(tls)) })
  const asking = connect({
    socket: client,
    minVersion,
    maxVersion: minVersion,
    ciphers: `DEFAULT:${weakestLevel}`,
    rejectUnauthorized: false,
  })
  try {
    await new Promise<void>((resolve, reject) => {
      served.once("error", reject)
      asking.once("error", reject)
      asking.once("secureConnect", resolve)
    })
  } catch (error) {
    throw new StartError(
      `--tls-min-version: the OpenSSL of this node (${process.versions.openssl}) cannot speak ${minVersion} with this certificate and these cipher suites (${reasonOf(error)}); ask for VersionTLS12`,
    )
  } finally {
    for (const each of [asking, served, client, server]) each.on("error", () => undefined).destroy()
  }
}

/** OpenSSL's own message, without the place in its code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return "reason" in error && typeof error.reason === "string" ? error.reason : error.message.trim()
}

/** Two ends of a connection in memory. */
function pipe(): [Duplex, Duplex] {
  const end = (other: () => Duplex): Duplex =>
    new Duplex({
      read() {},
      write(chunk, _encoding, written) {
        other().push(chunk)
        written()
      },
      final(ended) {
        other().push(null)
        ended()
      },
    })
  const one = end(() => two)
  const two: Duplex = end(() => one)
  return [one, two]
}
