import { afterEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { serverUser } from "../admission/server-identity.ts"
import type { Controller } from "./controller.ts"
import { startIdentityLease } from "./identity-lease.ts"
import { ensureNamespaces } from "./system-objects.ts"

const running: Controller[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

async function open(): Promise<OpenRegistry> {
  const one = await openRegistry({})
  running.push({ stop: () => one.close() })
  await ensureNamespaces(one)
  return one
}

async function start(one: OpenRegistry, host = "host"): Promise<Controller> {
  const lease = startIdentityLease(one, { name: `apiserver-${host}`, host, run: "r" })
  running.unshift(lease)
  await lease.made
  return lease
}

const leases = (one: OpenRegistry) => one.api(serverUser).coordination.v1.leases

test("a server has a Lease that it renews", async () => {
  const one = await open()
  await start(one)
  const made = await leases(one).get("orch-system", "apiserver-host")
  expect(made).toMatchObject({
    metadata: { labels: { "apiserver.orch.io/identity": "kube-apiserver", "orch.io/hostname": "host" } },
    spec: { holderIdentity: "apiserver-host_r", leaseDurationSeconds: 3600 },
  })
  one.clock.advance(10_000)
  await expect.poll(async () => (await leases(one).get("orch-system", "apiserver-host")).spec.renewTime).not.toBe(made.spec.renewTime)
})

test("the name of a host that is no value of a label is left out", async () => {
  const one = await open()
  const lease = startIdentityLease(one, { name: "apiserver-a", host: "a_", run: "r" })
  running.unshift(lease)
  await lease.made
  const { metadata } = await leases(one).get("orch-system", "apiserver-a")
  expect(metadata.labels).toEqual({ "apiserver.orch.io/identity": "kube-apiserver" })
})

test("Leases of servers that are gone are deleted, and no others", async () => {
  const one = await open()
  const labels = { "apiserver.orch.io/identity": "kube-apiserver" }
  const renewTime = new Date(one.clock.nowMs()).toISOString().replace("Z", "000Z")
  await leases(one).create("orch-system", { metadata: { name: "old", labels }, spec: { renewTime, leaseDurationSeconds: 60 } })
  await leases(one).create("orch-system", { metadata: { name: "other" }, spec: { renewTime, leaseDurationSeconds: 60 } })
  await leases(one).create("orch-system", { metadata: { name: "without", labels }, spec: {} })
  one.clock.advance(120_000)
  await start(one)
  await expect.poll(() => one.names("leases")).toEqual(["orch-system/apiserver-host", "orch-system/other"])
})
