import { afterEach, beforeEach, expect, test } from "vitest"
import { countCommits, failCommits, retried } from "../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { KeyedController } from "./keyed-controller.ts"
import { startRootCaPublisher } from "./root-ca-publisher.ts"

const rootCa = "-----BEGIN CERTIFICATE-----\n"
const map = "a/orch-root-ca.crt"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  controller = startRootCaPublisher(one, rootCa)
  await one.create("namespaces", { metadata: { name: "a" } })
  await controller.idle()
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

const published = async (): Promise<unknown> => (await one.get("configmaps", map))?.["data"]

test("each namespace gets the certificate, with a description", async () => {
  expect(await published()).toEqual({ "ca.crt": rootCa })
  expect((await one.get("configmaps", map))?.metadata?.annotations?.["orch.io/description"]).toMatch(/authority/)
})

test("what others change or delete is put right, and what they add stays", async () => {
  await one.update("configmaps", map, (old) => ({
    ...old,
    metadata: { ...old.metadata, annotations: { ...old.metadata?.annotations, mine: "yes" } },
    data: { "ca.crt": "forged", more: "x" },
  }))
  await controller.idle()
  expect(await published()).toEqual({ "ca.crt": rootCa })
  expect((await one.get("configmaps", map))?.metadata?.annotations?.["mine"]).toBe("yes")
  await one.remove("configmaps", map)
  await controller.idle()
  expect(await published()).toEqual({ "ca.crt": rootCa })
})

test("a certificate that has changed is published at the next start", async () => {
  await controller.stop()
  controller = startRootCaPublisher(one, "another")
  await controller.idle()
  expect(await published()).toEqual({ "ca.crt": "another" })
})

test("its own writes and other ConfigMaps cause no writes", async () => {
  const commits = countCommits(one, "/configmaps/")
  await one.create("configmaps", { metadata: { name: "other", namespace: "a" } })
  await controller.idle()
  expect(commits()).toBe(1)
})

test("a terminating namespace gets none, and without a certificate there is nothing to publish", async () => {
  await one.remove("namespaces", "a")
  await one.remove("configmaps", map)
  await controller.idle()
  expect(await published()).toBeUndefined()
  await controller.stop()
  controller = startRootCaPublisher(one, undefined)
  await one.create("namespaces", { metadata: { name: "b" } })
  await controller.idle()
  expect(await one.names("configmaps")).toEqual([])
})

test("a store that fails is tried again", async () => {
  const failed = failCommits(one, "/configmaps/b/", 2)
  await one.create("namespaces", { metadata: { name: "b" } })
  await controller.idle()
  await retried(one, controller)
  expect([failed(), await one.names("configmaps")]).toEqual([2, [map, "b/orch-root-ca.crt"]])
})
