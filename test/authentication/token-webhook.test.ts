/** Tokens that a web hook knows: a real HTTPS server, which also fails and lies. */
import { writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { Options } from "../../runtime/options/table.ts"
import { hookAuthority, hookKubeconfig, type HookReply, startWebHook, type WebHook } from "../support/web-hook.ts"
import { connectTo, refused, startServerWith, testFolder, userOf } from "./server.ts"

const minute = 60_000

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] }
}

async function startWith(hook: Pick<WebHook<Review>, "kubeconfig">, options: Partial<Options> = {}, user: object = {}) {
  const file = testFolder()
  const path = file("hook.kubeconfig", hook.kubeconfig(user))
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
const knows: HookReply<Review> = ({ spec }) => (spec.token === "good" ? { authenticated: true, user: jane } : { authenticated: false })

test.each(["v1", "v1beta1"] as const)("the hook names the user of a token, asked with %s", async (version) => {
  const hook = await startWebHook(knows)
  const { ask, full } = await startWith(hook, { "authentication-token-webhook-version": version }, { token: "of-server" })
  expect((await full("good")).body.status?.userInfo).toEqual({ ...jane, groups: ["dev", "system:authenticated"] })
  expect([await ask("bad"), await ask("bob-token")]).toEqual([refused, "bob (system:authenticated)"])
  // The server's audiences are the issuer of its own tokens, unless an option names others.
  const audiences = ["https://kubernetes.default.svc.cluster.local"]
  expect(hook.reviews.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
    [`authentication.k8s.io/${version}`, { token: "good", audiences }],
    [`authentication.k8s.io/${version}`, { token: "bad", audiences }],
  ])
  expect(hook.requests[0]?.headers.authorization).toBe("Bearer of-server")
})

test("a changed kubeconfig leads to another hook, and a wrong one to the same", async () => {
  const [first, second] = [await startWebHook(knows), await startWebHook(knows)]
  const { server, ask, path } = await startWith(first, { "authentication-token-webhook-cache-ttl": 0 })
  const count = (): readonly number[] => [first.reviews.length, second.reviews.length]
  writeFileSync(path, second.kubeconfig().replace("https://", "http://"))
  await server.untilRead(() => server.log.some((line) => line.includes("cannot be used: server must be an https address")))
  expect([await ask("good"), count()]).toEqual(["jane (dev, system:authenticated)", [1, 0]])
  writeFileSync(path, second.kubeconfig({ token: "of-server" }))
  await server.untilRead(() => server.log.some((line) => line.includes("the changed file was taken up")))
  expect([await ask("good"), count()]).toEqual(["jane (dev, system:authenticated)", [1, 1]])
  expect(second.requests[0]?.headers.authorization).toBe("Bearer of-server")
})

test("answers are kept for a while, users and refusals, and a look-up is shared; errors are not kept", async () => {
  let isBroken = false
  const hook = await startWebHook<Review>((review, response, ...others) => {
    if (!isBroken) return knows(review, response, ...others)
    response.writeHead(403).end("no")
    return undefined
  })
  const { server, ask } = await startWith(hook, { "authentication-token-webhook-cache-ttl": 2 * minute })
  await Promise.all([ask("good"), ask("good"), ask("bad"), ask("bad")])
  expect(hook.reviews.length).toBe(2)
  server.clock.advance(2 * minute - 1)
  expect([await ask("good"), await ask("bad"), hook.reviews.length]).toEqual(["jane (dev, system:authenticated)", refused, 2])
  isBroken = true
  server.clock.advance(1)
  expect([await ask("good"), await ask("good"), hook.reviews.length]).toEqual([refused, refused, 4])
  isBroken = false
  expect([await ask("good"), hook.reviews.length]).toEqual(["jane (dev, system:authenticated)", 5])
  expect(server.log.join("\n")).toMatch(/the web hook cannot be asked/)
})

test("a hook that fails for a moment is asked again, five times at most", async () => {
  let failures = 2
  const hook = await startWebHook<Review>((review, response, ...others) => {
    if (failures-- <= 0) return knows(review, response, ...others)
    response.writeHead(500).end("broken")
    return undefined
  })
  const { server, ask } = await startWith(hook)
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
  expect([await answered("good"), hook.reviews.length]).toEqual(["jane (dev, system:authenticated)", 3])
  failures = 100
  expect([await answered("other"), hook.reviews.length]).toEqual([refused, 8])
})

test("a hook that does not answer is given up after 30 seconds, and one that is down at once", async () => {
  const hook = await startWebHook<Review>(() => undefined)
  const { server, ask } = await startWith(hook)
  const asking = ask("good")
  await expect.poll(() => hook.reviews.length).toBe(1)
  server.clock.advance(30_000)
  expect(await asking).toBe(refused)
  await hook.stop()
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
  const hook = await startWebHook<Review>((review, response) => {
    response.end(JSON.stringify(lie(review)))
    return undefined
  })
  const { ask } = await startWith(hook)
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
  const hook = await startWebHook<Review>(() => ({ authenticated: true, user: jane, ...more }))
  const { ask } = await startWith(hook, { "api-audiences": ["api", "api2"] })
  expect(await ask("good")).toBe(user)
  expect(hook.reviews[0]?.spec.audiences).toEqual(["api", "api2"])
})

const kubeconfig = (user: object = {}): string =>
  hookKubeconfig({ server: "https://127.0.0.1:1/review", authority: hookAuthority.certificate, user })

test.each([
  ["{", /^--authentication-token-webhook-config-file: .*hook\.kubeconfig: /],
  ["{}", /current-context must name a context/],
  [kubeconfig().replace("https:", "http:"), /server must be an https address, found "http:/],
  [kubeconfig({ exec: { command: "x" } }), /exec is not supported: give the user a token/],
  [kubeconfig({ "client-certificate-data": "AA" }), /client-certificate and client-key go together/],
  [kubeconfig({ tokenFile: "none" }), /ENOENT/],
  [kubeconfig().replace('"context":{"cluster":"c"', '"context":{"cluster":"d"'), /clusters has no entry "d"/],
])("the start fails for the file %j", async (text, why) => {
  const path = testFolder()("hook.kubeconfig", text)
  await expect(startServerWith({ "authentication-token-webhook-config-file": path })).rejects.toThrow(why)
})
