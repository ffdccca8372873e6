import { SignJWT } from "jose"
import { describe, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { privateKeyPem, testIssuer } from "../../../test/support/account-keys.ts"
import type { ApiObject } from "../../base/json.ts"
import { systemRandom } from "../../base/random.ts"
import { timeText } from "../../base/time.ts"
import { vendorProfile } from "../../base/vendor.ts"
import type { TokenClaims } from "../../schema/access.ts"
import { AuthenticationError } from "../authenticate.ts"
import { type AccountTokenOptions, serviceAccountTokens } from "./authenticator.ts"
import { createTokenIssuer } from "./issuer.ts"
import { type SigningKey, signingKeyIn } from "./keys.ts"

const vendor = vendorProfile("kubernetes")
const audiences = ["server"]
const claims: TokenClaims = { account: { namespace: "n", name: "a", uid: "u-a" }, audiences, seconds: 600 }

/** An issuer, and a verifier that reads `objects`. */
function world(given: { readonly sort?: Parameters<typeof privateKeyPem>[0]; readonly options?: Partial<AccountTokenOptions> } = {}) {
  const clock = createManualClock()
  const key = signingKeyIn(privateKeyPem(given.sort))
  const objects: Record<string, ApiObject> = { "serviceaccounts n/a": { metadata: { name: "a", uid: "u-a" } } }
  const authenticate = serviceAccountTokens({
    keys: [key],
    issuers: [testIssuer, "second"],
    lookup: true,
    audiences,
    read: async (resource, namespace, name) => objects[`${resource} ${namespace}/${name}`],
    clock,
    vendor,
    ...given.options,
  })
  const issue = (wanted: Partial<TokenClaims> = {}, by: SigningKey = key, issuer = testIssuer): Promise<string> =>
    createTokenIssuer({ key: by, issuer, audiences, extendsExpiration: true, clock, random: systemRandom, vendor }).issue({
      ...claims,
      ...wanted,
    })
  return { clock, key, objects, authenticate, issue }
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
    const both = serviceAccountTokens({ keys: [key, old], issuers: [testIssuer, "second"], lookup: true, audiences, read, clock, vendor })
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
  return serviceAccountTokens({ keys: [key], issuers: [testIssuer], lookup: true, audiences, read, clock: createManualClock(), vendor })
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
    expect(await authenticate(token, audiences)).toBeDefined()
    clock.advance(61_000)
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    objects[place] = { metadata: { uid: "another" } }
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    delete objects[place]
    await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
  })

  test("unless look-ups are off", async () => {
    const { authenticate, issue, objects } = world({ options: { lookup: false } })
    delete objects["serviceaccounts n/a"]
    expect(await authenticate(await issue({ bound }), audiences)).toBeDefined()
  })
})

describe("a token without an end, of a Secret", () => {
  async function withSecret() {
    const made = world()
    const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`
    const payload = {
      sub: "system:serviceaccount:n:a",
      [claim("namespace")]: "n",
      [claim("secret.name")]: "s",
      [claim("service-account.name")]: "a",
      [claim("service-account.uid")]: "u-a",
    }
    const signed = new SignJWT(payload).setProtectedHeader({ alg: made.key.algorithm }).setIssuer("kubernetes/serviceaccount")
    const token = await signed.sign(made.key.privateKey)
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
    for (const change of [
      (objects: Record<string, ApiObject>) => delete objects["secrets n/s"],
      (objects: Record<string, ApiObject>) => (objects["secrets n/s"] = { metadata: {}, data: { token: "YQ==" } }),
      (objects: Record<string, ApiObject>) => delete objects["serviceaccounts n/a"],
    ]) {
      const { authenticate, token, objects } = await withSecret()
      change(objects)
      await expect(authenticate(token, audiences)).rejects.toThrow("has been invalidated")
    }
  })

  test("is refused once it is marked", async () => {
    const { authenticate, token, objects, secret } = await withSecret()
    objects["secrets n/s"] = { ...secret, metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } } }
    await expect(authenticate(token, audiences)).rejects.toThrow("marked as invalid")
  })
})
