import assert from "node:assert/strict"
import { after, afterEach, test } from "node:test"
import { KubeConfig } from "@kubernetes/client-node"
import { startServer } from "orch-apiserver"
import { expires, sweep } from "../sweep.ts"

const server = await startServer({ vendor: "kubernetes" })
const { configmaps } = server.api.core.v1
const config = new KubeConfig()
config.loadFromString(server.kubeconfig)
const now = new Date("2030-01-01T00:00:00Z")

afterEach(() => server.reset())
after(() => server.stop())

async function create(name: string, time: string, finalizers: string[] = []): Promise<void> {
  await configmaps.create("default", { metadata: { name, annotations: { [expires]: time }, finalizers } })
}

async function names(): Promise<readonly (string | undefined)[]> {
  return (await configmaps.list("default")).items.map(({ metadata }) => metadata.name)
}

test("what has expired is deleted", async () => {
  await create("old", "2029-12-31T00:00:00Z")
  await create("new", "2030-01-02T00:00:00Z")
  await configmaps.create("default", { metadata: { name: "plain" } })
  assert.deepEqual(await sweep(config, "default", now), ["old"])
  assert.deepEqual(await names(), ["new", "plain"])
})

test("what has a finalizer stays until that is removed, which a mock would not show", async () => {
  await create("held", "2029-12-31T00:00:00Z", ["example.com/held"])
  await sweep(config, "default", now)
  assert.ok((await configmaps.get("default", "held")).metadata.deletionTimestamp)
  await configmaps.patch("default", "held", { metadata: { finalizers: null } })
  assert.deepEqual(await names(), [])
})
