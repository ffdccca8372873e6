/** `--authorization-config` with web hooks, which are real HTTPS servers, and the file of ABAC; both change. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { JsonObject } from "../runtime/base/json.ts"
import type { Options } from "../runtime/options/table.ts"
import { startServerWith } from "./authentication/server.ts"
import { createHttpClient } from "./support/http-client.ts"
import { startWebHook, type WebHook } from "./support/web-hook.ts"

interface Review {
  readonly apiVersion: string
  readonly spec: { readonly user: string; readonly resourceAttributes?: { readonly resource: string; readonly verb: string } }
}

/** `status`: the web hook's answer; undefined for an error. */
function startHook(status: (review: Review) => JsonObject | undefined): Promise<WebHook<Review>> {
  return startWebHook<Review>((review, response) => {
    const answer = status(review)
    if (answer === undefined) response.writeHead(403).end("broken")
    return answer
  })
}

const users = ["alice", "bob", "carol"]

async function startWith(options: (file: (name: string, text: string) => string) => Partial<Options>) {
  const folder = mkdtempSync(join(tmpdir(), "authz-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const tokens = users.map((name) => `${name}-token,${name},${name}-uid\n`).join("")
  const server = await startServerWith({ "token-auth-file": file("tokens.csv", tokens), ...options(file) })
  const client = createHttpClient({ protocol: "http2", port: server.port, authority: server.authority })
  onTestFinished(() => client.close())
  const get = async (user: string, path: string): Promise<number> => {
    const headers: Record<string, string> = user === "" ? {} : { authorization: `Bearer ${user}-token` }
    return (await client.send({ method: "GET", path, headers })).status
  }
  const send = async (user: string, path: string, object: object): Promise<[number, string]> => {
    const headers = { authorization: `Bearer ${user}-token`, "content-type": "application/json" }
    const { status, body } = await client.send({ method: "POST", path, headers, body: Buffer.from(JSON.stringify(object)) })
    return [status, body.toString()]
  }
  /** Resolves when the file was read again, and `text` was logged once more. */
  const change = async (name: string, next: string, text: string): Promise<void> => {
    const said = (): number => server.log.filter((line) => line.includes(text)).length
    const before = said()
    file(name, next)
    await server.untilRead(() => said() > before)
  }
  return { server, get, send, file, change }
}

const webhook = (kubeConfigFile: string, more: object = {}): object => ({
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "NoOpinion",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
  ...more,
})
const when = (...expressions: readonly string[]): object => ({
  matchConditionSubjectAccessReviewVersion: "v1",
  matchConditions: expressions.map((expression) => ({ expression })),
})
const configOf = (...authorizers: readonly object[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthorizationConfiguration", authorizers })

const taken = "--authorization-config: the changed file was taken up"
const notTaken = "has changed and cannot be used"
const pods = "/api/v1/namespaces/default/pods"
const secrets = "/api/v1/namespaces/default/secrets"

test("authorizers decide in their order, each about what its conditions let through", async () => {
  const guard = await startHook(({ spec }) => ({ allowed: false, denied: spec.user === "bob", reason: "guarded" }))
  const broken = await startHook(() => undefined)
  const main = await startHook(() => ({ allowed: true }))
  const { server, get } = await startWith((file) => ({
    "authorization-config": file(
      "authorization.yaml",
      configOf(
        {
          type: "Webhook",
          name: "guard",
          webhook: webhook(file("guard", guard.kubeconfig()), when("request.?resourceAttributes.resource.orValue('') == 'secrets'")),
        },
        {
          type: "Webhook",
          name: "broken",
          webhook: webhook(file("broken", broken.kubeconfig()), {
            failurePolicy: "Deny",
            ...when("request.user == 'carol'", "has(request.resourceAttributes)"),
          }),
        },
        {
          type: "Webhook",
          name: "main",
          webhook: webhook(file("main", main.kubeconfig()), { subjectAccessReviewVersion: "v1beta1" }),
        },
        { type: "AlwaysDeny", name: "last" },
      ),
    ),
  }))
  expect([await get("alice", pods), await get("alice", secrets), await get("bob", pods), await get("bob", secrets)]).toEqual([
    200, 200, 200, 403,
  ])
  // The authorizer denies since its web hook is broken, and the request fails.
  expect([await get("carol", pods), await get("carol", "/version")]).toEqual([500, 200])
  expect([await get("", "/livez"), await get("", pods)]).toEqual([200, 200])
  expect(guard.reviews.map(({ spec }) => `${spec.user} ${spec.resourceAttributes?.resource}`)).toEqual(["alice secrets", "bob secrets"])
  expect(new Set([...guard.reviews, ...broken.reviews].map(({ apiVersion }) => apiVersion))).toEqual(new Set(["authorization.k8s.io/v1"]))
  expect(main.reviews[0]?.apiVersion).toBe("authorization.k8s.io/v1beta1")
  const text = await server.metrics()
  const value = (name: string, labels: string): string | undefined => new RegExp(`^${name}\\{${labels}\\} (.*)$`, "m").exec(text)?.[1]
  const prefix = "apiserver_authorization"
  expect(value(`${prefix}_decisions_total`, 'type="Webhook",name="guard",decision="denied"')).toBe("1")
  expect(value(`${prefix}_decisions_total`, 'type="Webhook",name="broken",decision="denied"')).toBe("1")
  expect(value(`${prefix}_decisions_total`, 'type="Webhook",name="main",decision="allowed"')).toBe("6")
  expect(value(`${prefix}_match_condition_exclusions_total`, 'type="Webhook",name="guard"')).toBe("6")
  expect(value(`${prefix}_match_condition_evaluation_seconds_count`, 'type="Webhook",name="guard"')).toBe("8")
  expect(value(`${prefix}_webhook_evaluations_total`, 'name="broken",result="error"')).toBe("1")
  expect(value(`${prefix}_webhook_duration_seconds_bucket`, 'name="main",result="success",le="\\+Inf"')).toBe("6")
  const attempts = ["allowed", "denied", "error", "no-opinion"].map((result) => value("authorization_attempts_total", `result="${result}"`))
  // The administrator asks for the metrics.
  expect(attempts).toEqual(["7", "1", "1", "0"])
  expect(value("authorization_duration_seconds_count", 'result="error"')).toBe("1")
})

test("a changed file is taken up while requests run, and a wrong one is not", async () => {
  const one = await startHook(({ spec }) => ({ allowed: spec.user === "alice" }))
  const other = await startHook(({ spec }) => ({ allowed: spec.user !== "carol" }))
  const files = { one: "", other: "", config: "" }
  const { server, get, change } = await startWith((file) => {
    files.one = file("one", one.kubeconfig())
    files.other = file("other", other.kubeconfig())
    files.config = file("authorization.yaml", configOf({ type: "Webhook", name: "one", webhook: webhook(files.one) }))
    return { "authorization-config": files.config }
  })
  expect([await get("alice", pods), await get("bob", pods), await get("carol", pods)]).toEqual([200, 403, 403])
  let isRunning = true
  onTestFinished(() => {
    isRunning = false
  })
  const seen = new Set<number>()
  const running = (async () => {
    while (isRunning) seen.add(await get("alice", pods))
  })()
  const both = configOf(
    { type: "Webhook", name: "one", webhook: webhook(files.one) },
    { type: "Webhook", name: "other", webhook: webhook(files.other) },
  )
  await change("authorization.yaml", both, taken)
  expect([await get("bob", pods), await get("carol", pods)]).toEqual([200, 403])
  const wrong: readonly (readonly [string, string])[] = [
    ["{", "yaml: "],
    [configOf(), "authorizers: Required value: at least one authorization mode must be defined"],
    [configOf({ type: "RBAC", name: "rbac" }), "authorizers[0].type: RBAC was not there when the server started; restart it to use RBAC"],
    [configOf({ type: "AlwaysAllow", name: "all" }), "AlwaysAllow was not there when the server started"],
    [configOf({ type: "Webhook", name: "one", webhook: webhook(`${files.one}-not`) }), "error loading file: stat"],
    [configOf({ type: "Webhook", name: "one", webhook: webhook(files.config) }), "error loading config file"],
  ]
  for (const [text, fault] of wrong) {
    await change("authorization.yaml", text, notTaken)
    expect(server.log.findLast((line) => line.includes(notTaken))?.replaceAll('\\"', '"')).toContain(fault)
    expect([await get("alice", pods), await get("bob", pods), await get("carol", pods)]).toEqual([200, 200, 403])
  }
  await change("authorization.yaml", configOf({ type: "AlwaysDeny", name: "none" }), taken)
  expect(await get("bob", pods)).toBe(403)
  isRunning = false
  await running
  expect([...seen].filter((status) => status !== 200 && status !== 403)).toEqual([])
  const reloads = "apiserver_authorization_config_controller_automatic_reloads_total"
  const text = await server.metrics()
  expect(text).toMatch(new RegExp(`^${reloads}\\{status="success",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} 2$`, "m"))
  expect(text).toMatch(new RegExp(`^${reloads}\\{status="failure",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} ${wrong.length}$`, "m"))
})

test("a web hook that allows writes of roles does not let users grant more than they hold", async () => {
  const lifts = (verb: string, user: string): boolean => (verb === "escalate" || verb === "bind") && user !== "carol"
  const hook = await startHook(({ spec }) => ({ allowed: !lifts(spec.resourceAttributes?.verb ?? "", spec.user) }))
  const { send } = await startWith((file) => ({
    "authorization-mode": ["Webhook"],
    "authorization-webhook-config-file": file("hook", hook.kubeconfig()),
    "authorization-webhook-version": "v1",
  }))
  const group = "/apis/rbac.authorization.k8s.io/v1"
  const all = { metadata: { name: "all" }, rules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] }
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "all" }
  const binding = { metadata: { name: "all" }, roleRef, subjects: [] }
  expect(await send("alice", `${group}/clusterroles`, all)).toMatchObject([403, expect.stringContaining("not currently held")])
  expect((await send("carol", `${group}/clusterroles`, all))[0]).toBe(201)
  await expect
    .poll(() => send("alice", `${group}/clusterrolebindings`, binding))
    .toMatchObject([403, expect.stringContaining("not currently held")])
  expect((await send("carol", `${group}/clusterrolebindings`, binding))[0]).toBe(201)
})

test("the file of ABAC is read again when it changes", async () => {
  const allow = (user: string): string => `{"user":"${user}","readonly":true}\n`
  const { server, get, file, change } = await startWith((make) => ({
    "authorization-mode": ["ABAC"],
    "authorization-policy-file": make("policies", allow("alice")),
  }))
  expect([await get("alice", pods), await get("bob", pods)]).toEqual([200, 403])
  await change("policies", "{\n", notTaken)
  expect(server.log.findLast((line) => line.includes(notTaken))).toContain("line 1: ")
  expect([await get("alice", pods), await get("bob", pods)]).toEqual([200, 403])
  file("policies", allow("bob"))
  let statuses: readonly number[] = []
  await expect
    .poll(async () => {
      await server.untilRead(() => true)
      server.clock.advance(1000)
      statuses = [await get("alice", pods), await get("bob", pods)]
      return statuses
    })
    .toEqual([403, 200])
})

test.each<readonly [Partial<Options>, RegExp]>([
  [{ "authorization-config": "/nowhere" }, /^--authorization-config: \/nowhere: ENOENT/],
  [
    { "authorization-config": "x", "authorization-mode": ["AlwaysAllow"] },
    /^--authorization-config and --authorization-mode exclude each other/,
  ],
  [
    { "authorization-config": "x", "authorization-webhook-version": "v1" },
    /^--authorization-config and --authorization-webhook-version exclude/,
  ],
  [
    { "authorization-config": "x", "feature-gates": { StructuredAuthorizationConfiguration: false } },
    /needs --feature-gates=StructuredAuthorizationConfiguration=true/,
  ],
])("the start fails with %j", async (options, why) => {
  await expect(startServerWith(options)).rejects.toThrow(why)
})
