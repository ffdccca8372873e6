import { SignJWT } from "jose"
import { describe, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { privateKeyPem, testIssuer, tokenOfSecret } from "../../../test/support/account-keys.ts"
import type { ApiObject } from "../../base/json.ts"
import { systemRandom } from "../../base/random.ts"
import { timeText } from "../../base/time.ts"
import { vendorProfile } from "../../base/vendor.ts"
import type { TokenClaims } from "../../schema/access.ts"
import { AuthenticationError } from "../authenticate.ts"
import type { AccountTokenUse } from "../meters.ts"
import { serviceAccountTokens } from "./authenticator.ts"
import { createTokenIssuer } from "./issuer.ts"
import { type SigningKey, signingKeyIn } from "./keys.ts"
import type { AccountTokenOptions } from "./verify.ts"

const vendor = vendorProfile("kubernetes")
const audiences = ["server"]
const claims: TokenClaims = { account: { namespace: "n", name: "a", uid: "u-a" }, audiences, seconds: 600 }

const unnoted = { noteUse: () => undefined, meter: { used: () => undefined } }

/** An issuer, and a verifier that reads `objects`. */
function world(
  given: { readonly sort?: Parameters<typeof privateKeyPem>[0]; readonly tokens?: Partial<AccountTokenOptions["tokens"]> } = {},
) {
  const clock = createManualClock()
  const key = signingKeyIn(privateKeyPem(given.sort))
  const objects: Record<string, ApiObject> = { "serviceaccounts n/a": { metadata: { name: "a", uid: "u-a" } } }
  const uses: AccountTokenUse[] = []
  const noted: ApiObject[] = []
  const authenticate = serviceAccountTokens({
    tokens: { keys: [key], issuers: [testIssuer, "second"], lookup: true, ...given.tokens },
    audiences,
    read: async (resource, namespace, name) => objects[`${resource} ${namespace}/${name}`],
    noteUse: (secret) => noted.push(secret),
    clock,
    vendor,
    meter: { used: (how) => uses.push(how) },
  })
  const issue = (wanted: Partial<TokenClaims> = {}, by: SigningKey = key, issuer = testIssuer): Promise<string> =>
    createTokenIssuer({ key: by, issuer, audiences, extendsExpiration: true, clock, random: systemRandom, vendor }).issue({
      ...claims,
      ...wanted,
    })
  return { clock, key, objects, authenticate, issue, uses, noted }
}

describe("a token of a service account", () => {
  test.each(["rsa", "P-256", "P-384", "P-521"] as const)("signed by a key of sort %s is that of its account", async (sort) => {
    const { authenticate, issue } = world({ sort })
    expect(await authenticate(await issue(), audiences)).toEqual({
      audiences,
      user: {
        name: "system:serviceaccount:n:a",
        uid: "u-a",
        groups: ["system:serviceaccounts", "system:serviceaccounts:n"],
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=/)] },
      },
    })
  })

  test("says what it is bound to", async () => {
    const { authenticate, issue, objects } = world()
    objects["pods n/p"] = { metadata: { name: "p", uid: "u-p" } }
    const token = await issue({ bound: { kind: "Pod", name: "p", uid: "u-p" }, node: { name: "node", uid: "u-n" } })
    expect((await authenticate(token, audiences))?.user.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": ["u-p"],
      "authentication.kubernetes.io/node-name": ["node"],
      "authentication.kubernetes.io/node-uid": ["u-n"],
    })
  })

  test("may be of any of the issuers, and name any of the keys or none", async () => {
    const [old, { clock, key, issue }] = [signingKeyIn(privateKeyPem("rsa")), world()]
    const read = async (): Promise<ApiObject> => ({ metadata: { uid: "u-a" } })
    const tokens = { keys: [key, old], issuers: [testIssuer, "second"], lookup: true }
    const both = serviceAccountTokens({ tokens, audiences, read, clock, vendor, ...unnoted })
    for (const token of [await issue({}, old), await issue({}, key, "second"), await issue({}, { ...old, id: "unknown" })])
      expect((await both(token, audiences))?.user.name).toBe("system:serviceaccount:n:a")
  })

  test("ends a minute after its time, which clocks may differ by", async () => {
    const { authenticate, clock, issue } = world()
    const token = await issue()
    clock.advance(659_000)
    expect(await authenticate(token, audiences)).toBeDefined()
    clock.advance(2000)
    await expect(authenticate(token, audiences)).rejects.toThrow("service account token has expired")
  })

  test("is stale from the moment on at which its client should have another one", async () => {
    const { authenticate, clock, issue, uses } = world()
    const warnAfter = clock.nowMs() / 1000 + 100
    const [token, plain] = [await issue({ warnAfter }), await issue()]
    clock.advance(100_000)
    expect((await authenticate(token, audiences))?.notes).toBeUndefined()
    clock.advance(5500)
    expect((await authenticate(token, audiences))?.notes).toEqual({
      annotations: [["authentication.k8s.io/stale-token", "subject: system:serviceaccount:n:a, seconds after warning threshold: 5"]],
      warnings: [],
    })
    await authenticate(plain, audiences)
    expect(uses).toEqual(["valid", "stale"])
  })

  test("is not valid before its time", async () => {
    const [issuing, { authenticate }] = [world(), world()]
    issuing.clock.advance(61_000)
    const token = await issuing.issue()
    await expect(serviceAccountTokensOf(issuing.key)(token, audiences)).rejects.toThrow("not valid yet")
    await expect(authenticate(token, audiences)).rejects.toThrow("invalid signature")
  })

  test("of another audience, or key, is refused; one of another issuer is none of ours", async () => {
    const { authenticate, issue } = world()
    await expect(authenticate(await issue({ audiences: ["other"] }), audiences)).rejects.toThrow(AuthenticationError)
    await expect(authenticate(await issue({}, signingKeyIn(privateKeyPem())), audiences)).rejects.toThrow("invalid signature")
    expect(await authenticate(await issue({}, undefined, "https://other"), audiences)).toBeUndefined()
    expect((await authenticate(await issue({ audiences: ["x", "y"] }), ["y", "z"]))?.audiences).toEqual(["y"])
  })

  test.each(["", "a.b", "a.b.c", "a.b.c.d", "e30.e30.e30", ".eyJpc3MiOjF9.", "é.ü.ö"])("%j is none", async (token) => {
    expect(await world().authenticate(token, audiences)).toBeUndefined()
  })

  test("that was changed, or is not signed, is refused", async () => {
    const { authenticate, issue } = world()
    const [header = "", payload = "", signature = ""] = (await issue()).split(".")
    const forged = Buffer.from(Buffer.from(payload, "base64url").toString().replace("u-a", "u-b")).toString("base64url")
    const none = Buffer.from('{"alg":"none"}').toString("base64url")
    const symmetric = Buffer.from('{"alg":"HS256"}').toString("base64url")
    for (const token of [`${header}.${forged}.${signature}`, `${none}.${payload}.`, `${symmetric}.${payload}.${signature}`])
      await expect(authenticate(token, audiences)).rejects.toThrow(AuthenticationError)
  })

  test("with padding, or another last character for the same bytes, is none", async () => {
    const { authenticate, issue } = world()
    const token = await issue()
    const other = String.fromCharCode((token.codePointAt(token.length - 1) ?? 0) + 1)
    for (const text of [`${token}==`, `${token}=`, `${token.slice(0, -1)}${other}`, token.replace(".", "=.")])
      expect(await authenticate(text, audiences)).toBeUndefined()
    expect(await authenticate(token, audiences)).toBeDefined()
  })

  test("of claims that are no account's is refused", async () => {
    const { authenticate, key, clock } = world()
    const sign = (payload: object): Promise<string> =>
      new SignJWT({ aud: audiences, ...payload })
        .setProtectedHeader({ alg: key.algorithm })
        .setIssuer(testIssuer)
        .setExpirationTime(clock.nowMs() / 1000 + 60)
        .sign(key.privateKey)
    const account = { namespace: "n", serviceaccount: { name: "a", uid: "u-a" } }
    const wrong = [{}, { "kubernetes.io": 1 }, { "kubernetes.io": account }, { sub: "system:serviceaccount:m:a", "kubernetes.io": account }]
    for (const payload of wrong) await expect(authenticate(await sign(payload), audiences)).rejects.toThrow("no service account")
  })
})

function serviceAccountTokensOf(key: SigningKey): ReturnType<typeof serviceAccountTokens> {
  const read = async (): Promise<ApiObject> => ({ metadata: { uid: "u-a" } })
  const tokens = { keys: [key], issuers: [testIssuer], lookup: true }
  return serviceAccountTokens({ tokens, audiences, read, clock: createManualClock(), vendor, ...unnoted })
}

describe("what a token speaks of must be there", () => {
  const bound: TokenClaims["bound"] = { kind: "Pod", name: "p", uid: "u-p" }

  test.each([
    ["the account", {}, "serviceaccounts n/a"],
    ["the pod", { bound }, "pods n/p"],
    ["the secret", { bound: { kind: "Secret", name: "s", uid: "u-s" } }, "secrets n/s"],
    ["the node", { node: { name: "node", uid: "u-n" } }, "nodes /node"],
  ] satisfies [string, Partial<TokenClaims>, string][])("%s", async (_what, wanted, place) => {
    const { authenticate, clock, issue, objects } = world()
    const all = { "pods n/p": "u-p", "secrets n/s": "u-s", "nodes /node": "u-n", "serviceaccounts n/a": "u-a" }
    for (const [at, uid] of Object.entries(all)) objects[at] = { metadata: { uid } }
    const token = await issue({ seconds: 3600, ...wanted })
    expect(await authenticate(token, audiences)).toBeDefined()
    const deletionTimestamp = timeText(clock.nowMs())
    objects[place] = { metadata: { ...objects[place]?.metadata, deletionTimestamp } }
    // Objects count as existing for a minute after their deletion began: pods need their tokens while they terminate.
    clock.advance(59_000)
    expect(await authenticate(token, audiences)).toBeDefined()
    clock.advance(2000)
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    objects[place] = { metadata: { uid: "another" } }
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    delete objects[place]
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
  })

  test("unless look-ups are off", async () => {
    const { authenticate, issue, objects } = world({ tokens: { lookup: false } })
    delete objects["serviceaccounts n/a"]
    expect(await authenticate(await issue({ bound }), audiences)).toBeDefined()
  })
})

describe("a token without an end, of a Secret", () => {
  async function withSecret(tokens: Partial<AccountTokenOptions["tokens"]> = {}) {
    const made = world({ tokens })
    const token = await tokenOfSecret(made.key, { namespace: "n", secret: "s", account: { name: "a", uid: "u-a" } })
    const secret: ApiObject = { metadata: { name: "s" }, data: { token: Buffer.from(token).toString("base64") } }
    made.objects["secrets n/s"] = secret
    return { ...made, token, secret }
  }

  test("is that of its account, and for the server", async () => {
    const { authenticate, token } = await withSecret()
    expect((await authenticate(token, audiences))?.user.name).toBe("system:serviceaccount:n:a")
    expect(await authenticate(token, ["other"])).toBeUndefined()
  })

  test("ends with its Secret, with another token in it, and with its account", async () => {
    type World = Awaited<ReturnType<typeof withSecret>>
    for (const change of [
      ({ objects }: World) => delete objects["secrets n/s"],
      ({ objects }: World) => (objects["secrets n/s"] = { metadata: {}, data: { token: "YQ==" } }),
      // A finalizer keeps the object. Bound tokens stay valid for a while; a token without an expiry does not.
      ({ clock, objects, secret }: World) =>
        (objects["secrets n/s"] = { ...secret, metadata: { ...secret.metadata, deletionTimestamp: timeText(clock.nowMs()) } }),
      ({ objects }: World) => delete objects["serviceaccounts n/a"],
      ({ objects }: World) => (objects["serviceaccounts n/a"] = { metadata: { uid: "another" } }),
    ]) {
      const made = await withSecret()
      const { authenticate, token } = made
      change(made)
      await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    }
  })

  const annotation = (name: string, value: string) => [`authentication.k8s.io/${name}`, value]
  const subject = annotation("legacy-token", "system:serviceaccount:n:a")

  test("is noted as made by a user, or by the control plane if its account names the Secret", async () => {
    const { authenticate, token, objects, secret, uses, noted } = await withSecret()
    expect((await authenticate(token, audiences))?.notes).toEqual({
      annotations: [subject, annotation("legacy-token-manual-secret", "s")],
      warnings: [],
    })
    objects["serviceaccounts n/a"] = { metadata: { uid: "u-a" }, secrets: [{ name: "other" }, { name: "s" }] }
    expect((await authenticate(token, audiences))?.notes).toEqual({
      annotations: [subject, annotation("legacy-token-autogenerated-secret", "s")],
      warnings: [expect.stringMatching(/^Use tokens from the TokenRequest API/)],
    })
    expect([uses, noted]).toEqual([
      ["legacy", "manual", "legacy", "autogenerated"],
      [secret, secret],
    ])
  })

  test("is refused once it is marked, and its use is on record all the same", async () => {
    const { authenticate, token, objects, secret, uses, noted } = await withSecret()
    const marked = (since: string): ApiObject => ({
      ...secret,
      metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": since } },
    })
    objects["secrets n/s"] = marked("2026-01-01")
    const fault = await authenticate(token, audiences)?.catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(AuthenticationError)
    expect(fault).toMatchObject({
      message: expect.stringMatching(/n\/s has been marked as invalid: .* remove the label kubernetes.io\/legacy-token-invalid-since/),
      notes: { annotations: [subject, annotation("legacy-token-invalidated", "s/n")] },
    })
    expect([uses, noted]).toEqual([["legacy", "invalidated"], [marked("2026-01-01")]])
    objects["secrets n/s"] = marked("")
    expect(await authenticate(token, audiences)).toBeDefined()
  })

  test("that is not in the Secret is no use of it, and neither is a look-up for others", async () => {
    const { authenticate, token, objects, uses, noted } = await withSecret()
    await authenticate(token, ["other"])
    objects["secrets n/s"] = { metadata: {}, data: { token: "YQ==" } }
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    expect([uses, noted]).toEqual([["legacy", "legacy"], []])
  })

  test("without look-ups it is known by its claims alone", async () => {
    const { authenticate, token, noted } = await withSecret({ lookup: false })
    expect((await authenticate(token, audiences))?.notes).toEqual({ annotations: [subject], warnings: [] })
    expect(noted).toEqual([])
  })
})
