/** `--authentication-config`: several issuers, distributed claims, and changes of the file while requests run. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { changedIssuersMs, keptIdTokensMs, providerTimeoutMs } from "../../runtime/authn/limits.ts"
import type { Options } from "../../runtime/options/table.ts"
import { authority, type Claims, first, type Provider, second, signed, startProvider } from "./provider.ts"
import { connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

const mappings = { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } }

function issuerOf(provider: Provider, more: object = {}, issuer: object = {}): object {
  return {
    issuer: { url: provider.issuer, certificateAuthority: authority.certificate, audiences: ["cluster"], ...issuer },
    claimMappings: mappings,
    ...more,
  }
}

const configOf = (...jwt: readonly object[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration", jwt })

async function startWith(text: string, options: Partial<Options> = {}) {
  const file = testFolder()
  const server = await startServerWith({ "authentication-config": file("authentication.yaml", text), ...options })
  const connection = connectTo(server, { protocol: "http2" })
  let asked = 0
  /** Uses a new token each time, so that no cached answer counts. */
  const ask = async (provider: Provider, claims: Claims = {}, key = first): Promise<string> => {
    const token = await signed({ iss: provider.issuer, aud: "cluster", sub: "jane", exp: 4e9, jti: String(++asked), ...claims }, key)
    return userOf(await connection.whoAmI({ authorization: `Bearer ${token}` }))
  }
  const said = (text: string): number => server.log.filter((line) => line.includes(text)).length
  /** Waits until the providers have answered. */
  const ready = async (...providers: readonly Provider[]): Promise<void> => {
    for (const { issuer } of providers)
      await expect.poll(() => server.log.some((line) => line.includes("was read") && line.includes(issuer))).toBe(true)
  }
  /** Resolves when the file was read again, and `text` was logged once more. */
  const change = async (next: string, text: string): Promise<void> => {
    file("authentication.yaml", next)
    const [before, seen] = [said(text), said(hasChanged)]
    await server.untilRead(() => said(text) + said(hasChanged) > before + seen)
    // The providers' answers take the time of the machine, in which the test's clock must not run.
    if (text === notAsked) server.clock.advance(changedIssuersMs)
    await expect.poll(() => said(text)).toBe(before + 1)
  }
  return { server, ask, ready, change, metrics: () => server.metrics() }
}

const jane = "jane (system:authenticated)"
const taken = "the changed file was taken up"
const notTaken = "has changed and cannot be used"
const notAsked = "cannot be asked; what it said before stays in force"
const hasChanged = "the file has changed; its issuers are asked"

test("each issuer has its own rules, and its configuration may be elsewhere", async () => {
  const [one, other] = [await startProvider(), await startProvider()]
  one.answer = (path, response) => path.startsWith("/.well-known") && response.writeHead(404).end().writableEnded
  const discovery = JSON.stringify({ issuer: one.issuer, jwks_uri: `${one.issuer}/keys` })
  other.answer = (path, response) => path === "/of-one" && response.end(discovery).writableEnded
  other.keys = [second]
  const { ask, ready } = await startWith(
    configOf(
      issuerOf(one, {}, { discoveryURL: `${other.issuer}/of-one` }),
      issuerOf(other, {
        claimMappings: { username: { expression: "'other:' + claims.sub" } },
        userValidationRules: [{ expression: "user.username != 'other:root'", message: "not that one" }],
      }),
    ),
  )
  await ready(one, other)
  expect([await ask(one), await ask(other, {}, second)]).toEqual([jane, "other:jane (system:authenticated)"])
  expect([await ask(other, { sub: "root" }, second), await ask(one, {}, second), await ask(other)]).toEqual([refused, refused, refused])
})

test("a changed file is taken up while requests run, and a wrong one is not", async () => {
  const [one, other] = [await startProvider(), await startProvider()]
  const { server, ask, ready, change, metrics } = await startWith(configOf(issuerOf(one)))
  await ready(one)
  expect([await ask(one), await ask(other)]).toEqual([jane, refused])
  let isRunning = true
  onTestFinished(() => {
    isRunning = false
  })
  const seen = new Set<string>()
  const running = (async () => {
    while (isRunning) seen.add(await ask(one))
  })()
  await change(configOf(issuerOf(one), issuerOf(other)), taken)
  expect(await ask(other)).toBe(jane)
  await change(configOf(issuerOf(one), issuerOf(one)), notTaken)
  expect(server.log.join("\n")).toContain(`jwt[1].issuer.url: Duplicate value: \\"${one.issuer}\\"`)
  expect([await ask(one), await ask(other)]).toEqual([jane, jane])
  isRunning = false
  await running
  expect([...seen]).toEqual([jane])
  const text = await metrics()
  const reloads = "apiserver_authentication_config_controller_automatic_reloads_total"
  for (const status of ["success", "failure"])
    expect(text).toMatch(new RegExp(`^${reloads}\\{status="${status}",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} 1$`, "m"))
})

test("issuers of a changed file that do not answer leave the file before in force", async () => {
  const [one, dead] = [await startProvider(), await startProvider()]
  const { ask, ready, change } = await startWith(configOf(issuerOf(one)))
  await ready(one)
  dead.answer = (_path, response) => response.writeHead(500).end().writableEnded
  const next = configOf(issuerOf(dead))
  await change(next, notAsked)
  expect([await ask(one), await ask(dead)]).toEqual([jane, refused])
  // The server asks the provider again with the next change.
  dead.answer = undefined
  await change(`${next}\n`, taken)
  expect([await ask(one), await ask(dead)]).toEqual([refused, jane])
})

test("a file without issuers is taken, and one that is gone is no change", async () => {
  const one = await startProvider()
  const { ask, change } = await startWith(configOf())
  expect(await ask(one)).toBe(refused)
  await change(configOf(issuerOf(one)), taken)
  expect(await ask(one)).toBe(jane)
})

test("what is kept of a token ends with the file that allowed it", async () => {
  const one = await startProvider()
  const { server, ask, ready, change } = await startWith(configOf(issuerOf(one)))
  await ready(one)
  expect(await ask(one, { jti: "same" })).toBe(jane)
  await change(configOf(issuerOf(one, { claimValidationRules: [{ claim: "hd", requiredValue: "x" }] })), taken)
  expect(await ask(one, { jti: "same" })).toBe(refused)
  server.clock.advance(keptIdTokensMs)
  expect(await ask(one, { jti: "same", hd: "x" })).toBe(jane)
})

/** A token whose groups are at an address of the provider. */
const elsewhere = (endpoint: string, more: object = {}): Claims => ({
  _claim_names: { groups: "source" },
  _claim_sources: { source: { endpoint, ...more } },
})

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

/** A provider with an endpoint of groups. */
async function startWithGroups(answer: Answer) {
  const provider = await startProvider()
  provider.answer = (path, response, request) => {
    if (path !== "/groups") return false
    answer(response, request)
    return true
  }
  const started = await startWith(configOf(issuerOf(provider)))
  await started.ready(provider)
  return { ...started, provider, groups: elsewhere(`${provider.issuer}/groups`) }
}

test("groups that are elsewhere are fetched with the access token of the source", async () => {
  const seen: unknown[] = []
  const started = await startWithGroups(async (response, { headers }) => {
    seen.push(headers.authorization)
    response.end(await signed({ iss: started.provider.issuer, aud: "cluster", exp: 4e9, groups: ["a", "b"] }))
  })
  const { ask, provider, groups } = started
  expect(await ask(provider, groups)).toBe("jane (a, b, system:authenticated)")
  expect(await ask(provider, elsewhere(`${provider.issuer}/groups`, { access_token: "secret" }))).toBe("jane (a, b, system:authenticated)")
  expect(seen).toEqual([undefined, "Bearer secret"])
  expect(await ask(provider, { ...groups, groups: ["own"] })).toBe("jane (own, system:authenticated)")
  expect(await ask(provider, { ...groups, _claim_names: { other: "source" } })).toBe(jane)
  expect(await ask(provider, elsewhere("", { JWT: "a.b.c" }))).toBe(jane)
  expect(seen.length).toBe(2)
  for (const wrong of [
    { _claim_names: { groups: "source" } },
    { ...groups, _claim_names: [] },
    { ...groups, _claim_names: { groups: "other" } },
    { ...groups, _claim_names: { groups: 5 } },
    { ...groups, _claim_sources: [] },
    { ...groups, _claim_sources: { source: { endpoint: 5 } } },
    elsewhere(provider.issuer.replace("https", "http")),
    elsewhere("file:///etc/passwd"),
  ])
    expect([wrong, await ask(provider, wrong)]).toEqual([wrong, refused])
})

test("groups may come from another issuer, which is asked again after it was down, and not while it is known", async () => {
  const other = await startProvider()
  const down = (_path: string, response: ServerResponse): boolean => response.writeHead(503).end().writableEnded
  other.answer = down
  const { ask, provider, groups } = await startWithGroups(async (response) => {
    response.end(await signed({ iss: other.issuer, aud: "cluster", exp: 4e9, groups: ["a"] }, second))
  })
  other.keys = [second]
  const asked = (): number => other.asked.filter((path) => path.startsWith("/.well-known")).length
  expect([await ask(provider, groups), await ask(provider, groups), asked()]).toEqual([refused, refused, 2])
  other.answer = undefined
  const withGroups = "jane (a, system:authenticated)"
  expect([await ask(provider, groups), await ask(provider, groups), asked()]).toEqual([withGroups, withGroups, 3])
})

const lies: Readonly<Record<string, (issuer: string) => Claims>> = {
  "for another audience": (iss) => ({ iss, aud: "other", exp: 4e9, groups: ["a"] }),
  "that has expired": (iss) => ({ iss, aud: "cluster", exp: 1, groups: ["a"] }),
  "without the claim": (iss) => ({ iss, aud: "cluster", exp: 4e9 }),
  "whose groups are none": (iss) => ({ iss, aud: "cluster", exp: 4e9, groups: { a: "b" } }),
  "of an issuer that is no provider": (iss) => ({ iss: `${iss}/groups`, aud: "cluster", exp: 4e9, groups: ["a"] }),
  "that sends on": (iss) => ({ iss, aud: "cluster", exp: 4e9, ...elsewhere(`${iss}/groups`) }),
}

test("answers with lies, errors and too much let nobody in", async () => {
  let answer: Answer = () => undefined
  const started = await startWithGroups((response, request) => answer(response, request))
  const { ask, provider, groups } = started
  const good = { iss: provider.issuer, aud: "cluster", exp: 4e9, groups: ["a"] }
  const answers: Readonly<Record<string, Answer>> = {
    ...Object.fromEntries(
      Object.entries(lies).map(([what, claims]): [string, Answer] => [
        `a token ${what}`,
        async (response) => response.end(await signed(claims(provider.issuer))),
      ]),
    ),
    "a token signed with a key of nobody": async (response) => response.end(await signed(good, second)),
    "no token": (response) => response.end("hello"),
    nothing: (response) => response.end(),
    "an error": (response) => response.writeHead(500).end("a.b.c"),
    "a redirect": (response) => response.writeHead(302, { location: provider.issuer }).end(),
    "too much": (response) => response.end("a".repeat(1024 * 1024)),
    "a broken connection": (response) => response.destroy(),
  }
  for (const [what, one] of Object.entries(answers)) {
    answer = one
    expect([what, await ask(provider, groups)]).toEqual([what, refused])
  }
  answer = async (response) => response.end(await signed(good))
  expect(await ask(provider, groups)).toBe("jane (a, system:authenticated)")
})

test("groups may be signed by another provider, which is asked for its keys", async () => {
  const other = await startProvider()
  other.keys = [second]
  const started = await startWithGroups(async (response) =>
    response.end(await signed({ iss: other.issuer, aud: "cluster", exp: 4e9, groups: ["x"] }, second)),
  )
  expect(await started.ask(started.provider, started.groups)).toBe("jane (x, system:authenticated)")
})

test("an endpoint that does not answer ends with its time", async () => {
  let begun = false
  const { server, ask, provider, groups } = await startWithGroups(() => {
    begun = true
  })
  const asked = ask(provider, groups)
  await expect.poll(() => begun).toBe(true)
  server.clock.advance(providerTimeoutMs)
  expect(await asked).toBe(refused)
})

test("look-ups are measured by issuer and result", async () => {
  const one = await startProvider()
  const { ask, ready, metrics } = await startWith(configOf(issuerOf(one)))
  await ready(one)
  await ask(one)
  await ask(one, { aud: "other" })
  const text = await metrics()
  const count = (name: string, labels: string): string | undefined => new RegExp(`^${name}\\{${labels}\\} (.*)$`, "m").exec(text)?.[1]
  const hash = 'jwt_issuer_hash="sha256:[0-9a-f]{64}"'
  const latency = "apiserver_authentication_jwt_authenticator_latency_seconds_count"
  expect([count(latency, `result="success",${hash}`), count(latency, `result="failure",${hash}`)]).toEqual(["1", "1"])
  // The administrator asks for the metrics.
  expect([count("authentication_attempts", 'result="success"'), count("authentication_attempts", 'result="error"')]).toEqual(["2", "1"])
  expect([count("authenticated_user_requests", 'username="other"'), count("authenticated_user_requests", 'username="admin"')]).toEqual([
    "1",
    "1",
  ])
  expect(count("authentication_duration_seconds_bucket", 'result="error",le="16.384"')).toBe("1")
  expect([
    count("authentication_token_cache_fetch_total", 'status="ok"'),
    count("authentication_token_cache_active_fetch_count", 'status="in_flight"'),
  ]).toEqual([expect.stringMatching(/^[1-9]/), "0"])
})

test.each<readonly [Partial<Options>, RegExp]>([
  [{ "authentication-config": "/nowhere" }, /^--authentication-config: \/nowhere: ENOENT/],
  [{ "authentication-config": "x", "oidc-issuer-url": "https://x" }, /^--authentication-config and --oidc-issuer-url exclude each other/],
  [{ "authentication-config": "x", "oidc-required-claim": { a: "b" } }, /^--authentication-config and --oidc-required-claim exclude/],
  [
    { "authentication-config": "x", "feature-gates": { StructuredAuthenticationConfiguration: false } },
    /needs --feature-gates=StructuredAuthenticationConfiguration=true/,
  ],
])("the start fails with %j", async (options, why) => {
  await expect(startServerWith(options)).rejects.toThrow(why)
})
