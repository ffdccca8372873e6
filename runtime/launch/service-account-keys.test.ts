import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { privateKeyPem } from "../../test/support/account-keys.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { signingKeyIn } from "../authn/service-accounts/keys.ts"
import type { Clock } from "../base/clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import { fileCheckMs } from "../base/watched-files.ts"
import { defaultOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"
import { createLog } from "./logging.ts"
import { newServiceAccountKey, serviceAccountTokensOf } from "./service-account-keys.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "account-keys-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(text: string): string {
  const path = join(folder, `${files++}.pem`)
  writeFileSync(path, text)
  return path
}

function publicPem(privatePem: string): string {
  return createPublicKey(createPrivateKey(privatePem)).export({ format: "pem", type: "spki" }).toString()
}

const log: string[] = []

/** Its files are checked when the clock advances. */
function read(options: Partial<Options>, ownKey?: string, clock: Clock = createManualClock()): ReturnType<typeof serviceAccountTokensOf> {
  return serviceAccountTokensOf(
    { ...defaultOptions(), ...options },
    {
      vendor: vendorProfile("orch"),
      ownKey: () => ownKey,
      clock,
      log: createLog({ format: "text", verbosity: 0, write: (line) => log.push(line) }),
    },
  )
}

test("without options the key of the data folder signs and verifies", () => {
  const made = read({}, newServiceAccountKey())
  expect(made?.signing).toBe(made?.keys[0])
  expect(made).toMatchObject({ issuers: ["https://orch.default.svc.cluster.local"], lookup: true, extendsExpiration: true })
  expect(read({})).toBeUndefined()
  const off = { "service-account-lookup": false, "service-account-extend-token-expiration": false }
  expect(read(off, newServiceAccountKey())).toMatchObject({ lookup: false, extendsExpiration: false })
})

test("files hold one key or several, public or private; the signing key is one of them", () => {
  const [first, second] = [privateKeyPem(), privateKeyPem("rsa")]
  const options = {
    "service-account-key-file": [fileOf(publicPem(first) + publicPem(second)), fileOf(second)],
    "service-account-signing-key-file": fileOf(first),
    "service-account-issuer": ["https://a", "b"],
    "service-account-max-token-expiration": 7_200_000,
  }
  const made = read(options, "not read")
  expect(made?.keys.map(({ algorithm }) => algorithm)).toEqual(["ES256", "RS256", "RS256"])
  expect(made?.signing?.id).toBe(made?.keys[0]?.id)
  expect(made).toMatchObject({ issuers: ["https://a", "b"], maxSeconds: 7200 })
})

test("keys alone verify, and sign nothing; the log says so, and that nothing is verified without any", () => {
  log.length = 0
  expect(read({ "service-account-key-file": [fileOf(publicPem(privateKeyPem()))] }, "not read")?.signing).toBeUndefined()
  expect(log.join("")).toMatch(/WARN.*verified, and none can be requested: --service-account-signing-key-file is not given/)
  log.length = 0
  expect(read({})).toBeUndefined()
  expect(log.join("")).toMatch(/WARN.*tokens of service accounts are off: .*--service-account-key-file/)
})

test("changed files are taken up together, once they fit; a wrong one changes nothing", async () => {
  const clock = createManualClock()
  const [first, second] = [privateKeyPem(), privateKeyPem()]
  const [keys, signing] = [fileOf(publicPem(first)), fileOf(first)]
  const made = read({ "service-account-key-file": [keys], "service-account-signing-key-file": signing }, undefined, clock)
  const idsOf = (...pems: string[]): string[] => pems.map((pem) => signingKeyIn(pem).id)
  const state = () => [made?.keys.map(({ id }) => id), made?.signing?.id]
  const before = [idsOf(first), ...idsOf(first)]
  /** Changes a file, and resolves with the log's message about it. */
  const change = async (path: string, text: string): Promise<string | undefined> => {
    log.length = 0
    writeFileSync(path, text)
    while (log.length === 0) {
      clock.advance(fileCheckMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return log[0]
  }
  const unusable = `--service-account-key-file: ${keys}, ${signing} has changed and cannot be used; what it said before stays in force`
  const broken = await change(keys, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")
  expect(broken).toContain(unusable)
  expect(broken).toContain(`--service-account-key-file: ${keys}: `)
  expect(state()).toEqual(before)
  expect(await change(keys, publicPem(second))).toMatch(/cannot be used.*no --service-account-key-file has its public key/)
  expect(state()).toEqual(before)
  expect(await change(keys, publicPem(first) + publicPem(second))).toContain("--service-account-key-file: the changed file was taken up")
  expect(state()).toEqual([idsOf(first, second), ...idsOf(first)])
  expect(await change(signing, publicPem(second))).toMatch(/cannot be used.*there is no private key in it/)
  await change(signing, second)
  await change(keys, publicPem(second))
  expect(state()).toEqual([idsOf(second), ...idsOf(second)])
  made?.stop()
  expect(clock.nextDueMs()).toBeUndefined()
})

test("a wrong file or value stops the start, and says what to do", () => {
  const keys = (...paths: string[]): Partial<Options> => ({ "service-account-key-file": paths })
  const pair = privateKeyPem()
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  const edwards = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  for (const [options, text] of [
    [{ "service-account-signing-key-file": fileOf(pair) }, /needs --service-account-key-file/],
    [
      { ...keys(fileOf(publicPem(privateKeyPem()))), "service-account-signing-key-file": fileOf(pair) },
      /no --service-account-key-file has/,
    ],
    [{ ...keys(fileOf(pair)), "service-account-signing-key-file": fileOf(publicPem(pair)) }, /there is no private key in it/],
    [keys(fileOf("nothing")), /there is no PEM block in it/],
    [keys(join(folder, "missing")), /--service-account-key-file: .*missing: ENOENT/],
    [keys(fileOf(small)), /1024 bits; expected 2048/],
    [keys(fileOf(edwards)), /expected RSA, or ECDSA/],
    [keys(fileOf("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n")), /--service-account-key-file/],
    [{ ...keys(fileOf(pair)), "service-account-issuer": ["https://"] }, /is no URL/],
    [{ ...keys(fileOf(pair)), "service-account-max-token-expiration": 60_000 }, /60s will not do: expected 1h/],
  ] as const)
    expect(() => read(options)).toThrow(text)
})
