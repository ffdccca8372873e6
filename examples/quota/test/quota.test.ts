import assert from "node:assert/strict"
import { after, beforeEach, test } from "node:test"
import { type ObjectClient, startServer } from "orch-apiserver"
import { quotaPlugin } from "../admission.ts"
import * as own from "../generated/index.ts"

let client: ObjectClient
const server = await startServer({ api: [own], admission: [quotaPlugin(() => client)] })
client = server.client
const { configmaps, namespaces } = server.api.core.v1
const { quotas } = server.api.quota.v1

beforeEach(async () => {
  await server.reset()
  for (const name of ["blue", "green"]) await namespaces.create({ metadata: { name } })
})
after(() => server.stop())

test("namespaces share a limit", async () => {
  await quotas.create({ metadata: { name: "team" }, spec: { namespaces: ["blue", "green"], resource: "configmaps", limit: 2 } })
  await configmaps.create("blue", { metadata: { name: "one" } })
  await configmaps.create("green", { metadata: { name: "two" } })
  await assert.rejects(configmaps.create("blue", { metadata: { name: "three" } }), /quota team allows 2 configmaps, and there are 2/)
  await configmaps.create("default", { metadata: { name: "elsewhere" } })
  await configmaps.delete("green", "two")
  await configmaps.create("blue", { metadata: { name: "three" } })
})

test("a quota is for namespaces that exist", async () => {
  const quota = quotas.create({ metadata: { name: "team" }, spec: { namespaces: ["red"], resource: "secrets", limit: 1 } })
  await assert.rejects(quota, /spec\.namespaces\[0\]: Not found: "red"/)
})

test("the compiler knows what can be limited", async () => {
  // @ts-expect-error pods is not in the enum
  const spec: Parameters<typeof quotas.create>[0]["spec"] = { namespaces: ["blue"], resource: "pods", limit: 1 }
  await assert.rejects(quotas.create({ metadata: { name: "team" }, spec }), /spec\.resource: Unsupported value: "pods"/)
})
