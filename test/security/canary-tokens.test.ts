/**
 * No credential is where it must not be (CVE-2019-11250 and its kin): tests use every sort in right and wrong ways,
 * then look for it in logs, audit, metrics, answers, stored data, the command line, reports and the text of a crash.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { Agent, request as httpsRequest } from "node:https"
import { join, relative } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../runtime/base/clock.ts"
import { connectEtcd } from "../../runtime/storage/etcd/connection.ts"
import { readRange } from "../../runtime/storage/etcd/ranges.ts"
import { pairFor } from "../support/backend.ts"
import { forNewestEtcd, startEtcd } from "../support/etcd.ts"
import { connectRaw } from "../support/raw-connection.ts"
import { type CanaryServer, secretFilesIn, startCanaryServer } from "./canary-server.ts"

interface Use {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string
  readonly certificate?: { readonly certificate: string; readonly key: string }
  /** Canaries that the answer returns to the client that asked for them. */
  readonly returns?: readonly string[]
}

interface Told {
  readonly status: number
  readonly body: string
}

const json = "application/json"
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
const secrets = "/api/v1/namespaces/default/secrets"
const accounts = "/api/v1/namespaces/default/serviceaccounts"
const base64 = (text: string): string => Buffer.from(text).toString("base64")

class Client {
  readonly found: string[] = []
  constructor(private readonly server: CanaryServer) {}

  /** Sends a request, as an administrator unless it has an `authorization`, and looks at all of the answer. */
  async use({ method = "GET", path = "/api/v1/namespaces", headers = {}, body, certificate, returns = [] }: Use): Promise<Told> {
    const { adminToken, authority, canaries, program } = this.server
    const agent = new Agent({ ca: authority, ...(certificate !== undefined && { cert: certificate.certificate, key: certificate.key }) })
    const all = { authorization: `Bearer ${adminToken}`, ...(body !== undefined && { "content-type": json }), ...headers }
    const told = await new Promise<Told & { head: string }>((resolve, reject) => {
      const outgoing = httpsRequest({ host: "127.0.0.1", port: program.port, agent, method, path, headers: all }, (incoming) => {
        let text = ""
        incoming.setEncoding("utf8").on("data", (piece: string) => {
          text += piece
        })
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, body: text, head: `${incoming.statusMessage} ${JSON.stringify(incoming.headers)}` }),
        )
        incoming.on("error", reject)
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })
    agent.destroy()
    this.found.push(...canaries.foundIn(`the answer ${told.status} to ${method} ${path.slice(0, 60)}`, told.head + told.body, returns))
    return told
  }

  /** Sends the bytes of a head, and looks at the head and the body of the answer. */
  async raw(name: string, ...lines: readonly string[]): Promise<number> {
    const connection = await connectRaw({ port: this.server.program.port, authority: this.server.authority })
    onTestFinished(() => void connection.socket.destroy())
    connection.send(...lines, "", "")
    const { status, headers, body } = await connection.answer()
    connection.socket.destroy()
    this.found.push(...this.server.canaries.foundIn(`the answer ${status} to ${name}`, JSON.stringify(headers) + body))
    return status
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Tokens as credentials, whole and damaged, in the right field and in others. */
async function useTokens(server: CanaryServer, client: Client): Promise<void> {
  const { canaries, ownToken } = server
  const unknown = canaries.make("an unknown token")
  expect((await client.use({ headers: bearer(ownToken) })).status).toBe(200)
  const wrong: readonly Use[] = [
    { headers: bearer(unknown) },
    { headers: { authorization: `Token ${canaries.make("a token of another scheme")}` } },
    { headers: { authorization: canaries.make("a token without a scheme") } },
    { headers: { authorization: `Bearer  ${canaries.make("a token behind two blanks")}` } },
    { headers: { authorization: `Bearer ${canaries.make("a token before another")}, Bearer ${canaries.make("the other token")}` } },
    { headers: { authorization: `Basic ${base64(`user:${canaries.make("a password")}`)}` } },
    { headers: { authorization: `Bearer ${base64(canaries.make("a token in base64"))}` } },
    { headers: { authorization: `Negotiate ${base64(canaries.make("a ticket"))}` } },
    { headers: bearer(`${canaries.make("a long token")}${"x".repeat(20_000)}`) },
    { headers: { ...bearer(unknown), cookie: `session=${canaries.make("a cookie")}; other=x` } },
    { headers: { ...bearer(unknown), "proxy-authorization": `Basic ${base64(`user:${canaries.make("a password for a proxy")}`)}` } },
    { headers: { ...bearer(unknown), "x-remote-user": "root", "x-remote-extra-key": canaries.make("an extra that nobody vouches for") } },
    { method: "POST", path: "/apis", headers: bearer(unknown), body: canaries.make("a body for no resource") },
  ]
  for (const use of wrong) await client.use(use)
  // Anonymous requests are on: a field without a bearer token is no credential.
  expect((await client.use({ headers: bearer(unknown) })).status).toBe(401)
}

/** Tokens that the server makes, or that Secrets have, and reviews of tokens. */
async function useAccounts(server: CanaryServer, client: Client): Promise<void> {
  const { canaries, accountToken } = server
  await client.use({ method: "POST", path: accounts, body: JSON.stringify({ metadata: { name: "bot" } }) })
  const account: { metadata: { uid: string } } = JSON.parse((await client.use({ path: `${accounts}/bot` })).body)
  const issued = async (name: string, spec: object): Promise<string> => {
    const answer = await client.use({ method: "POST", path: `${accounts}/bot/token`, body: JSON.stringify({ spec }) })
    expect(answer).toMatchObject({ status: 201 })
    const { status }: { status: { token: string } } = JSON.parse(answer.body)
    canaries.add(`the signature of ${name}`, status.token.split(".")[2] ?? "")
    return status.token
  }
  const good = await issued("an account's token", {})
  const other = await issued("a token for another audience", { audiences: ["vault"] })
  expect((await client.use({ headers: bearer(good), path: "/version" })).status).toBe(200)
  const [head, , signature] = good.split(".")
  const forged = `${head}.${Buffer.from('{"iss":"https://issuer.example.com","sub":"x"}').toString("base64url")}.${signature}`
  for (const token of [other, forged, good.slice(0, -1), `${good}x`]) await client.use({ headers: bearer(token) })
  const name = "system:serviceaccount:default:bot"
  const claim = (key: string): string => `kubernetes.io/serviceaccount/${key}`
  const claims = { sub: name, [claim("namespace")]: "default", [claim("secret.name")]: "legacy", [claim("service-account.name")]: "bot" }
  const legacy = await accountToken({ ...claims, [claim("service-account.uid")]: account.metadata.uid })
  canaries.add("the signature of a Secret's token", legacy.split(".")[2] ?? "")
  const annotations = { "kubernetes.io/service-account.name": "bot" }
  const secret = { metadata: { name: "legacy", annotations }, type: "kubernetes.io/service-account-token", stringData: { token: legacy } }
  const returns = ["the signature of a Secret's token"]
  expect((await client.use({ method: "POST", path: secrets, body: JSON.stringify(secret), returns })).status).toBe(201)
  expect((await client.use({ headers: bearer(legacy), path: "/version" })).status).toBe(200)
  const reviewed = [good, other, forged, legacy, canaries.make("a token of a review"), `${canaries.make("two words")} x`]
  for (const token of reviewed) {
    // An answer has the token itself, and the web hook's text, which repeats its own credential.
    const own = canaries.foundIn("", token).map((found) => found.replace(/^: (.*) \(.*\)$/, "$1"))
    const returned = [...own, "the token for the hook of tokens"]
    await client.use({ method: "POST", path: reviews, body: JSON.stringify({ spec: { token } }), returns: returned })
    // The body is no review, or the request is not allowed.
    await client.use({ method: "POST", path: reviews, body: JSON.stringify({ spec: { token, audiences: token } }) })
    await client.use({ method: "POST", path: reviews, body: JSON.stringify({ token: [token], spec: token }) })
    await client.use({ method: "POST", path: reviews, headers: { authorization: "" }, body: JSON.stringify({ spec: { token } }) })
    await client.use({ method: "POST", path: `${accounts}/bot/token`, body: JSON.stringify({ spec: { audiences: { token } } }) })
  }
}

/** Bootstrap tokens, ID tokens, and tokens among the protocols of a websocket. */
async function useOtherTokens(server: CanaryServer, client: Client): Promise<void> {
  const { canaries, idToken } = server
  const secret = canaries.make("a bootstrap token", /[a-z0-9]/g).slice(-16)
  canaries.add("the secret of the bootstrap token", secret)
  const stringData = { "token-id": "abcdef", "token-secret": secret, "usage-bootstrap-authentication": "true" }
  const body = JSON.stringify({ metadata: { name: "bootstrap-token-abcdef" }, type: "bootstrap.kubernetes.io/token", stringData })
  const returns = ["the secret of the bootstrap token"]
  await client.use({ method: "POST", path: "/api/v1/namespaces/kube-system/secrets", body, returns })
  expect((await client.use({ headers: bearer(`abcdef.${secret}`), path: "/version" })).status).toBe(200)
  for (const token of [`abcdee.${secret}`, `abcdef.${secret}x`, secret]) await client.use({ headers: bearer(token) })
  for (const audience of ["cluster", "other"]) {
    const token = await idToken(audience)
    canaries.add(`the signature of an ID token for ${audience}`, token.split(".")[2] ?? "")
    expect((await client.use({ headers: bearer(token), path: "/version" })).status).toBe(audience === "cluster" ? 200 : 401)
    await client.use({ headers: bearer(token.slice(0, -4)) })
  }
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
  const watch = "GET /api/v1/namespaces?watch=1 HTTP/1.1"
  const protocol = (token: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`
  const lost = protocol(canaries.make("a token among protocols"))
  for (const protocols of [
    `${lost}, binary.k8s.io`,
    lost,
    `${lost}, ${lost}, x`,
    `${lost.replace("k8s", "K8S")}, binary.k8s.io`,
    `x, ${lost}!`,
  ])
    await client.raw("a websocket", watch, "Host: a", ...upgrade, `Sec-WebSocket-Protocol: ${protocols}`)
  expect(
    await client.raw(
      "a websocket",
      watch,
      "Host: a",
      ...upgrade,
      `Sec-WebSocket-Protocol: ${protocol(server.adminToken)}, v4.channel.k8s.io`,
    ),
  ).toBe(101)
}

/** Malformed requests, and credentials in addresses. */
async function useAddresses({ canaries }: CanaryServer, client: Client): Promise<void> {
  const password = canaries.make("a password in an address", /[A-Za-z0-9-]/g)
  const token = canaries.make("a token of a request that is none")
  const authorization = `Authorization: Bearer ${token}`
  await client.raw("an absolute address", `GET https://user:${password}@127.0.0.1/api/v1/namespaces HTTP/1.1`, "Host: a", authorization)
  await client.raw("a host with a password", "GET /api/v1/namespaces HTTP/1.1", `Host: user:${password}@a`, authorization)
  await client.raw("no request", "GET /api HTTP/9.9", "Host: a", authorization)
  await client.raw("a field without a colon", "GET /api HTTP/1.1", "Host: a", authorization, token)
  await client.raw("a method that is none", `${password} /api HTTP/1.1`, "Host: a", authorization)
  await client.raw("two lengths", "POST /api HTTP/1.1", "Host: a", authorization, "Content-Length: 1", "Content-Length: 2")
  await client.raw("an expectation", "GET /api HTTP/1.1", "Host: a", authorization, `Expect: ${token}`)
  for (const name of ["Accept", "Content-Type", "Content-Encoding", "Range"])
    await client.raw(name, "POST /api/v1/namespaces HTTP/1.1", "Host: a", authorization, `${name}: ${token}`, "Content-Length: 2", "", "{}")
}

/** The data of Secrets, valid and not, in each verb and encoding; keys of clients where none belong. */
async function useSecrets(server: CanaryServer, client: Client): Promise<void> {
  const { canaries } = server
  const value = canaries.make("the data of a Secret")
  const kept = ["the data of a Secret"]
  const body = (data: object, more: object = {}): string =>
    JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, ...more, ...data })
  const write = (method: string, path: string, text: string, type = json, returns: readonly string[] = []): Promise<Told> =>
    client.use({ method, path, body: text, headers: { "content-type": type }, returns })
  expect((await write("POST", secrets, body({ data: { k: base64(value) } }), json, kept)).status).toBe(201)
  for (const accept of [json, "application/yaml", "application/vnd.kubernetes.protobuf"])
    await client.use({ path: `${secrets}/s`, headers: { accept }, returns: kept })
  await client.use({ path: secrets, headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }, returns: kept })
  const lost = canaries.make("the data of a Secret that was refused")
  const inText = `${lost} "quoted`
  const refused: readonly (readonly [string, string, string, string?])[] = [
    ["POST", secrets, body({ data: { k: lost } })],
    ["POST", secrets, body({ data: lost })],
    ["POST", secrets, body({ data: [lost] })],
    ["POST", secrets, body({ stringData: { k: { x: lost } } })],
    ["POST", secrets, body({ data: { ".dockerconfigjson": base64(lost) } }, { type: "kubernetes.io/dockerconfigjson" })],
    ["POST", secrets, body({ data: { ".dockercfg": base64(lost) } }, { type: "kubernetes.io/dockercfg" })],
    ["POST", secrets, body({ stringData: { "tls.key": lost } }, { type: "kubernetes.io/tls" })],
    ["POST", secrets, body({ stringData: { password: lost } }, { type: "kubernetes.io/ssh-auth" })],
    ["POST", secrets, body({ stringData: { k: lost } }, { metadata: { name: "S" } })],
    ["POST", secrets, body({ stringData: { k: lost } }, { metadata: { name: "s" } })],
    ["POST", secrets, body({ stringData: { k: lost } }, { kind: "ConfigMap" })],
    ["POST", secrets, `{"stringData":{"k":"${lost}"`],
    ["POST", secrets, `{"stringData":{"k":${inText}}}`],
    ["POST", secrets, `stringData:\n  k: ${lost}\n bad: "${lost}\n`, "application/yaml"],
    ["POST", secrets, `stringData: {k: !unknown ${lost}, k: *${lost}}`, "application/yaml"],
    ["POST", secrets, lost, "application/vnd.kubernetes.protobuf"],
    ["POST", secrets, lost, "text/plain"],
    ["POST", `${secrets}/s/none`, body({ stringData: { k: lost } })],
    ["POST", "/api/v1/namespaces/default/nothing", body({ stringData: { k: lost } })],
    ["PUT", `${secrets}/t`, body({ stringData: { k: lost } })],
    ["PUT", `${secrets}/s`, body({ data: { k: lost } })],
    ["PATCH", `${secrets}/s`, `[{"op":"test","path":"/data/k","value":"${lost}"}]`, "application/json-patch+json"],
    ["PATCH", `${secrets}/s`, `[{"op":"test","path":"/data/k","value":"${base64(lost)}"}]`, "application/json-patch+json"],
    ["PATCH", `${secrets}/s`, `[{"op":"add","path":"/data/k/x","value":"${lost}"}]`, "application/json-patch+json"],
    ["PATCH", `${secrets}/s`, `[{"op":"replace","path":"/data","value":"${lost}"}]`, "application/json-patch+json"],
    ["PATCH", `${secrets}/s`, body({ data: { k: lost } }), "application/merge-patch+json"],
    ["PATCH", `${secrets}/s`, body({ data: lost }), "application/strategic-merge-patch+json"],
    ["PATCH", `${secrets}/s?fieldManager=m`, body({ stringData: { k: lost } }, { type: lost }), "application/apply-patch+yaml"],
    ["PATCH", `${secrets}/s?fieldManager=m&force=true`, body({ data: { k: lost } }), "application/apply-patch+yaml"],
    ["PATCH", `${secrets}/s?fieldManager=m`, `data: {k: "${lost}`, "application/apply-patch+yaml"],
  ]
  for (const [method, path, text, type] of refused) {
    const { status, body: told } = await write(method, path, text, type)
    expect([status >= 400, path, text.slice(0, 80), told]).toEqual([true, path, text.slice(0, 80), told])
  }
  const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
  const spec = { request: base64(server.user.key), signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }
  expect((await write("POST", requests, JSON.stringify({ metadata: { name: "r" }, spec }))).status).toBe(422)
  const tls = { "tls.key": base64(server.stranger.key), "tls.crt": base64(server.stranger.certificate) }
  await write("POST", secrets, body({ data: tls }, { metadata: { name: "pair" }, type: "kubernetes.io/tls" }), json, [
    "the key of the stranger",
  ])
  for (const certificate of [server.user, server.stranger, { ...server.stranger, ...(await pairFor(["a"])) }])
    await client.use({ certificate, headers: { authorization: "" } })
  const fields = {
    "x-remote-user": "jane",
    "x-remote-group": "dev",
    authorization: `Bearer ${canaries.make("a token beside a proxy's certificate")}`,
  }
  expect((await client.use({ certificate: server.proxy, path: "/version", headers: fields })).status).toBe(200)
}

/** Secrets that the files of the store, and values of Secrets in etcd, may hold: content that Secrets were given. */
const storedSecrets = [
  "the data of a Secret",
  "the signature of a Secret's token",
  "the secret of the bootstrap token",
  "the key of the stranger",
]

function foundInFolder({ canaries, dataDir }: CanaryServer): string[] {
  return readdirSync(dataDir, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const path = join(dataDir, name)
    if (!statSync(path).isFile()) return []
    const isStore = relative("store", name).startsWith("..") === false
    // The kubeconfig of the administrator has one of the files.
    const own = name.endsWith("kubeconfig") ? secretFilesIn(dataDir).map((file) => file.name) : [name]
    const allowed = isStore ? storedSecrets : own
    return canaries.foundIn(name, readFileSync(path), allowed)
  })
}

/** Keys and values of every sort, also outside the server's prefix. */
async function storedIn(server: string): Promise<readonly { readonly key: string; readonly value: Buffer }[]> {
  const connection = connectEtcd({ servers: [server] }, systemClock)
  const { kvs } = await readRange(connection, { prefix: "" })
  connection.close()
  return kvs.map(({ key, value }) => ({ key, value: Buffer.from(value) }))
}

/** Everything that makes the server handle credentials. Waits until the server is ready for it. */
async function useAll(server: CanaryServer, client: Client): Promise<void> {
  // Waits for the roles of the system.
  await expect
    .poll(async () => (await client.use({ path: "/version", headers: { authorization: "" } })).status, { timeout: 30_000 })
    .toBe(200)
  for (const use of [useTokens, useAccounts, useOtherTokens, useAddresses, useSecrets]) await use(server, client)
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

test("no credential is where it must not be (CVE-2019-11250)", { timeout: 120_000 }, async () => {
  const server = await startCanaryServer()
  const { canaries, program } = server
  const client = new Client(server)
  await useAll(server, client)
  // The machines were asked, with the right credentials.
  for (const path of ["/tokens", "/access", "/audit"]) await expect.poll(() => server.asked.map((one) => one.path)).toContain(path)
  expect(new Set(server.asked.map(({ authorization }) => authorization.split(" ")[0]))).toEqual(new Set(["Bearer", "Basic"]))
  const { body: metrics } = await client.use({ path: "/metrics" })
  expect(metrics).toMatch(/^apiserver_audit_event_total/m)
  const commandLine = readFileSync(`/proc/${program.child.pid}/cmdline`)
  program.child.kill("SIGUSR2")
  await until(() => server.reports().some((text) => text.trimEnd().endsWith("}")))
  program.child.kill("SIGWINCH")
  expect(await program.exit).toBe(1)
  expect(program.output()).toMatch(/"the server ends: a fault of the program"/)
  expect(program.output()).toMatch(/"a request could not be authenticated"/)
  const audit = readFileSync(server.auditLog, "utf8")
  expect(audit).toMatch(/"level":"Metadata".*"resource":"secrets"/)
  const found = [
    ...client.found,
    ...canaries.foundIn("the log", program.output()),
    ...canaries.foundIn("audit", audit),
    ...canaries.foundIn("metrics", metrics),
    ...canaries.foundIn("the command line", commandLine),
    ...server.reports().flatMap((text) => canaries.foundIn("a report", text)),
    ...foundInFolder(server),
  ]
  expect([...new Set(found)]).toEqual([])
  // The search covered the stored canaries as well.
  expect(canaries.names.length).toBeGreaterThan(30)
})

forNewestEtcd((binary) =>
  test("no credential is in etcd but those that Secrets were given (CVE-2019-11250)", { timeout: 120_000 }, async () => {
    const etcd = await startEtcd(binary)
    onTestFinished(() => etcd.dispose())
    const server = await startCanaryServer([`--store-servers=${etcd.url}`])
    const { canaries } = server
    await useAll(server, new Client(server))
    const stored = await storedIn(etcd.url)
    const isSecret = (key: string): boolean => key.startsWith("/registry/secrets/")
    const found = stored.flatMap(({ key, value }) => [
      ...canaries.foundIn("a key", key),
      ...canaries.foundIn(key, value, isSecret(key) ? storedSecrets : []),
    ])
    expect([...found, ...foundInFolder(server)]).toEqual([])
    // The values have the canaries where these may be.
    const given = stored.flatMap(({ key, value }) => (isSecret(key) ? canaries.foundIn("", value) : []))
    expect(given).toEqual(expect.arrayContaining(storedSecrets.map((name) => expect.stringContaining(name))))
  }),
)
