/** Users from client certificates: `--client-ca-file`. Specification section 5. */
import type { X509Certificate } from "node:crypto"
import type { Clock } from "../../base/clock.ts"
import { type Certificate, readCertificate } from "../../encoding/certificate.ts"
import { sentCertificates } from "../../http/client-certificates.ts"
import { AuthenticationError, type Authenticator, type Credentials, type Identity } from "../authenticate.ts"
import { sentCertificatesMax } from "../limits.ts"
import type { CertificatePool } from "./pool.ts"
import { chainFault } from "./verify-chain.ts"

/** Authorities that may change while the server runs. */
export interface Authorities {
  /** The same object until they change. */
  readonly current: CertificatePool
}

/**
 * Returns the certificate of a request's client if a chain leads from it to an authority; undefined when the client has
 * sent none. Throws AuthenticationError for any other certificate.
 */
export type CertificateVerifier = (credentials: Credentials) => Certificate | undefined

/**
 * Result of verifying a connection's certificates, valid for these authorities and until a certificate expires or
 * becomes valid.
 */
interface Verdict {
  readonly pool: CertificatePool
  readonly fromMs: number
  readonly untilMs: number
  readonly leaf: Certificate | undefined
  readonly fault: AuthenticationError | undefined
}

/** Called once per option. Chains are verified once per connection, and again when authorities or times change. */
export function certificateVerifier({ authorities, clock }: { authorities: Authorities; clock: Clock }): CertificateVerifier {
  const verdicts = new WeakMap<readonly X509Certificate[], Verdict>()
  return ({ incoming }) => {
    const sent = incoming === undefined ? none : sentCertificates(incoming.socket)
    if (sent.length === 0) return undefined
    const pool = authorities.current
    const nowMs = clock.nowMs()
    let verdict = verdicts.get(sent)
    if (verdict === undefined || verdict.pool !== pool || nowMs < verdict.fromMs || nowMs > verdict.untilMs) {
      verdict = verdictOf(sent, pool, nowMs)
      verdicts.set(sent, verdict)
    }
    if (verdict.fault !== undefined) throw verdict.fault
    return verdict.leaf
  }
}

const none: readonly X509Certificate[] = []

function verdictOf(sent: readonly X509Certificate[], pool: CertificatePool, nowMs: number): Verdict {
  const read = certificatesOf(sent)
  if (typeof read === "string") return { pool, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY, leaf: undefined, fault: refusal(read) }
  const [leaf, ...intermediates] = read
  const untilMs = nextChangeMs([...read, ...pool.certificates], nowMs)
  const fault = leaf === undefined ? "x509: no certificate" : chainFault({ leaf, intermediates, pool, nowMs })
  return { pool, fromMs: nowMs, untilMs, leaf, fault: fault === undefined ? undefined : refusal(fault) }
}

function refusal(fault: string): AuthenticationError {
  return new AuthenticationError(fault)
}

/** Returns the fault as a text if they cannot be used. */
function certificatesOf(sent: readonly X509Certificate[]): readonly Certificate[] | string {
  if (sent.length > sentCertificatesMax) return `x509: the client has sent more than ${sentCertificatesMax} certificates`
  try {
    return sent.map(readCertificate)
  } catch (error) {
    return `x509: a certificate of the client cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** When the next certificate expires or becomes valid. Times of certificates are whole seconds, both ends included. */
function nextChangeMs(certificates: readonly Certificate[], nowMs: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const { notBeforeMs, notAfterMs } of certificates) {
    if (notBeforeMs > nowMs) next = Math.min(next, notBeforeMs - 1)
    if (notAfterMs >= nowMs) next = Math.min(next, notAfterMs)
  }
  return next
}

/**
 * The user of a verified certificate: its common name, in the groups that its organizations name. A certificate without
 * a common name has no user.
 */
export function clientCertificates(verify: CertificateVerifier): Authenticator {
  const identities = new WeakMap<Certificate, Identity>()
  return (credentials) => {
    const certificate = verify(credentials)
    if (certificate === undefined || certificate.commonName === "") return undefined
    const known = identities.get(certificate)
    if (known !== undefined) return known
    const identity = { user: { name: certificate.commonName, groups: certificate.organizations, extra: {} } }
    identities.set(certificate, identity)
    return identity
  }
}
