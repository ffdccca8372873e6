import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createSigningPair, type IssuedPair } from "../../test/support/certificates.ts"
import { defaultOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import { signingOf } from "./signing-pairs.ts"

let dir: string
let pair: IssuedPair
const file = (name: string): string => join(dir, name)
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "signing-"))
  pair = await createSigningPair()
  const [other, leaf] = [await createSigningPair(), await createSigningPair({ ca: false })]
  const encrypted = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
  })
  const files = {
    "ca.crt": pair.certificate,
    "ca.key": pair.key,
    "other.crt": other.certificate,
    "other.key": other.key,
    "leaf.crt": leaf.certificate,
    "leaf.key": leaf.key,
    "encrypted.key": encrypted.privateKey,
    "no.pem": "text",
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text)
})
afterAll(() => rmSync(dir, { recursive: true }))

/** `names`: the last parts of options and the files that they name. */
function signing(names: Readonly<Record<string, string>>): ReturnType<typeof signingOf> {
  const given = Object.entries(names).map(([name, path]) => [`cluster-signing-${name}-file`, file(path)])
  const options: Options = { ...defaultOptions(), ...Object.fromEntries(given) }
  return signingOf(options)
}

test("one pair is for all signers, or each has its own, or nothing is signed", () => {
  const year = 365 * 24 * 3600_000
  expect(signing({})).toBeUndefined()
  expect(signing({ cert: "ca.crt", key: "ca.key" })).toEqual({
    pairs: { "kubelet-serving": pair, "kube-apiserver-client-kubelet": pair, "kube-apiserver-client": pair, "legacy-unknown": pair },
    durationMs: year,
  })
  expect(signing({ "kubelet-client-cert": "ca.crt", "kubelet-client-key": "ca.key" })?.pairs).toEqual({
    "kube-apiserver-client-kubelet": pair,
  })
})

test.each<[string, Record<string, string>, RegExp]>([
  ["half a pair", { cert: "ca.crt" }, /^--cluster-signing-cert-file and --cluster-signing-key-file go together$/],
  [
    "half a pair of a signer",
    { "kubelet-serving-key": "ca.key" },
    /^--cluster-signing-kubelet-serving-cert-file and --cluster-signing-kubelet-serving-key-file go/,
  ],
  [
    "a pair for all and one for a signer",
    { cert: "ca.crt", key: "ca.key", "legacy-unknown-cert": "ca.crt", "legacy-unknown-key": "ca.key" },
    /for all signers/,
  ],
  ["a file that is not there", { cert: "none.crt", key: "ca.key" }, /^--cluster-signing-cert-file: ENOENT/],
  ["a file that is no PEM", { cert: "no.pem", key: "ca.key" }, /must be PEM files/],
  ["a key that is encrypted", { cert: "ca.crt", key: "encrypted.key" }, /must be PEM files, and the key not encrypted/],
  [
    "the key of another certificate",
    { cert: "ca.crt", key: "other.key" },
    /^--cluster-signing-key-file is not the key of --cluster-signing-cert-file$/,
  ],
  [
    "a certificate that is no authority's",
    { cert: "leaf.crt", key: "leaf.key" },
    /^--cluster-signing-cert-file is not the certificate of an authority/,
  ],
])("%s stops the start", (_name, names, fault) => {
  expect(() => signing(names)).toThrow(fault)
})
