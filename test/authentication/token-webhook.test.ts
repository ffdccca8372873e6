/** Tokens that a web hook knows: a real HTTPS server, which also fails and lies. */
import { writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import type { Options } from "../../runtime/options/table.ts"
import { type Backend, startBackend } from "../support/backend.ts"
import { createTestAuthority } from "../support/certificates.ts"
import { connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

const authority = await createTestAuthority("hooks")
const pair = { ...(await authority.issue()), authority: authority.certificate }
const minute = 60_000

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] }
}

type Reply = (review: Review, response: ServerResponse, asked: number) => object | undefined

/** A web hook that answers with a status, or writes an answer of its own and returns undefined. */
async function startHook(reply: Reply): Promise<{ backend: Backend; reviews: Review[]; heads: IncomingMessage["headers"][] }> {
  const reviews: Review[] = []
  const heads: IncomingMessage["headers"][] = []
  const backend = await startBackend({
    pair,
    answer(request, response) {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const review = JSON.parse(Buffer.concat(chunks).toString()) as Review // The server's own.
        reviews.push(review)
        heads.push(request.headers)
        const status = reply(review, response, reviews.length)
        if (status !== undefined) response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, status }))
      })
    },
  })
  onTestFinished(() => backend.stop())
  return { backend, reviews, heads }
}

function configOf(port: number, user: object = {}): string {
  const cluster = {
    server: `https://127.0.0.1:${port}/review`,
    "certificate-authority-data": Buffer.from(authority.certificate).toString("base64"),
  }
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  })
}

async function startWith(backend: Pick<Backend, "port">, options: Partial<Options> = {}, user: object = {}) {
  const file = testFolder()
  const path = file("hook.kubeconfig", configOf(backend.port, user))
  const server = await startServerWith({
    "authentication-token-webhook-config-file": path,
    "token-auth-file": file("tokens.csv", "bob-token,bob,bob-uid\n"),
    ...options,
  })
  const connection = connectTo(server, { protocol: "http2" })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const ask = async (token: string): Promise<string> => userOf(await connection.whoAmI(bearer(token)))
  return { server, connection, ask, path, full: (token: string) => connection.whoAmI(bearer(token)) }
}

const jane = { username: "jane", uid: "1", groups: ["dev"], extra: { scopes: ["a", "b"] } }
const knows: Reply = ({ spec }) => (spec.token === "good" ? { authenticated: true, user: jane } : { authenticated: false })

test.each(["v1", "v1beta1"] as const)("the hook names the user of a token, asked with %s", async (version) => {
  const { backend, reviews, heads } = await startHook(knows)
  const { ask, full } = await startWith(backend, { "authentication-token-webhook-version": version }, { token: "of-server" })
  expect((await full("good")).body.status?.userInfo).toEqual({ ...jane, groups: ["dev", "system:authenticated"] })
  expect([await ask("bad"), await ask("bob-token")]).toEqual([refused, "bob (system:authenticated)"])
  // Those of the server are the issuer of its own tokens, unless an option names others.
  const audiences = ["https://kubernetes.default.svc.cluster.local"]
  expect(reviews.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
    [`authentication.k8s.io/${version}`, { token: "good", audiences }],
    [`authentication.k8s.io/${version}`, { token: "bad", audiences }],
  ])
  expect(heads[0]?.authorization).toBe("Bearer of-server")
})

test("a changed kubeconfig leads to another hook, and a wrong one to the same", async () => {
  const [first, second] = [await startHook(knows), await startHook(knows)]
  const { server, ask, path } = await startWith(first.backend, { "authentication-token-webhook-cache-ttl": 0 })
  const count = (): readonly number[] => [first.reviews.length, second.reviews.length]
  writeFileSync(path, configOf(second.backend.port).replace("https://", "http://"))
  await server.untilRead(() => server.log.some((line) => line.includes("cannot be used: server must be an https address")))
  expect([await ask("good"), count()]).toEqual(["jane (dev, system:authenticated)", [1, 0]])
  writeFileSync(path, configOf(second.backend.port, { token: "of-server" }))
  await server.untilRead(() => server.log.some((line) => line.includes("the changed file was taken up")))
  expect([await ask("good"), count()]).toEqual(["jane (dev, system:authenticated)", [1, 1]])
  expect(second.heads[0]?.authorization).toBe("Bearer of-server")
})

test("answers are kept for a while, users and refusals, and a look-up is shared; errors are not kept", async () => {
  let isBroken = false
  const { backend, reviews } = await startHook((review, response, asked) => {
    if (!isBroken) return knows(review, response, asked)
    response.writeHead(403).end("no")
    return undefined
  })
  const { server, ask } = await startWith(backend, { "authentication-token-webhook-cache-ttl": 2 * minute })
  await Promise.all([ask("good"), ask("good"), ask("bad"), ask("bad")])
  expect(reviews.length).toBe(2)
  server.clock.advance(2 * minute - 1)
  expect([await ask("good"), await ask("bad"), reviews.length]).toEqual(["jane (dev, system:authenticated)", refused, 2])
  isBroken = true
  server.clock.advance(1)
  expect([await ask("good"), await ask("good"), reviews.length]).toEqual([refused, refused, 4])
  isBroken = false
  expect([await ask("good"), reviews.length]).toEqual(["jane (dev, system:authenticated)", 5])
  expect(server.log.join("\n")).toMatch(/the web hook cannot be asked/)
})

test("a hook that fails for a moment is asked again, five times at most", async () => {
  let failures = 2
  const { backend, reviews } = await startHook((review, response, asked) => {
    if (failures-- <= 0) return knows(review, response, asked)
    response.writeHead(500).end("broken")
    return undefined
  })
  const { server, ask } = await startWith(backend)
  const answered = async (token: string): Promise<string> => {
    const asking = ask(token)
    let isDone = false
    void asking.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve))
      server.clock.advance(100)
    }
    return asking
  }
  expect([await answered("good"), reviews.length]).toEqual(["jane (dev, system:authenticated)", 3])
  failures = 100
  expect([await answered("other"), reviews.length]).toEqual([refused, 8])
})

test("a hook that does not answer is given up after 30 seconds, and one that is down at once", async () => {
  const { backend, reviews } = await startHook(() => undefined)
  const { server, ask } = await startWith(backend)
  const asking = ask("good")
  await expect.poll(() => reviews.length).toBe(1)
  server.clock.advance(30_000)
  expect(await asking).toBe(refused)
  await backend.stop()
  expect([await ask("good"), await ask("bob-token")]).toEqual([refused, "bob (system:authenticated)"])
})

const lies: readonly (readonly [string, (review: Review) => unknown])[] = [
  ["another kind", ({ apiVersion }) => ({ apiVersion, kind: "SubjectAccessReview", status: { authenticated: true, user: jane } })],
  ["another version", () => ({ apiVersion: "authentication.k8s.io/v9", kind: "TokenReview", status: { authenticated: true, user: jane } })],
  ["no status", ({ apiVersion, kind }) => ({ apiVersion, kind })],
  ["a list", () => []],
  ["no user", ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: true } })],
  [
    "a user without a name",
    ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: true, user: { groups: ["system:masters"] } } }),
  ],
  [
    "groups that are no list",
    ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: true, user: { ...jane, groups: "dev" } } }),
  ],
  ["groups of numbers", ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: true, user: { ...jane, groups: [1] } } })],
  ["a text for true", ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: "true", user: jane } })],
  ["a user and an error", ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: false, error: "locked", user: jane } })],
  [
    "a user that is too long",
    ({ apiVersion, kind }) => ({ apiVersion, kind, status: { authenticated: true, user: { username: "a".repeat(70_000) } } }),
  ],
]
test("lies name no user", async () => {
  let lie: (review: Review) => unknown = () => ({})
  const { backend } = await startHook((review, response) => {
    response.end(JSON.stringify(lie(review)))
    return undefined
  })
  const { ask } = await startWith(backend)
  for (const [name, made] of lies) {
    lie = made
    expect([name, await ask(`token of ${name}`.replaceAll(" ", "-"))]).toEqual([name, refused])
  }
})

test.each([
  ["none", {}, "jane (dev, system:authenticated)"],
  ["one of the server's", { audiences: ["other", "api"] }, "jane (dev, system:authenticated)"],
  ["those of others", { audiences: ["other"] }, refused],
])("a token must be for the server; its audiences are %s", async (_what, more, user) => {
  const { backend, reviews } = await startHook(() => ({ authenticated: true, user: jane, ...more }))
  const { ask } = await startWith(backend, { "api-audiences": ["api", "api2"] })
  expect(await ask("good")).toBe(user)
  expect(reviews[0]?.spec.audiences).toEqual(["api", "api2"])
})

test.each([
  ["{", /^--authentication-token-webhook-config-file: .*hook\.kubeconfig: /],
  ["{}", /current-context must name a context/],
  [configOf(1).replace("https:", "http:"), /server must be an https address, found "http:/],
  [configOf(1, { exec: { command: "x" } }), /exec is not supported: give the user a token/],
  [configOf(1, { "client-certificate-data": "AA" }), /client-certificate and client-key go together/],
  [configOf(1, { tokenFile: "none" }), /ENOENT/],
  [configOf(1).replace('"context":{"cluster":"c"', '"context":{"cluster":"d"'), /clusters has no entry "d"/],
])("the start fails for the file %j", async (text, why) => {
  const path = testFolder()("hook.kubeconfig", text)
  await expect(startServerWith({ "authentication-token-webhook-config-file": path })).rejects.toThrow(why)
})
