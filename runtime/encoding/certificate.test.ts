import { X509Certificate } from "node:crypto"
import { expect, test } from "vitest"
import { makeCertificate } from "../../test/support/client-certificates.ts"
import { certificatePool } from "../authn/certificates/pool.ts"
import { chainFault } from "../authn/certificates/verify-chain.ts"
import { type Certificate, readCertificate } from "./certificate.ts"

const root = await makeCertificate({ subject: "CN=root", authority: { pathLength: 3 } })
const leaf = await makeCertificate({ subject: "O=first, CN=old, O=second, CN=Zoë", issuer: root, dnsName: "a.example.com" })

test("a certificate has what its extensions and names say", () => {
  expect(readCertificate(leaf.x509)).toMatchObject({
    version: 3,
    commonName: "Zoë",
    organizations: ["first", "second"],
    constraints: undefined,
    maySign: false,
    extendedUsages: ["1.3.6.1.5.5.7.3.2"],
    hasAlternativeNames: true,
    hasNameConstraints: false,
    unknownCritical: undefined,
  })
  expect(readCertificate(root.x509)).toMatchObject({ constraints: { isAuthority: true, pathLength: 3 }, maySign: true, extendedUsages: [] })
})

test("a certificate with any changed byte is refused, and ends nothing", () => {
  const pool = certificatePool(root.certificate)
  const nowMs = Date.now()
  const isAccepted = (bytes: Buffer): boolean => {
    let read: Certificate
    try {
      read = readCertificate(new X509Certificate(bytes))
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
      return false
    }
    return chainFault({ leaf: read, intermediates: [], pool, nowMs }) === undefined
  }
  const { raw } = leaf.x509
  expect(isAccepted(raw)).toBe(true)
  for (let at = 0; at < raw.length; at++) {
    for (const change of [0x01, 0x80, 0xff]) {
      const changed = Buffer.from(raw)
      changed[at] = (raw[at] ?? 0) ^ change
      expect([at, change, isAccepted(changed)]).toEqual([at, change, false])
    }
  }
})
