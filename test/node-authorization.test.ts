/** A kubelet with a client certificate at a server with the modes Node and RBAC. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { makeCertificate } from "./support/client-certificates.ts"
import { startTestServer } from "./support/server.ts"

interface Answer {
  readonly status: number
  readonly body: { readonly message?: string; readonly status?: object; readonly items?: readonly object[] }
}

test("a kubelet has what its pods need, and nothing else", async () => {
  const authority = await makeCertificate({ subject: "CN=clients", authority: true })
  const folder = mkdtempSync(join(tmpdir(), "node-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "ca.pem"), authority.certificate)
  const server = await startTestServer({
    vendor: "kubernetes",
    "authorization-mode": ["Node", "RBAC"],
    "client-ca-file": join(folder, "ca.pem"),
  })
  const { pods, secrets, serviceaccounts } = server.api.core.v1
  for (const name of ["mine", "others"]) {
    await secrets.create("default", { metadata: { name }, data: {} })
    await serviceaccounts.create("default", { metadata: { name } })
    const containers = [{ name: "main", image: "nginx", envFrom: [{ secretRef: { name } }] }]
    const nodeName = name === "mine" ? "n1" : "n2"
    await pods.create("default", { metadata: { name }, spec: { containers, nodeName, serviceAccountName: name } })
  }

  const { certificate, key } = await makeCertificate({ subject: "O=system:nodes, CN=system:node:n1", issuer: authority })
  const agent = new Agent({ ca: server.caPem, cert: certificate, key, keepAlive: true })
  onTestFinished(() => agent.destroy())
  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" }
      const outgoing = request(server.url + path, { agent, method, headers }, (incoming) => {
        let text = ""
        incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece))
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) }))
      })
      outgoing.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  const below = "/api/v1/namespaces/default"
  const refusal = (what: string, why: string): object => ({
    status: 403,
    body: { message: `${what} is forbidden: User "system:node:n1" cannot ${why}` },
  })
  const unrelated = "in the namespace \"default\": no relationship found between node 'n1' and this object"

  expect((await send("GET", `${below}/secrets/mine`)).status).toBe(200)
  expect(await send("GET", `${below}/secrets/others`)).toMatchObject(
    refusal('secrets "others"', `get resource "secrets" in API group "" ${unrelated}`),
  )
  expect((await send("GET", `${below}/secrets?fieldSelector=metadata.name%3Dmine`)).body.items).toHaveLength(1)
  expect(await send("GET", `${below}/secrets`)).toMatchObject(
    refusal("secrets", 'list resource "secrets" in API group "" in the namespace "default": No Object name found'),
  )
  const token = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } }
  expect((await send("POST", `${below}/serviceaccounts/mine/token`, token)).status).toBe(201)
  expect((await send("POST", `${below}/serviceaccounts/others/token`, token)).status).toBe(403)
  expect((await send("GET", "/api/v1/pods")).body.items).toHaveLength(2)
  expect((await send("GET", "/api/v1/namespaces")).status).toBe(403)

  await pods.delete("default", "mine", { gracePeriodSeconds: 0 })
  expect((await send("GET", `${below}/secrets/mine`)).status).toBe(403)
})
