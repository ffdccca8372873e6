/** Tokens of issuers of a configuration, and the users that kube-apiserver 1.30 takes them for. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { Failures } from "../../runtime/base/failure.ts"
import type { JwtConfiguration } from "../../runtime/authn/oidc/configuration.ts"
import { jwtTokens } from "../../runtime/authn/oidc/jwt-tokens.ts"
import { Provider } from "../../runtime/authn/oidc/provider.ts"
import { validateAuthenticationConfiguration } from "../../runtime/authn/oidc/validate-configuration.ts"
import { exportJWK } from "jose"
import { type Claims, first, signed } from "../authentication/provider.ts"
import { createManualClock } from "../contract/manual-clock.ts"

interface Recorded {
  readonly issuers: Readonly<Record<string, Omit<JwtConfiguration, "issuer">>>
  readonly tokens: readonly { readonly issuer: string; readonly claims: Claims; readonly user?: object; readonly error?: string }[]
}
// The texts come from the recorded file.
const { issuers, tokens } = parse(readFileSync(new URL("tokens.yaml", import.meta.url), "utf8")) as Recorded

const clock = createManualClock(Date.now())
const keys = { keys: [{ ...(await exportJWK(first.pair.publicKey)), kid: first.kid, alg: first.alg, use: "sig" }] }
const failures = new Failures()
const jwt = Object.entries(issuers).map(([name, rest]) => ({
  issuer: { url: `https://${name}.example.com`, audiences: ["cluster", "second"], audienceMatchPolicy: "MatchAny" },
  ...rest,
}))
const authenticators = validateAuthenticationConfiguration({ jwt }, { failures, disallowedIssuers: [], algorithms: ["RS256"] })
expect(failures.list).toEqual([])

const client = {
  get: async (url: string) => (url.endsWith("/keys") ? keys : { issuer: new URL(url).origin, jwks_uri: `${new URL(url).origin}/keys` }),
  token: async () => "",
}
const measured: string[] = []
const lookUp = jwtTokens({
  issuers: authenticators.map((authenticator) => {
    const { discoveryUrl, issuer } = authenticator
    const provider = new Provider({ issuer, discoveryUrl, client, clock, retries: false, onReady() {}, onFault() {} })
    return { authenticator, client, provider }
  }),
  clock,
  meter: (issuer, result) => measured.push(`${issuer} ${result}`),
})

/** Differences of this server's messages: it checks claims' types later, and errors about extra claims mention them. */
const ours: readonly (readonly [theirs: string | RegExp, ours: string])[] = [
  [
    "oidc: verify token: oidc: failed to unmarshal claims: json: cannot unmarshal number into Go struct field idToken.sub of type string",
    'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
  ],
  ['oidc: verify token: oidc: expected audience in ["cluster" "second"] got ["other"]', 'oidc: verify token: unexpected "aud" claim value'],
  [/^expression '/, "oidc: error evaluating extra claim expression: expression '"],
]

test.each(tokens)("$issuer: $claims", async ({ issuer, claims, user, error }) => {
  const nowSeconds = Math.floor(clock.nowMs() / 1000)
  const base = { iss: `https://${issuer}.example.com`, aud: "cluster", iat: nowSeconds, exp: nowSeconds + 3600 }
  const found = await lookUp(await signed({ ...base, ...claims }), []).then(
    (identity) => identity?.user,
    (fault: Error) => fault.message,
  )
  expect(measured.pop()).toBe(`https://${issuer}.example.com ${error === undefined ? "success" : "failure"}`)
  if (error !== undefined) expect(found).toBe(ours.reduce((text, [theirs, own]) => text.replace(theirs, own), error))
  else expect({ ...(found as object), groups: [...Object(found).groups, "system:authenticated"] }).toEqual(asUser(user ?? {}))
})

/** The user as the server keeps it: a review leaves out empty fields. */
function asUser({ username, ...rest }: { readonly username?: string }): object {
  return { extra: {}, ...rest, name: username }
}

test("tokens of others are left to others", async () => {
  const base = { iss: "https://typed.example.com", aud: "cluster", exp: Math.floor(clock.nowMs() / 1000) + 60, groups: [] }
  expect(await lookUp(await signed({ ...base, iss: "https://other.example.com" }), [])).toBeUndefined()
  for (const text of ["", "a.b", "a.b.c", "{}", `${"a".repeat(1000)}`]) expect(await lookUp(text, [])).toBeUndefined()
})
