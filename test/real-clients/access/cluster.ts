/** A server with RBAC, client certificates and two teams, and kubeconfigs of its users. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, vi } from "vitest"
import { type Cluster, startCluster } from "../../clients/cluster.ts"
import { type Made, makeCertificate } from "../../support/client-certificates.ts"

/** The credentials of a user, as in a kubeconfig. */
export type Credentials = Readonly<Record<string, unknown>>

export interface AccessCluster extends Cluster {
  /** Signs a certificate that the server accepts. `O=team-a, CN=alice` */
  sign(subject: string): Promise<Made>
  /** Writes a kubeconfig with a context for each user, under the user's name; the first one is the current. */
  kubeconfigOf(name: string, users: Readonly<Record<string, Credentials>>, namespace?: string): Promise<string>
}

/** Called in `beforeAll`; call `remove` in `afterAll`. It has the namespaces team-a and team-b, each with a bot. */
export async function startAccessCluster(): Promise<AccessCluster> {
  const authorities = await mkdtemp(join(tmpdir(), "authorities-"))
  const authority = await makeCertificate({ subject: "CN=clients", authority: true })
  const file = join(authorities, "clients.crt")
  await writeFile(file, authority.certificate)
  const cluster = await startCluster({ store: "memory", "authorization-mode": ["RBAC"], "client-ca-file": file })
  const { core, rbac } = cluster.api
  for (const namespace of ["team-a", "team-b"]) {
    await core.v1.namespaces.create({ metadata: { name: namespace } })
    await core.v1.serviceaccounts.create(namespace, { metadata: { name: "bot" } })
  }
  // A start creates the aggregated rules last.
  await vi.waitFor(async () => expect((await rbac.v1.clusterroles.get("edit")).rules?.length ?? 0).toBeGreaterThan(0), { timeout: 30_000 })
  return {
    ...cluster,
    sign: (subject) => makeCertificate({ subject, issuer: authority }),
    async kubeconfigOf(name, users, namespace = "default") {
      const path = join(cluster.folder, name)
      const names = Object.keys(users)
      const config = {
        apiVersion: "v1",
        kind: "Config",
        clusters: [
          { name: "c", cluster: { server: cluster.url, "certificate-authority-data": Buffer.from(cluster.caPem).toString("base64") } },
        ],
        users: names.map((user) => ({ name: user, user: users[user] })),
        contexts: names.map((user) => ({ name: user, context: { cluster: "c", user, namespace } })),
        "current-context": names[0],
      }
      await writeFile(path, JSON.stringify(config), { mode: 0o600 })
      return path
    },
    async remove() {
      await cluster.remove()
      await rm(authorities, { recursive: true })
    },
  }
}

/** A client certificate within a kubeconfig. */
export function certificateOf({ certificate, key }: Made): Credentials {
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64")
  return { "client-certificate-data": base64(certificate), "client-key-data": base64(key) }
}

/** A credential plugin: prints `file`, and appends a line to `runs` on each call. */
export function pluginPrinting(file: string, runs: string): Credentials {
  return {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "/bin/sh",
      args: ["-c", 'echo "$KUBERNETES_EXEC_INFO" >> "$RUNS"; cat "$CREDENTIAL"'],
      env: [
        { name: "RUNS", value: runs },
        { name: "CREDENTIAL", value: file },
      ],
      interactiveMode: "Never",
      provideClusterInfo: true,
    },
  }
}

/** The output of a credential plugin. `expiresAt` is when the client must ask again. */
export function execCredential(status: Readonly<Record<string, string>>, expiresAt?: Date): string {
  const expirationTimestamp = expiresAt === undefined ? {} : { expirationTimestamp: expiresAt.toISOString() }
  return JSON.stringify({
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { ...status, ...expirationTimestamp },
  })
}

/** The payload of a token, unverified. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
}
