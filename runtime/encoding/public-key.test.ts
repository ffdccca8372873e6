import { X509Certificate } from "node:crypto"
import { expect, test } from "vitest"
import { type ChainKeys, madeChain } from "../../test/support/made-chains.ts"
import { readCertificate } from "./certificate.ts"
import { pemBlocks } from "./pem.ts"
import { keyFault } from "./public-key.ts"

function faultOf(keys: ChainKeys): string | undefined {
  const [, second] = pemBlocks(madeChain(keys, 2).certificate)
  return keyFault(readCertificate(new X509Certificate(second?.bytes ?? "")).key)
}

test.each(["RSA of 4096 bits", "P-256", "P-521", "Ed25519"] as const)("keys of %s are used", (keys) => {
  expect(faultOf(keys)).toBeUndefined()
})

test.each([
  ["RSA with a long exponent", "the public exponent of an RSA key has more than 31 bits"],
  ["RSA of 16384 bits", "an RSA key has more than 8192 bits"],
  ["DSA of 2048 bits", "keys of the algorithm 1.2.840.10040.4.1 are not used"],
  ["Ed448", "keys of the algorithm 1.3.101.113 are not used"],
  ["a binary curve", "the elliptic curve 1.3.132.0.39 is not used"],
  ["a curve of its own", "an elliptic curve without a name is not used"],
] as const)("those of %s are not", (keys, fault) => expect(faultOf(keys)).toBe(fault))
