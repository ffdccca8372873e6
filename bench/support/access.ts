/** A server with client certificates, RBAC and an audit log, or some of these. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeCertificate } from "../../test/support/client-certificates.ts"
import { type Http2Client, openHttp2Client, type Request } from "./http2-client.ts"
import type { ServerProcess, Target } from "./server-process.ts"

export const accessParts = ["certificates", "rbac", "audit"] as const

export interface Access {
  /** Options of `serve`. */
  readonly options: readonly string[]
  /** Makes the bindings. Returns the server with the bound user's credentials. */
  prepare(server: ServerProcess): Promise<ServerProcess & Target>
  /** Removes the files. Called when the server has stopped. */
  close(): void
}

const user = "user7"
/** Not random: a benchmark needs no secret token. */
const token = "a-token-of-user7-for-clients-without-certificates"
const rbac = "/apis/rbac.authorization.k8s.io/v1"

/** Called once per server, before it starts. Creates `bindings` users, each with full rights by its own binding. */
export async function openAccess(parts: readonly string[], bindings: number): Promise<Access> {
  const folder = mkdtempSync(join(tmpdir(), "bench-access-"))
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const authority = await makeCertificate({ subject: "CN=authority", authority: true })
  const { certificate, key } = await makeCertificate({ subject: `CN=${user}`, issuer: authority, usages: ["client"] })
  const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }
  const given: Readonly<Record<(typeof accessParts)[number], () => readonly string[]>> = {
    certificates: () => [`--client-ca-file=${file("authority.crt", authority.certificate)}`],
    rbac: () => ["--authorization-mode=RBAC", `--token-auth-file=${file("tokens.csv", `${token},${user},7\n`)}`],
    audit: () => [`--audit-policy-file=${file("policy.yaml", JSON.stringify(policy))}`, `--audit-log-path=${join(folder, "audit.log")}`],
  }
  return {
    options: accessParts.flatMap((part) => (parts.includes(part) ? given[part]() : [])),
    async prepare(server) {
      const { pair: _administrators, ...known } = server
      if (parts.includes("rbac")) await bindUsers(server, bindings)
      return {
        ...known,
        ...(parts.includes("rbac") && { token }),
        ...(parts.includes("certificates") && { pair: { certificate, key } }),
      }
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}

async function bindUsers(server: ServerProcess, bindings: number): Promise<void> {
  const admin = openHttp2Client(server)
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]
  await send(admin, posting(`${rbac}/clusterroles`, { kind: "ClusterRole", metadata: { name: "everything" }, rules }))
  for (let index = 0; index < bindings; index++) {
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: `user${index}` }]
    const roleRef = { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name: "everything" }
    const binding = { kind: "ClusterRoleBinding", metadata: { name: `binding${index}` }, roleRef, subjects }
    await send(admin, posting(`${rbac}/clusterrolebindings`, binding))
  }
  admin.close()
}

/** A request that creates an object. */
export function posting(path: string, object: object, apiVersion = "rbac.authorization.k8s.io/v1"): Request {
  return { method: "POST", path, body: Buffer.from(JSON.stringify({ apiVersion, ...object })), contentType: "application/json" }
}

/** Rejects for an answer whose status is not 200 or 201. */
export async function send(client: Http2Client, request: Request): Promise<void> {
  const { head, status } = await client.send(request)
  if (status > 201) throw new Error(`${request.method} ${request.path} was answered ${status}: ${head.toString()}`)
}
