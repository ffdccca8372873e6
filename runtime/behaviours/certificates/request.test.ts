import "reflect-metadata"
import { webcrypto, X509Certificate } from "node:crypto"
import { Pkcs10CertificateRequestGenerator, X509CertificateGenerator } from "@peculiar/x509"
import { describe, expect, it } from "vitest"
import { madeChain } from "../../../test/support/made-chains.ts"
import { readCertificate } from "../../encoding/certificate.ts"
import { derValues } from "../../encoding/der.ts"
import { pemBlocks } from "../../encoding/pem.ts"
import { chainFault } from "./chain.ts"
import { requestFault } from "./request.ts"

const hash = "SHA-256"
const exponent = new Uint8Array([1, 0, 1])
const algorithms = {
  "RSA with SHA-256": { name: "RSASSA-PKCS1-v1_5", hash, publicExponent: exponent, modulusLength: 2048 },
  "RSA-PSS with SHA-384": { name: "RSA-PSS", hash: "SHA-384", publicExponent: exponent, modulusLength: 2048, saltLength: 48 },
  "an elliptic curve": { name: "ECDSA", namedCurve: "P-256", hash },
  Ed25519: { name: "Ed25519" },
}

type Algorithm = (typeof algorithms)[keyof typeof algorithms]

async function keysOf(algorithm: Algorithm): Promise<webcrypto.CryptoKeyPair> {
  const made = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  if (!("privateKey" in made)) throw new Error("no pair")
  return made
}

async function requestOf(algorithm: Algorithm): Promise<string> {
  const keys = await keysOf(algorithm)
  const request = await Pkcs10CertificateRequestGenerator.create({ name: "CN=alice", keys, signingAlgorithm: algorithm }, webcrypto)
  return request.toString("pem")
}

function pem(label: string, bytes: Buffer): string {
  return `-----BEGIN ${label}-----\n${bytes.toString("base64")}\n-----END ${label}-----\n`
}

function sequence(...parts: readonly (Buffer | undefined)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0)))
  const head = Buffer.from([0x30, 0x82, 0, 0])
  head.writeUInt16BE(content.length, 2)
  return Buffer.concat([head, content])
}

describe("a request for a certificate", () => {
  it.each(Object.entries(algorithms))("is signed by its own key: %s", async (_name, algorithm) => {
    const text = await requestOf(algorithm)
    expect(requestFault(text)).toBeUndefined()
    expect(requestFault(`Subject: alice\n${text}`)).toBeUndefined()
    expect(requestFault(text.replaceAll("\n", "\r\n"))).toBeUndefined()
    const bytes = Buffer.from(pemBlocks(text)[0]?.bytes ?? [])
    bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 1
    expect(requestFault(pem("CERTIFICATE REQUEST", bytes))).toMatch(/signature/)
  })

  it("is one block of its label, whole and alone", async () => {
    const text = await requestOf(algorithms.Ed25519)
    const bytes = Buffer.from(pemBlocks(text)[0]?.bytes ?? [])
    expect(requestFault("")).toBe("PEM block type must be CERTIFICATE REQUEST")
    expect(requestFault(pem("CERTIFICATE", bytes))).toBe("PEM block type must be CERTIFICATE REQUEST")
    expect(requestFault(pem("CERTIFICATE REQUEST", bytes.subarray(0, 50)))).toBe("the request is cut short")
    expect(requestFault(pem("CERTIFICATE REQUEST", Buffer.concat([bytes, bytes])))).toMatch(/more than the request/)
    expect(requestFault(pem("CERTIFICATE REQUEST", Buffer.from([0x30, 0x80, 0, 0])))).toMatch(/cannot be read/)
    expect(requestFault(pem("CERTIFICATE REQUEST", Buffer.from([0x30, 0])))).toBe("the block is no CERTIFICATE REQUEST")
  })

  it("has no key whose signature costs much to check", async () => {
    const key = readCertificate(new X509Certificate(pemBlocks(madeChain("RSA with a long exponent", 2).certificate)[1]?.bytes ?? "")).key
    const bytes = pemBlocks(await requestOf(algorithms["RSA with SHA-256"]))[0]?.bytes ?? Buffer.alloc(0)
    const [whole] = derValues(bytes)
    const [info, algorithm, signature] = derValues(whole?.content ?? bytes)
    const [version, subject] = derValues(info?.content ?? bytes)
    const changed = sequence(version?.whole, subject?.whole, key, Buffer.from([0xa0, 0]))
    const text = pem("CERTIFICATE REQUEST", sequence(changed, algorithm?.whole, signature?.whole))
    expect(requestFault(text)).toBe("the public exponent of an RSA key has more than 31 bits")
  })

  it("is refused whatever bit is wrong", async () => {
    const bytes = Buffer.from(pemBlocks(await requestOf(algorithms["an elliptic curve"]))[0]?.bytes ?? [])
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      expect(requestFault(pem("CERTIFICATE REQUEST", changed)), `byte ${at}`).toBeTypeOf("string")
    }
  })
})

describe("a chain of certificates", () => {
  it("has certificates alone", async () => {
    const keys = await keysOf(algorithms.Ed25519)
    const made = await X509CertificateGenerator.createSelfSigned(
      { name: "CN=alice", keys, signingAlgorithm: algorithms.Ed25519 },
      webcrypto,
    )
    const text = `${made.toString("pem")}\n`
    expect(chainFault(text)).toBeUndefined()
    expect(chainFault(text + text)).toBeUndefined()
    expect(chainFault("")).toBe("must contain at least one CERTIFICATE PEM block")
    expect(chainFault(text.replaceAll("CERTIFICATE", "X"))).toBe('only CERTIFICATE PEM blocks are allowed, found "X"')
    expect(chainFault(text.replace("-----\n", "-----\nProc-Type: 4\n\n"))).toBe("no PEM block headers are permitted")
    expect(chainFault(pem("CERTIFICATE", Buffer.from("text")))).toMatch(/cannot be read as a certificate/)
  })
})
