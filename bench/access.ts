/**
 * What do client certificates, RBAC with a thousand bindings, and an audit log at Metadata add to the CPU of a get and
 * of a create? Two servers, one with none of them and one with all, are asked in turns: each row has the fastest rounds
 * of both. `--only=audit` and the like name what the second server has.
 * Run: npm run bench -- access
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeCertificate } from "../test/support/client-certificates.ts"
import { type Http2Client, openHttp2Client, type Request } from "./support/http2-client.ts"
import { openOptions } from "./support/options.ts"
import { cpuSeconds, type ServerProcess, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const rounds = options.number("rounds", { small: 6, full: 30 })
const gets = options.number("gets", { small: 10_000, full: 20_000 })
const creates = options.number("creates", { small: 3000, full: 6000 })
const bindings = options.number("bindings", { small: 1000, full: 1000 })
const only = options.word("only", "certificates,rbac,audit").split(",")
options.done()

const clients = 16
const configMaps = "/api/v1/namespaces/default/configmaps"
const rbac = "/apis/rbac.authorization.k8s.io/v1"
const folder = mkdtempSync(join(tmpdir(), "bench-access-"))

interface Asked {
  readonly server: ServerProcess
  readonly client: Http2Client
}

try {
  const off = await asked([])
  const on = await asked(only)
  try {
    await compare(off, on)
  } finally {
    for (const { client, server } of [off, on]) {
      client.close()
      await server.stop()
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
process.exit()

/** A server with these parts, its bindings, and a client that warmed it up. */
async function asked(parts: readonly string[]): Promise<Asked> {
  const authority = await makeCertificate({ subject: "CN=authority", authority: true })
  const person = await makeCertificate({ subject: "CN=user7", issuer: authority, usages: ["client"] })
  const server = await startServerProcess({ options: ["--vendor=kubernetes", ...optionsOf(parts, authority.certificate)] })
  if (parts.includes("rbac")) await bindUsers(server)
  const pair = { certificate: person.certificate, key: person.key }
  const client = openHttp2Client({ ...server, ...(parts.includes("certificates") && { pair }) })
  await send(client, creating("asked"))
  return { server, client }
}

function optionsOf(parts: readonly string[], authority: string): string[] {
  const [authorities, policy] = [join(folder, "authority.crt"), join(folder, "policy.yaml")]
  writeFileSync(authorities, authority)
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }))
  return [
    ...(parts.includes("certificates") ? [`--client-ca-file=${authorities}`] : []),
    ...(parts.includes("rbac") ? ["--authorization-mode=RBAC"] : []),
    ...(parts.includes("audit") ? [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "audit.log")}`] : []),
  ]
}

/** Binds as many users, `user7` among them, to roles that allow what is asked. */
async function bindUsers(server: ServerProcess): Promise<void> {
  const admin = openHttp2Client(server)
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create"] }]
  await send(admin, posting(`${rbac}/clusterroles`, { kind: "ClusterRole", metadata: { name: "configures" }, rules }))
  for (let index = 0; index < bindings; index++) {
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: `user${index}` }]
    const roleRef = { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name: "configures" }
    const binding = { kind: "ClusterRoleBinding", metadata: { name: `binding${index}` }, roleRef, subjects }
    await send(admin, posting(`${rbac}/clusterrolebindings`, binding))
  }
  admin.close()
}

async function compare(off: Asked, on: Asked): Promise<void> {
  const getting: Request = { method: "GET", path: `${configMaps}/asked` }
  let made = 0
  const verbs = {
    get: { requests: gets, request: () => getting },
    create: { requests: creates, request: () => creating(`m${made++}`) },
  }
  for (const [verb, { request, requests }] of Object.entries(verbs)) {
    const costs = { off: [] as number[], on: [] as number[] }
    // The first round is not counted: it compiles.
    for (let round = 0; round <= rounds; round++) {
      const [offUs, onUs] = round % 2 === 0 ? [await cost(off), await cost(on)] : [await cost(on), await cost(off)].reverse()
      if (round === 0) continue
      costs.off.push(offUs ?? 0)
      costs.on.push(onUs ?? 0)
    }
    const [offUs, onUs] = [quarter(costs.off), quarter(costs.on)]
    printRow({ verb, with: only.join(" "), rounds, requests, offUs, onUs, addedUs: onUs - offUs })

    async function cost({ client, server }: Asked): Promise<number> {
      const before = cpuSeconds(server.pid)
      let next = 0
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (next++ < requests) await send(client, request())
        }),
      )
      return ((cpuSeconds(server.pid) - before) * 1e6) / requests
    }
  }
}

/** The first quartile: other work on the machine only adds. */
function quarter(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? Number.NaN
}

function creating(name: string): Request {
  return posting(configMaps, { kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(900) } }, "v1")
}

function posting(path: string, object: object, apiVersion = "rbac.authorization.k8s.io/v1"): Request {
  return { method: "POST", path, body: Buffer.from(JSON.stringify({ apiVersion, ...object })), contentType: "application/json" }
}

async function send(client: Http2Client, request: Request): Promise<void> {
  const { head, status } = await client.send(request)
  if (status > 201) throw new Error(`${request.method} ${request.path} was answered ${status}: ${head.toString()}`)
}
