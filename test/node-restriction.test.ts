/** A node agent at a whole server with the plugin NodeRestriction, which sees real bodies, patches and objects. */
import { beforeAll, afterAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../runtime/base/json.ts"
import { accountTokens } from "./support/account-keys.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { adminToken, everyVersion, type InProcess, startInProcess } from "./support/in-process.ts"

const agent = "system:node:n1"
const below = "/api/v1/namespaces/default"
const merge = "application/merge-patch+json"

let at: InProcess
let http: HttpClient
const uids: Record<string, string> = {}
beforeAll(async () => {
  at = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    enableAdmission: ["NodeRestriction"],
    serviceAccounts: accountTokens(),
    users: [{ name: agent, groups: ["system:nodes"], extra: {} }],
    ...everyVersion,
  })
  http = createHttpClient({ protocol: "http1", port: at.port, authority: at.authority })
  const make = async (path: string, body: object): Promise<JsonObject> => {
    const { status, object } = await send("POST", path, body, { token: adminToken })
    expect(status, path).toBe(201)
    return object
  }
  await make(`${below}/serviceaccounts`, { metadata: { name: "s" } })
  for (const [name, nodeName] of [
    ["mine", "n1"],
    ["others", "n2"],
  ] as const) {
    const containers = [{ name: "c", image: "i" }]
    const { metadata } = await make(`${below}/pods`, { metadata: { name }, spec: { containers, nodeName, serviceAccountName: "s" } })
    uids[name] = (metadata as { uid: string }).uid
  }
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  await make(`${below}/persistentvolumeclaims`, { metadata: { name: "c" }, spec })
})
afterAll(async () => {
  http?.close()
  await at?.stop()
})

interface Answer {
  readonly status: number
  readonly object: JsonObject
}

async function send(
  method: string,
  path: string,
  body: object,
  { token = agent, type = "application/json" }: { token?: string; type?: string } = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": type }
  const answer = await http.send({ method, path, headers, body: Buffer.from(JSON.stringify(body)) })
  return { status: answer.status, object: JSON.parse(answer.body.toString()) }
}

const refusal = (message: string): object => ({ status: 403, object: { reason: "Forbidden", message } })

describe("a node agent", () => {
  it("gets tokens of pods of its node, and ends them with these", async () => {
    const token = (boundObjectRef?: JsonObject) =>
      send("POST", `${below}/serviceaccounts/s/token`, { spec: { audiences: [], expirationSeconds: 31_536_000, boundObjectRef } })
    const bound = (name: string): JsonObject => ({ apiVersion: "v1", kind: "Pod", name, uid: uids[name] ?? "" })
    const forbidden = (why: string): object => refusal(`serviceaccounts "s" is forbidden: ${why}`)
    expect(await token()).toMatchObject(forbidden("node requested token not bound to a pod"))
    expect(await token(bound("others"))).toMatchObject(forbidden("node requested token bound to a pod scheduled on a different node"))
    expect((await token(bound("mine"))).status).toBe(201)
  })

  it("writes its own CSINode and slices", async () => {
    const nodes = "/apis/storage.k8s.io/v1/csinodes"
    const slices = "/apis/resource.k8s.io/v1alpha2/resourceslices"
    const slice = (nodeName: string) => ({
      metadata: { name: nodeName },
      nodeName,
      driverName: "d.example.com",
      namedResources: { instances: [] },
    })
    const why = "can only access CSINode with the same name as the requesting node"
    expect(await send("POST", nodes, { metadata: { name: "n2" }, spec: { drivers: [] } })).toMatchObject(
      refusal(`csinodes.storage.k8s.io "n2" is forbidden: ${why}`),
    )
    expect((await send("POST", nodes, { metadata: { name: "n1" }, spec: { drivers: [] } })).status).toBe(201)
    expect((await send("POST", slices, slice("n2"))).status).toBe(403)
    expect((await send("POST", slices, slice("n1"))).status).toBe(201)
  })

  it("reports how much a volume holds", async () => {
    const claim = `${below}/persistentvolumeclaims/c`
    const text = 'node "n1" is not allowed to update fields other than status.quantity and status.conditions'
    const change = (body: object) => send("PATCH", `${claim}/status`, body, { type: merge })
    expect((await change({ status: { capacity: { storage: "2Gi" } } })).status).toBe(200)
    for (const [body, field] of [
      [{ status: { phase: "Bound" } }, "status.phase"],
      [{ status: { allocatedResources: { storage: "2Gi" } } }, "status.allocatedResources"],
      [{ metadata: { labels: { a: "b" } } }, "metadata.labels"],
      [{ spec: { volumeName: "v" } }, "spec.volumeName"],
    ] as const)
      expect(await change(body)).toMatchObject(refusal(`persistentvolumeclaims "c" is forbidden: ${text}: ${field}`))
    const { object } = await send("PATCH", `${claim}?dryRun=All`, {}, { token: adminToken, type: merge })
    expect((await send("PUT", `${claim}/status`, object)).status).toBe(200)
    expect((await send("PATCH", claim, { metadata: { labels: { a: "b" } } }, { type: merge })).status).toBe(403)
  })

  it("evicts pods of its node alone", async () => {
    const evict = (name: string) => send("POST", `${below}/pods/${name}/eviction?dryRun=All`, { metadata: { name } })
    expect(await evict("others")).toMatchObject(
      refusal('pods "others" is forbidden: node n1 can only evict pods with spec.nodeName set to itself'),
    )
    expect((await evict("mine")).status).toBe(201)
  })
})
