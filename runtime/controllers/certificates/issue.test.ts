import { createPrivateKey, X509Certificate } from "node:crypto"
import { describe, expect, it } from "vitest"
import { createCertificateRequest, createSigningPair, type KeyAlgorithm, keyAlgorithms } from "../../../test/support/certificates.ts"
import { loadCertificateMaker } from "../../base/certificate-maker.ts"
import { readRequest, RequestFault } from "./asked-certificate.ts"
import { issueCertificate, validity } from "./issue.ts"
import { signedRequestBytesMax } from "./limits.ts"
import type { Usage } from "./signers.ts"

const nowMs = 1_900_000_000_000
const hour = 3600_000
const serial = Buffer.alloc(16, 0xff)
const names = [
  { type: "dns", value: "node.example.com" },
  { type: "ip", value: "10.0.0.7" },
  { type: "ip", value: "fd00::7" },
  { type: "email", value: "node@example.com" },
  { type: "url", value: "spiffe://cluster/node" },
] as const

async function issued(
  {
    own,
    authority,
    keyId,
    usages = ["digital signature"],
  }: { own?: KeyAlgorithm; authority?: KeyAlgorithm; keyId?: string; usages?: Usage[] },
  subject = "O=system:nodes, CN=system:node:a",
) {
  const maker = await loadCertificateMaker()
  const pair = await createSigningPair({
    untilMs: nowMs + 1000 * 24 * hour,
    ...(authority !== undefined && { algorithm: authority }),
    ...(keyId !== undefined && { keyId }),
  })
  const asked = await createCertificateRequest(subject, { names, authority: true, ...(own !== undefined && { algorithm: own }) })
  const pem = await issueCertificate({
    maker,
    pair,
    asked: readRequest(maker, asked.request),
    usages,
    durationMs: 365 * 24 * hour,
    serial,
    nowMs,
  })
  return { certificate: new X509Certificate(pem), ca: new X509Certificate(pair.certificate), key: createPrivateKey(asked.key), pem }
}

const algorithms = Object.entries(keyAlgorithms)

describe("a certificate", () => {
  it.each(algorithms)("is signed by an authority whose key is %s", async (_name, authority) => {
    const { certificate, ca } = await issued({ authority })
    expect([certificate.verify(ca.publicKey), certificate.checkIssued(ca), certificate.ca]).toEqual([true, true, false])
  })

  it.each(algorithms)("is for a key that is %s", async (_name, own) => {
    const { certificate, key } = await issued({ own })
    expect(certificate.checkPrivateKey(key)).toBe(true)
  })

  it("names the authority's key as the authority does", async () => {
    const { certificate, ca, pem } = await issued({ keyId: "0102030405" })
    const maker = await loadCertificateMaker()
    expect(new maker.X509Certificate(pem).getExtension(maker.AuthorityKeyIdentifierExtension)?.keyId).toBe("0102030405")
    expect(certificate.checkIssued(ca)).toBe(true)
  })

  it("has the names of its request, a serial number of 16 bytes, and nothing else that was asked for", async () => {
    const { certificate } = await issued({})
    expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:a")
    expect(certificate.issuer).toBe("CN=cluster\nO=Signers")
    expect(certificate.subjectAltName).toBe(
      "DNS:node.example.com, IP Address:10.0.0.7, IP Address:FD00:0:0:0:0:0:0:7, email:node@example.com, URI:spiffe://cluster/node",
    )
    expect(certificate.serialNumber).toMatch(/^7FF{30}$/)
    expect([certificate.ca, certificate.keyUsage]).toEqual([false, undefined])
  })

  it("has the usages that were asked for", async () => {
    const { certificate, pem } = await issued({
      usages: ["digital signature", "key encipherment", "client auth", "server auth", "s/mime", "email protection"],
    })
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.4"])
    const maker = await loadCertificateMaker()
    const read = new maker.X509Certificate(pem).getExtension(maker.KeyUsagesExtension)
    expect([read?.usages, read?.critical]).toEqual([maker.KeyUsageFlags.digitalSignature | maker.KeyUsageFlags.keyEncipherment, true])
  })

  it("names all its subject in the other names if it has none", async () => {
    const { pem } = await issued({}, "")
    const maker = await loadCertificateMaker()
    expect(new maker.X509Certificate(pem).getExtension(maker.SubjectAlternativeNameExtension)?.critical).toBe(true)
  })
})

describe("its life", () => {
  const end = nowMs + 1000 * 24 * hour
  const lifeOf = (expirationSeconds: number | undefined, authorityEndMs = end): number[] => {
    const wish = expirationSeconds === undefined ? {} : { expirationSeconds }
    const { notBefore, notAfter } = validity({ ...wish, durationMs: 24 * hour, nowMs }, authorityEndMs)
    return [notBefore.getTime() - nowMs, notAfter.getTime() - nowMs]
  }
  const backdate = 5 * 60_000
  it.each<[string, number[], number[]]>([
    ["is that of the server without a wish", lifeOf(undefined), [-backdate, 24 * hour - backdate]],
    ["is the wish", lifeOf(10 * 3600), [-backdate, 10 * hour - backdate]],
    ["is whole from now on if it is short", lifeOf(3600), [-backdate, hour]],
    ["is not longer than that of the server", lifeOf(1_000_000), [-backdate, 24 * hour - backdate]],
    ["is ten minutes at least", lifeOf(1), [-backdate, 10 * 60_000]],
    ["ends with the authority", lifeOf(undefined, nowMs + hour), [-backdate, hour]],
  ])("%s", (_name, found, expected) => {
    expect(found).toEqual(expected)
  })

  it("does not begin when the authority's has ended", () => {
    expect(() => lifeOf(undefined, nowMs)).toThrow(/the authority's own certificate has expired/)
  })
})

describe("a request", () => {
  it("that is too long, or no request, is not read", async () => {
    const maker = await loadCertificateMaker()
    const text = (label: string, bytes: Buffer): string =>
      Buffer.from(`-----BEGIN ${label}-----\n${bytes.toString("base64")}\n-----END ${label}-----\n`).toString("base64")
    for (const [request, why] of [
      ["", /no PEM block/],
      [text("CERTIFICATE REQUEST", Buffer.alloc(signedRequestBytesMax + 1)), /at most 8192 are read/],
      [text("CERTIFICATE REQUEST", Buffer.from("no DER")), /unable to parse csr/],
    ] as const) {
      expect(() => readRequest(maker, request)).toThrow(RequestFault)
      expect(() => readRequest(maker, request)).toThrow(why)
    }
  })
})
