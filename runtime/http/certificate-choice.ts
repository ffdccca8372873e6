/** Chooses the certificate of a connection by the host that its client names, in kube-apiserver's order. */
import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import { parseIp } from "../base/ip-address.ts"
import { contextOf, type NamedCertificate, type Tls } from "./tls.ts"

/** The TLS settings of a connection. */
export interface ServedTls {
  readonly context: SecureContext
  /** Whether clients are asked for a certificate. */
  readonly asksForCertificate: boolean
}

/** A certificate for some host names, beside the default one. */
interface Named {
  readonly served: ServedTls
  readonly certificate: X509Certificate
}

/** Created once per listener. */
export class CertificateChoice {
  private byName: ReadonlyMap<string, ServedTls> = new Map()
  private others: readonly Named[] = []
  private own: X509Certificate | undefined
  private served: ServedTls

  /** Throws as `set`. */
  constructor(tls: Tls) {
    this.served = servedWith(tls)
    this.use(tls, namedOf(tls))
  }

  /** Whether the name matters: there is more than one certificate. */
  get readsNames(): boolean {
    return this.others.length > 0
  }

  /**
   * New connections get these certificates and authorities. Throws OpenSSL's error if they are invalid, and changes
   * nothing then.
   */
  set(tls: Tls): void {
    const others = namedOf(tls)
    this.served = servedWith(tls)
    this.use(tls, others)
  }

  /**
   * The TLS settings for a connection. `name`: the host, "" for none. An exact name comes first, then a wildcard, then
   * the first certificate that is valid for the name, beginning with the listener's own. A client that names no host
   * gets the certificate with the address to which it has connected, if there is one.
   */
  servedFor(name: string, localAddress: string | undefined): ServedTls {
    if (name === "") return this.byName.get(keyOf(localAddress ?? "")) ?? this.served
    const found = this.byName.get(keyOf(name)) ?? this.byName.get(name.replace(/^[^.]*/, "*"))
    if (found !== undefined) return found
    if (this.own === undefined || isFor(this.own, name)) return this.served
    return this.others.find(({ certificate }) => isFor(certificate, name))?.served ?? this.served
  }

  /** `others`: made from `tls.named`, in its order. */
  private use({ certificate, named = [] }: Tls, others: readonly Named[]): void {
    const byName = new Map<string, ServedTls>()
    // The first pair with a name wins; configured names go before names in certificates.
    for (const given of [true, false]) {
      for (const [index, pair] of named.entries()) {
        const other = others[index]
        if (other === undefined || pair.names.length > 0 !== given) continue
        for (const name of namesOf(pair, other.certificate)) if (!byName.has(name)) byName.set(name, other.served)
      }
    }
    this.own = named.length === 0 ? undefined : new X509Certificate(certificate)
    this.others = others
    this.byName = byName
  }
}

function servedWith(tls: Tls): ServedTls {
  return { context: createSecureContext(contextOf(tls)), asksForCertificate: tls.clientAuthorities !== undefined }
}

function namedOf(tls: Tls): readonly Named[] {
  const { named = [] } = tls
  return named.map(({ certificate, key }) => ({
    served: servedWith({ ...tls, certificate, key }),
    certificate: new X509Certificate(certificate),
  }))
}

function namesOf(pair: NamedCertificate, certificate: X509Certificate): readonly string[] {
  return (pair.names.length > 0 ? pair.names : namesIn(certificate)).map(keyOf)
}

/** The common name, if it is a host name, and the alternative names that are. Addresses do not count. */
function namesIn(certificate: X509Certificate): string[] {
  const [, common = ""] = /^CN=(.*)$/m.exec(certificate.subject) ?? []
  const alternatives = (certificate.subjectAltName ?? "").split(", ").flatMap((one) => (one.startsWith("DNS:") ? [one.slice(4)] : []))
  return hostPattern.test(common) && parseIp(common) === undefined ? [common, ...alternatives] : alternatives
}

const hostPattern = /^(\*|(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/

/** One text for all forms of an address. */
function keyOf(name: string): string {
  const address = parseIp(name)
  return address === undefined ? name.toLowerCase() : address.bytes.join(".")
}

/** The common name of a certificate does not count, as in Go. */
function isFor(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: "never" }) !== undefined
}
