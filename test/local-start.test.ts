/** `npm start`: permissions at a server on one's own machine, and how its administrator signs in. */
import { createPrivateKey } from "node:crypto"
import { chmodSync, existsSync, readFileSync, rmSync, statSync } from "node:fs"
import { Agent, request } from "node:https"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { parse } from "yaml"
import { buildBundle, repository } from "../scripts/freshness.mjs"
import { ask, newFolder, type Program, startInShell, startLocally, startProgram } from "./support/program.ts"

await buildBundle()

const whoAmI = "/apis/authentication.orch.io/v1/selfsubjectreviews"
const review = "{apiVersion: authentication.orch.io/v1, kind: SelfSubjectReview}"
const role = "/apis/rbac.authorization.orch.io/v1/clusterroles/system:node"

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string; readonly "certificate-authority-data": string } }[]
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[]
}

/** Sends requests with the credential of the kubeconfig, as kubectl does. */
function clientOf(dataDir: string): (method: string, path: string, body?: string) => Promise<{ status: number; body: string }> {
  const { clusters, users } = parse(readFileSync(join(dataDir, "admin.kubeconfig"), "utf8")) as Kubeconfig
  const [{ cluster } = { cluster: { server: "", "certificate-authority-data": "" } }] = clusters
  const { token, ...pair } = users[0]?.user ?? {}
  const decoded = (text = ""): string => Buffer.from(text, "base64").toString()
  const agent = new Agent({
    ca: decoded(cluster["certificate-authority-data"]),
    ...(token === undefined && { cert: decoded(pair["client-certificate-data"]), key: decoded(pair["client-key-data"]) }),
  })
  onTestFinished(() => agent.destroy())
  const headers = { "content-type": "application/yaml", ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  return (method, path, body = "") =>
    new Promise((resolve, reject) => {
      const outgoing = request(cluster.server + path, { agent, method, headers }, (incoming) => {
        let text = ""
        incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: text }))
      })
      outgoing.on("error", reject).end(body)
    })
}

async function ended(program: Program): Promise<void> {
  program.child.kill("SIGTERM")
  expect(await program.exit).toBe(0)
}

async function until(found: () => Promise<boolean>): Promise<void> {
  while (!(await found()));
}

test("npm start runs the command `start`", () => {
  expect(readFileSync(join(repository, "scripts/start.mjs"), "utf8")).toContain('process.argv.splice(2, 0, "start")')
})

test("the program ends with the npm that runs it, whose shell passes no signal on", { timeout: 120_000 }, async () => {
  const script = "node scripts/start.mjs"
  const started = await startInShell(script, newFolder(), "--store=memory")
  await started.said(/Serving on https/)
  started.child.kill("SIGTERM")
  await started.said(/INFO {2}stopped/)
})

test("port 0 is any free port, which the log and the kubeconfig name", { timeout: 120_000 }, async () => {
  const dataDir = newFolder()
  const started = await startLocally(dataDir, "--store=memory", "--secure-port=0")
  await started.said(/ready url=https:\/\/127\.0\.0\.1:\d+/)
  const [, port = ""] = /ready url=https:\/\/127\.0\.0\.1:(\d+)/.exec(started.output()) ?? []
  expect(Number(port)).toBeGreaterThan(0)
  expect((await clientOf(dataDir)("GET", "/version")).status).toBe(200)
  expect(readFileSync(join(dataDir, "admin.kubeconfig"), "utf8")).toContain(`server: https://127.0.0.1:${port}`)
  await ended(started)
})

test("a new folder gets a certificate of the administrator, and roles decide for all others", { timeout: 120_000 }, async () => {
  const dataDir = newFolder()
  const started = await startLocally(dataDir)
  // A busy machine holds the event loop.
  const warned = started.said(/ WARN (?! *a request held the event loop)/).then(started.output, () => "nothing")
  await started.said(/curl --cacert \S+ca\.crt --cert \S+admin\.crt --key \S+admin\.key https:\/\/127/)
  expect(existsSync(join(dataDir, "admin.token"))).toBe(false)
  for (const file of ["admin.kubeconfig", "pki/admin.key", "pki/client-ca.key"])
    expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600])
  // fabric8 reads no other key without a library besides.
  expect(createPrivateKey(readFileSync(join(dataDir, "pki/admin.key"))).asymmetricKeyType).toBe("rsa")
  const send = clientOf(dataDir)
  const { status } = JSON.parse((await send("POST", whoAmI, review)).body) as { status: object }
  expect(status).toMatchObject({ userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] } })
  await until(async () => (await ask(started, dataDir, "/readyz", { token: "" })).status === 200)
  const refused = await ask(started, dataDir, "/api/v1/namespaces", { token: "" })
  expect([refused.status, refused.body]).toEqual([403, expect.stringContaining("system:anonymous")])
  await until(async () => (await send("GET", role)).status === 200)
  await ended(started)
  expect(await warned).toBe("nothing")

  const before = readFileSync(join(dataDir, "pki/admin.crt"), "utf8")
  const again = await startLocally(dataDir)
  await again.said(/Serving on https/)
  expect(readFileSync(join(dataDir, "pki/admin.crt"), "utf8")).toBe(before)
  expect((await clientOf(dataDir)("GET", role)).status).toBe(200)
  await ended(again)
  chmodSync(join(dataDir, "pki/client-ca.key"), 0o644)
  const open = await startLocally(dataDir)
  await expect(open.said(/Serving on https/)).rejects.toThrow(/client-ca\.key is a secret, and its mode 644 lets everybody read/)
})

test("a folder with a token keeps it, until its file is removed", { timeout: 120_000 }, async () => {
  const dataDir = newFolder()
  const before = await startProgram(dataDir)
  await before.said(/Serving on https/)
  const token = readFileSync(join(dataDir, "admin.token"), "utf8").trim()
  await ended(before)

  const after = await startLocally(dataDir)
  await after.said(/the kubeconfig has a client certificate now, and no longer a token file=/)
  await after.said(/the token of this file is the administrator's too; remove the file to end that file=\S+admin\.token/)
  await after.said(/Serving on https/)
  expect((await ask(after, dataDir, "/api/v1/namespaces", { token })).status).toBe(200)
  expect((await clientOf(dataDir)("GET", "/api/v1/namespaces")).status).toBe(200)
  await ended(after)

  rmSync(join(dataDir, "admin.token"))
  const without = await startLocally(dataDir)
  await without.said(/Serving on https/)
  expect((await ask(without, dataDir, "/api/v1/namespaces", { token })).status).toBe(401)
  await ended(without)

  const certificate = clientOf(dataDir)
  const open = await startLocally(dataDir, `--secure-port=${without.port}`, "--authorization-mode=AlwaysAllow")
  await open.said(/the kubeconfig has a token now, and no longer a client certificate/)
  await open.said(/certificates of this authority are valid too; remove the file to end that file=\S+client-ca\.crt/)
  await open.said(/Serving on https/)
  for (const send of [certificate, clientOf(dataDir)]) expect((await send("GET", "/api/v1/namespaces")).status).toBe(200)
  expect((await ask({ ...open, port: without.port }, dataDir, "/api/v1/namespaces", { token: "" })).status).toBe(401)
})
