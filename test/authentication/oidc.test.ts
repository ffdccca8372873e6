/** ID tokens of an identity provider: a real HTTPS server, whose keys change, and which fails and lies. */
import type { ServerResponse } from "node:http"
import { exportJWK, SignJWT } from "jose"
import { expect, test } from "vitest"
import { discoveryRetryMs, keptIdTokensMs, keysRefreshMs, providerTimeoutMs } from "../../runtime/authn/limits.ts"
import { documentDepthMax } from "../../runtime/base/limits.ts"
import type { Options } from "../../runtime/options/table.ts"
import { authority, type Claims, curve, first, type Provider, second, signed, startProvider } from "./provider.ts"
import { type AuthenticationServer, connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

async function startWith(provider: Provider, options: Partial<Options> = {}) {
  const file = testFolder()
  const server = await startServerWith({
    "oidc-issuer-url": provider.issuer,
    "oidc-client-id": "cluster",
    "oidc-ca-file": file("ca.crt", authority.certificate),
    "token-auth-file": file("tokens.csv", "bob-token,bob,bob-uid\n"),
    ...options,
  })
  const connection = connectTo(server, { protocol: "http2" })
  const nowSeconds = () => Math.floor(server.clock.nowMs() / 1000)
  const ask = async (claims: Claims = {}, key = first, { kid = key.kid }: { readonly kid?: string } = {}): Promise<string> => {
    const payload = { iss: provider.issuer, aud: "cluster", sub: "jane", exp: nowSeconds() + 3600, ...claims }
    return send(await signed(payload, key, kid))
  }
  const send = async (token: string): Promise<string> => userOf(await connection.whoAmI({ authorization: `Bearer ${token}` }))
  return { server, ask, send, nowSeconds }
}

/** Waits until the server knows where the provider's keys are. */
const ready = ({ log }: AuthenticationServer): Promise<void> =>
  expect.poll(() => log.some((line) => line.includes("the configuration of the identity provider was read"))).toBe(true)

const jane = (issuer: string): string => `${issuer}#jane (system:authenticated)`

test("a token names its user; tokens of others, and others' tokens, do not", async () => {
  const provider = await startProvider()
  const { server, ask, send, nowSeconds } = await startWith(provider)
  await ready(server)
  expect(await ask()).toBe(jane(provider.issuer))
  expect(await ask({ aud: ["x", "cluster"] })).toBe(jane(provider.issuer))
  expect(await ask({ nbf: nowSeconds() + 50 })).toBe(jane(provider.issuer))
  expect(await send("bob-token")).toBe("bob (system:authenticated)")
  const wrong: readonly Claims[] = [
    { aud: "other" },
    { iss: "https://example.com" },
    { exp: nowSeconds() - 5 },
    { exp: undefined },
    { nbf: nowSeconds() + 70 },
    { sub: undefined },
    { sub: 5 },
  ]
  for (const claims of wrong) expect([claims, await ask(claims)]).toEqual([claims, refused])
  expect(await ask({}, second)).toBe(refused)
  expect(await ask({}, second, { kid: "first" })).toBe(refused)
  expect(await ask({}, curve)).toBe(refused)
  const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify({ iss: provider.issuer, aud: "cluster", sub: "jane", exp: nowSeconds() + 60 })).toString("base64url")}.`
  for (const text of [unsigned, "a.b.c", "..", `${unsigned}AAAA`]) expect(await send(text)).toBe(refused)
})

test("a token has one text: padding, and other last characters for the same bytes, make it another", async () => {
  const provider = await startProvider()
  const { server, send, nowSeconds } = await startWith(provider)
  await ready(server)
  const payload = { iss: provider.issuer, aud: "cluster", sub: "jane", exp: nowSeconds() + 3600 }
  const token = await signed(payload)
  // 256 bytes: the last character has four bits that belong to no byte, and is one of A, Q, g and w.
  expect(token.at(-1)).toMatch(/[AQgw]/)
  const other = String.fromCharCode((token.codePointAt(token.length - 1) ?? 0) + 1)
  for (const text of [`${token}==`, `${token.slice(0, -1)}${other}`, token.replace(".", "=."), `${token}.`])
    expect(await send(text)).toBe(refused)
  expect(await send(token)).toBe(jane(provider.issuer))
})

test("claims that are nested deeper than documents may be, and keys that cannot be used, are 401", async () => {
  const provider = await startProvider()
  const { server, ask } = await startWith(provider)
  await ready(server)
  let deep: unknown = 1
  for (let depth = 0; depth < documentDepthMax + 10; depth++) deep = [deep]
  expect(await ask({ deep })).toBe(refused)
  for (const change of [{ e: "A".repeat(512) }, { n: "AQAB" }, { n: "!" }, { kty: "RSA", n: undefined }]) {
    provider.answer = (path, response) => {
      if (path !== "/keys") return false
      void exportJWK(first.pair.publicKey).then((key) => response.end(JSON.stringify({ keys: [{ ...key, kid: "first", ...change }] })))
      return true
    }
    server.clock.advance(keysRefreshMs + keptIdTokensMs)
    // An unknown key makes the server read the keys again.
    await ask({}, second)
    expect([change, await ask()]).toEqual([change, refused])
  }
  provider.answer = undefined
  server.clock.advance(keysRefreshMs + keptIdTokensMs)
  await ask({}, second)
  expect(await ask()).toBe(jane(provider.issuer))
})

test("claims say who the user is, as the options have it", async () => {
  const provider = await startProvider()
  const { server, ask } = await startWith(provider, {
    "oidc-username-claim": "email",
    "oidc-groups-claim": "groups",
    "oidc-groups-prefix": "oidc:",
    "oidc-required-claim": { hd: "example.com" },
    "oidc-signing-algs": ["RS256", "ES256"],
  })
  provider.keys = [first, curve]
  await ready(server)
  const claims = { email: "jane@example.com", hd: "example.com" }
  expect(await ask({ ...claims, groups: ["a", "b"] })).toBe("jane@example.com (oidc:a, oidc:b, system:authenticated)")
  expect(await ask({ ...claims, groups: "a", email_verified: true }, curve)).toBe("jane@example.com (oidc:a, system:authenticated)")
  expect(await ask(claims)).toBe("jane@example.com (system:authenticated)")
  for (const more of [
    { email_verified: false },
    { email_verified: "true" },
    { groups: 5 },
    { groups: ["a", 5] },
    { hd: "evil.com" },
    { hd: ["example.com"] },
    { email: undefined },
    { hd: undefined },
    { _claim_names: { groups: "elsewhere" }, _claim_sources: { elsewhere: { endpoint: "https://127.0.0.1" } } },
  ])
    expect([more, await ask({ ...claims, ...more })]).toEqual([more, refused])
})

test.each([
  ["x:", "x:jane (system:authenticated)"],
  ["-", "jane (system:authenticated)"],
])("the prefix %j of names", async (prefix, user) => {
  const provider = await startProvider()
  const { server, ask } = await startWith(provider, { "oidc-username-prefix": prefix })
  await ready(server)
  expect(await ask()).toBe(user)
})

test("keys that are new are read when a token needs them, seldom, and old ones are forgotten", async () => {
  const provider = await startProvider()
  const { server, ask } = await startWith(provider)
  await ready(server)
  const keyReads = () => provider.asked.filter((path) => path === "/keys").length
  expect(await ask()).toBe(jane(provider.issuer))
  expect(await ask({}, second)).toBe(refused)
  expect(keyReads()).toBe(1)
  provider.keys = [second]
  expect(await ask({}, second)).toBe(refused)
  server.clock.advance(keysRefreshMs)
  expect(await ask({}, second)).toBe(jane(provider.issuer))
  expect(keyReads()).toBe(2)
  expect(await ask({ jti: "another" })).toBe(refused)
  // A token without a key id: the server tries several keys.
  provider.keys = [first, second]
  server.clock.advance(keysRefreshMs)
  expect(await ask({ jti: "nameless" }, first, { kid: "" })).toBe(jane(provider.issuer))
  expect(await ask({ jti: "nameless" }, second, { kid: "" })).toBe(jane(provider.issuer))
})

test("a valid token is kept for ten seconds, and not beyond: its provider may be down meanwhile", async () => {
  const provider = await startProvider()
  const { server, ask, send, nowSeconds } = await startWith(provider)
  await ready(server)
  const payload = { iss: provider.issuer, aud: "cluster", sub: "jane", exp: nowSeconds() + 5 }
  const token = await new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "first" }).sign(first.pair.privateKey)
  expect(await send(token)).toBe(jane(provider.issuer))
  await provider.stop()
  expect(await ask({ jti: "known keys are enough" })).toBe(jane(provider.issuer))
  server.clock.advance(keptIdTokensMs)
  expect(await send(token)).toBe(refused)
})

const faults: readonly (readonly [string, (path: string, response: ServerResponse) => boolean])[] = [
  ["a status", (_path, response) => response.writeHead(500).end("{}").writableEnded],
  ["a redirect", (_path, response) => response.writeHead(302, { location: "https://127.0.0.1/" }).end().writableEnded],
  ["no JSON", (_path, response) => response.end("hello").writableEnded],
  ["a list", (_path, response) => response.end("[]").writableEnded],
  ["another issuer", (_path, response) => response.end('{"issuer":"https://example.com","jwks_uri":"https://example.com"}').writableEnded],
  ["too much", (_path, response) => response.end(JSON.stringify({ issuer: "a".repeat(2 * 1024 * 1024) })).writableEnded],
]
test.each(faults)("a provider that answers with %s is asked again, and others come in meanwhile", async (_what, answer) => {
  const provider = await startProvider()
  provider.answer = answer
  const { server, ask, send } = await startWith(provider)
  await expect.poll(() => server.log.some((line) => line.includes("the provider cannot be asked"))).toBe(true)
  expect([await ask(), await send("bob-token")]).toEqual([refused, "bob (system:authenticated)"])
  const before = provider.asked.length
  provider.answer = undefined
  server.clock.advance(discoveryRetryMs)
  await expect.poll(() => provider.asked.length).toBeGreaterThan(before)
  await expect.poll(() => ask({ jti: String(provider.asked.length) })).toBe(jane(provider.issuer))
})

test("a provider that does not answer is given up after 30 seconds, and others come in meanwhile", async () => {
  const provider = await startProvider()
  provider.answer = (path) => path === "/keys"
  const { server, ask, send } = await startWith(provider)
  await ready(server)
  const asking = ask()
  await expect.poll(() => provider.asked).toContain("/keys")
  expect(await send("bob-token")).toBe("bob (system:authenticated)")
  server.clock.advance(providerTimeoutMs)
  expect(await asking).toBe(refused)
  expect(server.log.join("")).toMatch(/i\/o timeout/)
})

test.each([
  ["no keys", "{}"],
  ["keys that are none", '{"keys":[1]}'],
])("%s at the address of the keys let nobody in", async (_what, text) => {
  const provider = await startProvider()
  provider.answer = (path, response) => path === "/keys" && response.end(text).writableEnded
  const { server, ask } = await startWith(provider)
  await ready(server)
  expect(await ask()).toBe(refused)
})

test.each<readonly [Partial<Options>, RegExp]>([
  [{ "oidc-issuer-url": "https://example.com" }, /^--oidc-issuer-url needs --oidc-client-id/],
  [{ "oidc-client-id": "cluster" }, /^--oidc-client-id needs --oidc-issuer-url/],
  [{ "oidc-required-claim": { hd: "x" } }, /^--oidc-required-claim needs --oidc-issuer-url/],
  [{ "oidc-issuer-url": "https://example.com", "oidc-client-id": "c", "oidc-ca-file": "/nowhere" }, /^--oidc-ca-file: \/nowhere: ENOENT/],
])("the start fails with %j", async (options, why) => {
  await expect(startServerWith(options)).rejects.toThrow(why)
})
