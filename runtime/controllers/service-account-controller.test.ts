import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, failCommits, retried } from "../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { namespaceLifecycle } from "../admission/plugins/namespace-lifecycle.ts"
import { vendorProfile } from "../base/vendor.ts"
import { objectReader } from "../registry/object-reader.ts"
import type { Registry } from "../registry/registry.ts"
import type { KeyedController } from "./keyed-controller.ts"
import { startServiceAccountController } from "./service-account-controller.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  const reader = objectReader((): Registry => one.registry)
  one = await openRegistry({ admission: [namespaceLifecycle({ vendor: vendorProfile("orch"), reader })] })
  controller = startServiceAccountController(one)
  await controller.idle()
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

async function make(name: string): Promise<void> {
  await one.create("namespaces", { metadata: { name } })
  await controller.idle()
}

test("each namespace gets one, also those that were there before", async () => {
  await controller.stop()
  await one.create("namespaces", { metadata: { name: "before" } })
  controller = startServiceAccountController(one)
  await controller.idle()
  await make("after")
  expect(await one.names("serviceaccounts")).toEqual(["after/default", "before/default"])
})

test("a deleted one comes back, others do not", async () => {
  await make("a")
  await one.create("serviceaccounts", { metadata: { name: "other", namespace: "a" } })
  await one.remove("serviceaccounts", "a/default")
  await one.remove("serviceaccounts", "a/other")
  await controller.idle()
  expect(await one.names("serviceaccounts")).toEqual(["a/default"])
})

test("an account that is there stays as it is", async () => {
  const reader = one.registry.deps.random.uuid()
  await controller.stop()
  await one.create("namespaces", { metadata: { name: "a" } })
  await one.create("serviceaccounts", { metadata: { name: "default", namespace: "a", labels: { mine: reader } } })
  controller = startServiceAccountController(one)
  await controller.idle()
  expect((await one.get("serviceaccounts", "a/default"))?.metadata?.labels).toEqual({ mine: reader })
})

test("a terminating namespace gets none", async () => {
  await make("a")
  await one.remove("namespaces", "a")
  await one.remove("serviceaccounts", "a/default")
  await controller.idle()
  expect(await one.names("serviceaccounts")).toEqual([])
  expect(one.logged).toEqual([])
})

test("a namespace that begins to end meanwhile is no fault", async () => {
  await make("a")
  const api = one.api
  let reads = 0
  await controller.stop()
  controller = startServiceAccountController({
    ...one,
    api(user) {
      const operations = api(user)
      const { namespaces } = operations.core.v1
      const get: typeof namespaces.get = async (...args) => {
        const found = await namespaces.get(...args)
        reads++
        await one.remove("namespaces", "a").catch(() => {})
        return found
      }
      return {
        ...operations,
        core: { v1: { ...operations.core.v1, serviceaccounts: operations.core.v1.serviceaccounts, namespaces: { ...namespaces, get } } },
      }
    },
  })
  await one.remove("serviceaccounts", "a/default")
  await controller.idle()
  expect(reads).toBeGreaterThan(0)
  expect(await one.names("serviceaccounts")).toEqual([])
  expect(one.logged).toEqual([])
})

test("another server may be faster", async () => {
  const done = beforeCommit(one, "/serviceaccounts/a/default", () =>
    one.create("serviceaccounts", { metadata: { name: "default", namespace: "a" } }),
  )
  await make("a")
  expect([done(), await one.names("serviceaccounts"), one.logged]).toEqual([true, ["a/default"], []])
})

test("a store that fails is tried again", async () => {
  const failed = failCommits(one, "/serviceaccounts/", 2)
  await make("a")
  expect([failed(), await one.names("serviceaccounts")]).toEqual([1, []])
  await retried(one, controller)
  expect([failed(), await one.names("serviceaccounts")]).toEqual([2, ["a/default"]])
})
