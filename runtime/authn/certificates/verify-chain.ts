/**
 * Decides whether a chain leads from a client's certificate to an authority, for use as a client, with the rules of
 * Go's x509, which kube-apiserver uses. Node's TLS verifies against one list of authorities, and reports nothing for a
 * resumed connection.
 */
import type { Certificate } from "../../encoding/certificate.ts"
import { keyFault } from "../../encoding/public-key.ts"
import { signatureChecksMax } from "../limits.ts"
import type { CertificatePool } from "./pool.ts"

export interface ChainQuestion {
  /** The client's certificate. */
  readonly leaf: Certificate
  /** The other certificates that the client sent, in any order. Nothing in them is trusted. */
  readonly intermediates: readonly Certificate[]
  readonly pool: CertificatePool
  readonly nowMs: number
}

/** Returns why there is no such chain; undefined when there is one. Checks at most `signatureChecksMax` signatures. */
export function chainFault(question: ChainQuestion): string | undefined {
  const { leaf, pool, nowMs } = question
  const fault = ownFault(leaf, nowMs)
  if (fault !== undefined) return fault
  const state = { ...question, checks: 0, fault: "x509: certificate signed by unknown authority" }
  if (pool.bySubject(leaf.subject).some(({ x509 }) => x509.raw.equals(leaf.x509.raw))) return usageFault([leaf])
  return hasChain([leaf], state) ? undefined : state.fault
}

interface State extends ChainQuestion {
  checks: number
  /** Why the path that was tried last is invalid. */
  fault: string
}

/** Extends a chain by each certificate that may have signed its last one, authorities first. */
function hasChain(chain: readonly Certificate[], state: State): boolean {
  const last = chain.at(-1)
  if (last === undefined) return false
  for (const authority of state.pool.bySubject(last.issuer)) {
    if (isSigner(authority, chain, { isRoot: true, state })) {
      const fault = usageFault([...chain, authority])
      if (fault === undefined) return true
      state.fault = fault
    }
    if (state.checks > signatureChecksMax) return false
  }
  for (const candidate of state.intermediates) {
    if (!candidate.subject.equals(last.issuer)) continue
    if (isSigner(candidate, chain, { isRoot: false, state }) && hasChain([...chain, candidate], state)) return true
    if (state.checks > signatureChecksMax) return false
  }
  return false
}

/** Whether `signer` may be the next certificate of the chain. Records the reason if not. */
function isSigner(signer: Certificate, chain: readonly Certificate[], { isRoot, state }: { isRoot: boolean; state: State }): boolean {
  // Skips a certificate whose subject and key are in the chain already: the path would have no end.
  if (chain.some((each) => each.subject.equals(signer.subject) && each.key.equals(signer.key))) return false
  const fault = signerFault(signer, chain, { isRoot, nowMs: state.nowMs }) ?? signatureFault(signer, chain.at(-1), state)
  if (fault === undefined) return true
  state.fault = fault
  return false
}

function signerFault(
  signer: Certificate,
  chain: readonly Certificate[],
  { isRoot, nowMs }: { isRoot: boolean; nowMs: number },
): string | undefined {
  const { constraints, maySign, version } = signer
  if (constraints === undefined ? version === 3 || !isRoot : !constraints.isAuthority)
    return "x509: certificate is not authorized to sign other certificates"
  if (!maySign) return "x509: invalid signature: parent certificate cannot sign this kind of certificate"
  if (constraints?.pathLength !== undefined && chain.length - 1 > constraints.pathLength)
    return "x509: too many intermediates for path length constraint"
  // Names are not compared with constraints: a certificate with names is refused below an authority that constrains
  // names.
  if (signer.hasNameConstraints && chain.some((each) => each.hasAlternativeNames))
    return "x509: an authority constrains names, and a certificate below it has alternative names; this server does not compare them"
  return ownFault(signer, nowMs)
}

/** Faults of a certificate that do not depend on its position. */
function ownFault(certificate: Certificate, nowMs: number): string | undefined {
  const { notAfterMs, notBeforeMs, unknownCritical } = certificate
  if (unknownCritical !== undefined) return `x509: unhandled critical extension ${unknownCritical}`
  if (nowMs < notBeforeMs || nowMs > notAfterMs) return "x509: certificate has expired or is not yet valid"
  return undefined
}

/** SHA-1 and MD5 are missing, since their signatures can be forged. */
const signatures: ReadonlySet<string> = new Set([
  // RSA, ECDSA and Ed25519 with SHA-256 and longer.
  ...["1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13"],
  ...["1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.10045.4.3.4", "1.3.101.112"],
])
const rsaPss = "1.2.840.113549.1.1.10"
/** 2.16.840.1.101.3.4.2.x in DER: SHA-256, -384, -512. Without any of them PSS means SHA-1. */
const sha2 = [1, 2, 3].map((last) => Buffer.from([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last]))

function signatureFault(signer: Certificate, signed: Certificate | undefined, state: State): string | undefined {
  if (signed === undefined) return "x509: nothing is signed"
  const { algorithm, parameters } = signed.signature
  const isStrong = algorithm === rsaPss ? sha2.some((hash) => parameters.includes(hash)) : signatures.has(algorithm)
  if (!isStrong) return `x509: cannot verify signature: insecure or unknown algorithm ${algorithm}`
  if (++state.checks > signatureChecksMax) return "x509: signature check attempts limit reached while verifying certificate chain"
  try {
    const fault = keyFault(signer.key)
    if (fault !== undefined) return `x509: ${fault}`
    if (signed.x509.verify(signer.x509.publicKey)) return undefined
  } catch {
    // The key does not fit the signature.
  }
  return "x509: certificate signed by unknown authority"
}

const anyUsage = "2.5.29.37.0"
const clientUsage = "1.3.6.1.5.5.7.3.2"

/** Every certificate with extended usages must allow clients, the authority included. */
function usageFault(chain: readonly Certificate[]): string | undefined {
  const fits = ({ extendedUsages: usages }: Certificate): boolean =>
    usages.length === 0 || usages.includes(anyUsage) || usages.includes(clientUsage)
  return chain.every(fits) ? undefined : "x509: certificate specifies an incompatible key usage"
}
