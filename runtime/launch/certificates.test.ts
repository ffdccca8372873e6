import { X509Certificate } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { checkPair, inMemoryPair, selfSignedPair } from "./certificates.ts"
import { type Clock, systemClock } from "../base/clock.ts"
import { servedNames } from "./server-names.ts"
import { vendorProfile } from "../base/vendor.ts"

const names = ["localhost", "127.0.0.1", "::1", "orch.default.svc"]
const dayMs = 24 * 3600 * 1000

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function later(days: number): Clock {
  return { ...systemClock, nowMs: () => Date.now() + days * dayMs }
}

describe("the self-signed pair", () => {
  it("names the server, is issued by its authority and is readable by its owner only", async () => {
    const dir = newFolder()
    const pair = await selfSignedPair({ dir, names, clock: systemClock })
    const certificate = new X509Certificate(pair.certificate)
    expect(certificate.checkHost("localhost")).toBeDefined()
    expect(certificate.checkIP("127.0.0.1")).toBeDefined()
    expect(certificate.checkIP("::1")).toBeDefined()
    expect(certificate.checkHost("elsewhere")).toBeUndefined()
    expect(certificate.verify(new X509Certificate(pair.authority).publicKey)).toBe(true)
    expect(new X509Certificate(pair.authority).ca).toBe(true)
    for (const file of ["ca.crt", "ca.key", "apiserver.crt", "apiserver.key"]) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600)
  })

  it("is used again at the next start", async () => {
    const dir = newFolder()
    const first = await selfSignedPair({ dir, names, clock: systemClock })
    expect(await selfSignedPair({ dir, names, clock: systemClock })).toEqual(first)
  })

  it("is issued again by the same authority for another name, near its end, and when damaged", async () => {
    const dir = newFolder()
    const first = await selfSignedPair({ dir, names, clock: systemClock })
    const named = await selfSignedPair({ dir, names: [...names, "other"], clock: systemClock })
    const renewed = await selfSignedPair({ dir, names, clock: later(340) })
    writeFileSync(join(dir, "apiserver.crt"), "no certificate")
    const mended = await selfSignedPair({ dir, names, clock: later(340) })
    const all = [first, named, renewed, mended]
    expect(new Set(all.map(({ certificate }) => certificate)).size).toBe(4)
    expect(new Set(all.map(({ authority }) => authority)).size).toBe(1)
  })

  it("is issued again when the clock is set back before its beginning", async () => {
    const dir = newFolder()
    const first = await selfSignedPair({ dir, names, clock: later(10) })
    const second = await selfSignedPair({ dir, names, clock: systemClock })
    expect(second.certificate).not.toBe(first.certificate)
    expect(Date.parse(new X509Certificate(second.certificate).validFrom)).toBeLessThan(Date.now())
  })

  it("has a new authority once the old one has expired", async () => {
    const dir = newFolder()
    const first = await selfSignedPair({ dir, names, clock: systemClock })
    const second = await selfSignedPair({ dir, names, clock: later(3649) })
    expect(second.authority).not.toBe(first.authority)
    expect(readFileSync(join(dir, "ca.crt"), "utf8")).toBe(second.authority)
  })

  it("names the option in the error when the folder cannot be used", async () => {
    const dir = join(newFolder(), "file")
    writeFileSync(dir, "")
    await expect(selfSignedPair({ dir, names, clock: systemClock })).rejects.toThrow("--cert-dir: no certificate could be made in")
  })
})

describe("a pair of PEM texts", () => {
  it("is accepted when the key is that of the certificate", async () => {
    const [one, other] = [await inMemoryPair({ names, clock: systemClock }), await inMemoryPair({ names, clock: systemClock })]
    const texts = { ...one, certificateName: "the certificate", keyName: "the key" }
    expect(checkPair(texts).checkHost("localhost")).toBeDefined()
    expect(() => checkPair({ ...texts, key: other.key })).toThrow("the key is not the key of the certificate")
    expect(() => checkPair({ ...texts, key: "no key" })).toThrow("the certificate and the key must be PEM files: ")
    expect(() => checkPair({ ...texts, certificate: "none" })).toThrow("the certificate and the key must be PEM files: ")
  })
})

describe("the names of a server", () => {
  it("include its own Service and the Service's address", () => {
    const all = servedNames({
      vendor: vendorProfile("kubernetes"),
      advertised: "192.0.2.7",
      serviceRanges: ["10.0.0.0/24", "fd00:1::/112"],
    })
    for (const name of ["localhost", "127.0.0.1", "::1", "192.0.2.7", "kubernetes.default.svc", "10.0.0.1", "fd00:1:0:0:0:0:0:1"])
      expect(all).toContain(name)
  })
})
