/** Tokens of service accounts and of Secrets over HTTP: from the request for one to its end. */
import { decodeJwt } from "jose"
import { describe, expect, it, onTestFinished } from "vitest"
import { signingKeyIn } from "../runtime/authn/service-accounts/keys.ts"
import { isObject, type JsonObject } from "../runtime/base/json.ts"
import { inProcessClient } from "../runtime/client/in-process-client.ts"
import { accountTokens, privateKeyPem, tokenOfSecret } from "./support/account-keys.ts"
import { createHttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

type Answer = { readonly status: number; readonly body: JsonObject; readonly warning: string | undefined }
type Ask = (method: string, path: string, body?: JsonObject, token?: string) => Promise<Answer>

const accounts = "/api/v1/namespaces/default/serviceaccounts"
const pods = "/api/v1/namespaces/default/pods"

interface Served {
  readonly running: InProcess
  readonly ask: Ask
  readonly metrics: () => Promise<string>
}

async function serverWith(more: Parameters<typeof accountTokens>[0] = {}): Promise<Served> {
  const running = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    serviceAccounts: accountTokens(more),
    bootstrapTokens: true,
  })
  const client = createHttpClient({ protocol: "http2", port: running.port, authority: running.authority })
  onTestFinished(async () => {
    client.close()
    await running.stop()
  })
  const ask: Ask = async (method, path, body, token = running.token) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const answer = await client.send({ method, path, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) })
    const warning = answer.headers.warning
    return {
      status: answer.status,
      body: JSON.parse(answer.body.toString("utf8")),
      warning: warning === undefined ? undefined : String(warning),
    }
  }
  expect((await ask("POST", accounts, { metadata: { name: "a" } })).status).toBe(201)
  const metrics = async (): Promise<string> =>
    (await client.send({ method: "GET", path: "/metrics", headers: { authorization: `Bearer ${running.token}` } })).body.toString()
  return { running, ask, metrics }
}

/** The token of an answer, and its claims. */
function tokenIn({ status, body }: Answer): { readonly token: string; readonly says: JsonObject } {
  expect([status, body.kind, body.apiVersion]).toEqual([201, "TokenRequest", "authentication.k8s.io/v1"])
  const token = isObject(body.status) ? String(body.status.token) : ""
  return { token, says: decodeJwt<JsonObject>(token) }
}

async function whoIs(ask: Ask, token: string): Promise<Answer> {
  return ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, token)
}

describe("a token that is asked for", () => {
  it("is that of the account until it or its time ends", async () => {
    const { running, ask } = await serverWith()
    const answer = await ask("POST", `${accounts}/a/token`, { spec: { expirationSeconds: 600 } })
    expect(answer.body).toMatchObject({
      metadata: { name: "a", namespace: "default" },
      spec: { audiences: ["https://issuer.example.com"] },
    })
    const { token, says } = tokenIn(answer)
    expect(says).toMatchObject({ sub: "system:serviceaccount:default:a", aud: ["https://issuer.example.com"] })
    expect(Number(says.exp) - Number(says.iat)).toBe(600)
    expect((await whoIs(ask, token)).body.status).toMatchObject({ userInfo: { username: "system:serviceaccount:default:a" } })
    running.clock.advance(661_000)
    expect((await whoIs(ask, token)).status).toBe(401)
    const { token: second } = tokenIn(await ask("POST", `${accounts}/a/token`, {}))
    expect((await whoIs(ask, second)).status).toBe(201)
    await ask("DELETE", `${accounts}/a`)
    running.clock.advance(10_000)
    expect((await whoIs(ask, second)).status).toBe(401)
  })

  it("is asked for in the place of its account", async () => {
    const { ask } = await serverWith()
    const asked = (metadata: JsonObject, account = "a") =>
      ask("POST", `${accounts}/${account}/token`, { metadata, spec: { audiences: [] } })
    const elsewhere = { message: expect.stringMatching(/^the namespace of the provided object does not match the namespace sent/) }
    const other =
      'TokenRequest.authentication.k8s.io "a" is invalid: metadata.name: Invalid value: "b": must match the service account name if specified'
    expect(await asked({ namespace: "other" })).toMatchObject({ status: 400, body: elsewhere })
    expect(await asked({ name: "b", namespace: "other" })).toMatchObject({ status: 400, body: elsewhere })
    expect(await asked({ namespace: "other" }, "none")).toMatchObject({ status: 400, body: elsewhere })
    expect(await asked({ name: "b" })).toMatchObject({ status: 422, body: { message: other } })
    expect((await asked({ name: "b" }, "none")).status).toBe(422)
    expect((await asked({ name: "none" }, "none")).status).toBe(404)
    expect((await asked({ name: "a", namespace: "default" })).status).toBe(201)
  })

  it("for others is refused here, and known to a review that names them", async () => {
    const { ask } = await serverWith()
    const { token } = tokenIn(await ask("POST", `${accounts}/a/token`, { spec: { audiences: ["vault"] } }))
    expect((await whoIs(ask, token)).status).toBe(401)
    const review = async (audiences: readonly string[]): Promise<unknown> =>
      (await ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences: [...audiences] } })).body.status
    expect(await review(["vault", "other"])).toMatchObject({ authenticated: true, audiences: ["vault"] })
    expect(await review([])).toMatchObject({ error: expect.stringMatching(/audiences \["vault"\] is invalid/) })
  })

  it("may be bound to a pod of the account, and lives a year for kubelets", async () => {
    const { ask } = await serverWith()
    const container = { name: "c", image: "i" }
    const podOf = (name: string, serviceAccountName: string): JsonObject => ({
      metadata: { name },
      spec: { serviceAccountName, containers: [container], nodeName: "n" },
    })
    await ask("POST", pods, podOf("q", "b"))
    const { metadata } = (await ask("POST", pods, podOf("p", "a"))).body
    const uid = isObject(metadata) ? String(metadata.uid) : ""
    const bound = (reference: JsonObject): Promise<Answer> =>
      ask("POST", `${accounts}/a/token`, {
        spec: { expirationSeconds: 3607, boundObjectRef: { apiVersion: "v1", kind: "Pod", ...reference } },
      })
    const { says } = tokenIn(await bound({ name: "p", uid }))
    expect(Number(says.exp) - Number(says.iat)).toBe(31_536_000)
    expect(says["kubernetes.io"]).toMatchObject({ pod: { name: "p", uid }, node: { name: "n" }, warnafter: Number(says.iat) + 3607 })
    expect(await bound({ name: "p", uid: "other" })).toMatchObject({ status: 409 })
    expect(await bound({ name: "q" })).toMatchObject({ status: 400 })
    expect(await bound({ name: "missing" })).toMatchObject({ status: 404 })
    expect(await bound({ name: "p", kind: "Node" })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^cannot bind token to a Node object as the "ServiceAccountTokenNodeBinding" feature-gate/) },
    })
  })

  it.each<[string, JsonObject, readonly [JsonObject?]]>([
    ["bound to nothing", {}, []],
    ["bound to a Secret", { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s" } }, [{ secret: { name: "s" } }]],
    ["bound to a pod for another time", { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" }, expirationSeconds: 3608 }, []],
    ["bound to a pod for others", { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" }, audiences: ["vault"] }, []],
  ])("lives as long as it is asked for: %s", async (_what, spec, [privateClaims = {}]) => {
    const { ask } = await serverWith()
    await ask("POST", pods, { metadata: { name: "p" }, spec: { serviceAccountName: "a", containers: [{ name: "c", image: "i" }] } })
    await ask("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" } })
    const asked = { expirationSeconds: 3607, ...spec }
    const { says } = tokenIn(await ask("POST", `${accounts}/a/token`, { spec: asked }))
    expect(Number(says.exp) - Number(says.iat)).toBe(asked.expirationSeconds)
    expect(says["kubernetes.io"]).toMatchObject(privateClaims)
    expect(says["kubernetes.io"]).not.toHaveProperty("warnafter")
  })

  it("for longer than the limit is shortened, with a warning", async () => {
    const { ask } = await serverWith({ maxSeconds: 3600 })
    const answer = await ask("POST", `${accounts}/a/token`, { spec: { expirationSeconds: 7200 } })
    const { says } = tokenIn(answer)
    expect(Number(says.exp) - Number(says.iat)).toBe(3600)
    expect(answer.warning).toMatch(/requested expiration of 7200 seconds shortened to 3600 seconds/)
  })

  it("is refused for wrong times, names and accounts", async () => {
    const { ask } = await serverWith()
    const asked = (body: JsonObject, name = "a"): Promise<Answer> => ask("POST", `${accounts}/${name}/token`, body)
    for (const [expirationSeconds, why] of [
      [599, "may not specify a duration less than 10 minutes"],
      [2 ** 32 + 1, "may not specify a duration larger than 2^32 seconds"],
    ] as const)
      expect(await asked({ spec: { expirationSeconds } })).toMatchObject({
        status: 422,
        body: {
          message: `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${expirationSeconds}: ${why}`,
          details: { causes: [{ field: "spec.expirationSeconds" }] },
        },
      })
    for (const expirationSeconds of [600, 2 ** 32]) expect(await asked({ spec: { expirationSeconds } })).toMatchObject({ status: 201 })
    expect(await asked({ metadata: { name: "b" } })).toMatchObject({ status: 422 })
    expect(await asked({ metadata: { namespace: "other" } })).toMatchObject({ status: 400 })
    expect(await asked({}, "missing")).toMatchObject({ status: 404 })
    expect(await ask("GET", `${accounts}/a/token`)).toMatchObject({ status: 405 })
  })

  it("comes from operations in the process too", async () => {
    const { running } = await serverWith()
    const client = inProcessClient(running.server.parts, { name: "admin", groups: ["system:masters"], extra: {} })
    const place = { group: "", version: "v1", resource: "serviceaccounts", subresource: "token", namespace: "default", name: "a" }
    expect(await client.post(place, { spec: { audiences: ["x"] } })).toMatchObject({ status: { token: expect.stringMatching(/^ey/) } })
  })
})

describe("a token of a Secret", () => {
  const secrets = "/api/v1/namespaces/default/secrets"

  /** A Secret with a token of the account `a`, and the user of the token. */
  async function withSecret() {
    const signing = signingKeyIn(privateKeyPem())
    const { running, ask, metrics } = await serverWith({ keys: [signing], signing })
    const uidOf = ({ body }: Answer): string => (isObject(body.metadata) ? String(body.metadata.uid) : "")
    const uid = uidOf(await ask("GET", `${accounts}/a`))
    const token = await tokenOfSecret(signing, { namespace: "default", secret: "s", account: { name: "a", uid } })
    const metadata = { name: "s", annotations: { "kubernetes.io/service-account.name": "a" } }
    const secret = { metadata, type: "kubernetes.io/service-account-token", stringData: { token } }
    expect((await ask("POST", secrets, secret)).status).toBe(201)
    const read = async (): Promise<JsonObject> => {
      const { body } = await ask("GET", `${secrets}/s`)
      return isObject(body.metadata) ? body.metadata : {}
    }
    /** Resolves with the metadata once the server has written the label of this day. */
    const labelled = async (day: string): Promise<JsonObject> => {
      for (;;) {
        const found = await read()
        if (isObject(found.labels) && found.labels["kubernetes.io/legacy-token-last-used"] === day) return found
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return { running, ask, token, secret, read, labelled, metrics }
  }

  it("labels it with the day of its last use, and is counted", async () => {
    const { running, ask, token, read, labelled, metrics } = await withSecret()
    const who = await whoIs(ask, token)
    expect(who.body.status).toMatchObject({ userInfo: { username: "system:serviceaccount:default:a" } })
    expect(who.warning).toBeUndefined()
    const first = await labelled("2023-11-14")
    // The day is still the same.
    running.clock.advance(60_000)
    expect((await whoIs(ask, token)).status).toBe(201)
    running.clock.advance(86_400_000)
    expect((await read()).resourceVersion).toBe(first.resourceVersion)
    await whoIs(ask, token)
    await labelled("2023-11-15")
    const counts = (await metrics()).match(/^serviceaccount_\S+ [1-9].*/gm)
    expect(counts).toEqual(["serviceaccount_legacy_manual_token_uses_total 3", "serviceaccount_legacy_tokens_total 3"])
  })

  it("that the control plane has made warns its clients, from a kept answer too", async () => {
    const { ask, token } = await withSecret()
    expect((await ask("PUT", `${accounts}/a`, { metadata: { name: "a" }, secrets: [{ name: "s" }] })).status).toBe(200)
    for (const { warning } of [await whoIs(ask, token), await whoIs(ask, token)]) expect(warning).toMatch(/TokenRequest API/)
  })

  it("is refused once it is marked, and labelled all the same", async () => {
    const { ask, token, secret, labelled } = await withSecret()
    const labels = { "kubernetes.io/legacy-token-invalid-since": "2023-01-01" }
    expect((await ask("PUT", `${secrets}/s`, { ...secret, metadata: { ...secret.metadata, labels } })).status).toBe(200)
    expect((await whoIs(ask, token)).status).toBe(401)
    await labelled("2023-11-14")
  })
})

it("the documents of the issuer name its keys", async () => {
  const { ask } = await serverWith()
  const { body } = await ask("GET", "/.well-known/openid-configuration")
  expect(body).toMatchObject({ issuer: "https://issuer.example.com", id_token_signing_alg_values_supported: ["ES256"] })
  expect(new URL(String(body.jwks_uri)).pathname).toBe("/openid/v1/jwks")
  const keys = await ask("GET", "/openid/v1/jwks")
  expect(keys.body.keys).toEqual([expect.objectContaining({ use: "sig", alg: "ES256", kty: "EC", kid: expect.any(String) })])
  expect(JSON.stringify(keys.body)).not.toContain('"d"')
  const index = await ask("GET", "/")
  expect(index.body.paths).toEqual(expect.arrayContaining(["/.well-known/openid-configuration", "/openid/v1/jwks"]))
})

it("an issuer that is no https URL has no documents", async () => {
  const { ask } = await serverWith({ issuers: ["issuer"] })
  expect(await ask("GET", "/.well-known/openid-configuration")).toMatchObject({ status: 404 })
  const index = await ask("GET", "/")
  expect(JSON.stringify(index.body.paths)).not.toMatch(/openid-configuration|jwks/)
})

it("a bootstrap token is that of its Secret, until it is deleted", async () => {
  const { running, ask } = await serverWith()
  const secrets = "/api/v1/namespaces/kube-system/secrets"
  const stringData = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" }
  await ask("POST", secrets, { metadata: { name: "bootstrap-token-abcdef" }, type: "bootstrap.kubernetes.io/token", stringData })
  const who = await whoIs(ask, "abcdef.0123456789abcdef")
  expect(who.body.status).toMatchObject({ userInfo: { username: "system:bootstrap:abcdef" } })
  expect((await whoIs(ask, "abcdef.0123456789abcdee")).status).toBe(401)
  await ask("DELETE", `${secrets}/bootstrap-token-abcdef`)
  running.clock.advance(10_000)
  expect((await whoIs(ask, "abcdef.0123456789abcdef")).status).toBe(401)
})
