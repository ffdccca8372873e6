import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, countCommits, failCommits, retried } from "../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { JsonObject } from "../base/json.ts"
import { startClusterRoleAggregation } from "./cluster-role-aggregation.ts"
import type { KeyedController } from "./keyed-controller.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  controller = startClusterRoleAggregation(one)
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

const rule = (resource: string): JsonObject => ({ apiGroups: [""], resources: [resource], verbs: ["get"] })

async function role(name: string, labels: Record<string, string>, ...resources: string[]): Promise<void> {
  await one.create("clusterroles", { metadata: { name, labels }, rules: resources.map(rule) })
  await controller.idle()
}

async function aggregated(name: string, ...matchLabels: Record<string, string>[]): Promise<void> {
  const clusterRoleSelectors = matchLabels.map((labels) => ({ matchLabels: labels }))
  await one.create("clusterroles", { metadata: { name }, aggregationRule: { clusterRoleSelectors } })
  await controller.idle()
}

async function resources(name: string): Promise<unknown[]> {
  const rules = (await one.get("clusterroles", name))?.["rules"]
  return (Array.isArray(rules) ? rules : []).flatMap((found) => (found as { resources: string[] }).resources)
}

test("the rules of what the selectors choose are united in the order of names, each once", async () => {
  await role("b", { to: "all" }, "pods", "secrets")
  await role("a", { to: "all" }, "services", "pods")
  await role("c", { to: "other" }, "nodes")
  await aggregated("all", { to: "all" })
  expect(await resources("all")).toEqual(["services", "pods", "secrets"])
  await aggregated("both", { to: "other" }, { to: "all" })
  expect(await resources("both")).toEqual(["nodes", "services", "pods", "secrets"])
})

test("roles that come, change and go are followed", async () => {
  await aggregated("all", { to: "all" })
  await role("a", { to: "all" }, "pods")
  expect(await resources("all")).toEqual(["pods"])
  await one.update("clusterroles", "a", (old) => ({ ...old, rules: [rule("nodes")] }))
  await controller.idle()
  expect(await resources("all")).toEqual(["nodes"])
  await one.update("clusterroles", "a", (old) => ({ ...old, metadata: { ...old.metadata, labels: {} } }))
  await controller.idle()
  expect(await resources("all")).toEqual([])
  await one.update("clusterroles", "a", (old) => ({ ...old, metadata: { ...old.metadata, labels: { to: "all" } } }))
  await controller.idle()
  expect(await resources("all")).toEqual(["nodes"])
  await one.remove("clusterroles", "a")
  await controller.idle()
  expect(await resources("all")).toEqual([])
})

test("aggregated roles may be chosen themselves, but not by themselves", async () => {
  await role("leaf", { to: "view" }, "pods")
  await one.create("clusterroles", {
    metadata: { name: "view", labels: { to: "edit" } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "view" } }, { matchLabels: { to: "edit" } }] },
  })
  await aggregated("edit", { to: "edit" })
  expect([await resources("view"), await resources("edit")]).toEqual([["pods"], ["pods"]])
})

test("a role that its own selector chooses does not keep what the others have lost", async () => {
  await role("leaf", { to: "view" }, "pods")
  await one.create("clusterroles", {
    metadata: { name: "view", labels: { to: "view" } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "view" } }] },
  })
  await controller.idle()
  expect(await resources("view")).toEqual(["pods"])
  await one.remove("clusterroles", "leaf")
  await controller.idle()
  expect(await resources("view")).toEqual([])
})

test("rules that somebody writes by hand are replaced", async () => {
  await role("a", { to: "all" }, "pods")
  await aggregated("all", { to: "all" })
  await one.update("clusterroles", "all", (old) => ({ ...old, rules: [rule("secrets")] }))
  await controller.idle()
  expect(await resources("all")).toEqual(["pods"])
})

test("a change concerns only the roles that choose it", async () => {
  await aggregated("all", { to: "all" })
  await aggregated("other", { to: "other" })
  const reads: string[] = []
  await controller.stop()
  controller = startClusterRoleAggregation({
    ...one,
    api(user) {
      const operations = one.api(user)
      const { clusterroles } = operations.rbac.v1
      const get: typeof clusterroles.get = (name, options) => {
        reads.push(name)
        return clusterroles.get(name, options)
      }
      return { ...operations, rbac: { v1: { ...operations.rbac.v1, clusterroles: { ...clusterroles, get } } } }
    },
  })
  await controller.idle()
  reads.length = 0
  await role("a", { to: "all" }, "pods")
  expect(new Set(reads)).toEqual(new Set(["all"]))
})

test("nothing is written when nothing has changed", async () => {
  await role("a", { to: "all" }, "pods")
  await aggregated("all", { to: "all" })
  await controller.stop()
  const commits = countCommits(one, "/clusterroles/")
  controller = startClusterRoleAggregation(one)
  await controller.idle()
  expect(commits()).toBe(0)
})

test("a role that goes meanwhile, and a store that fails", async () => {
  await aggregated("all", { to: "all" })
  const failed = failCommits(one, "/clusterroles/all", 2)
  await role("a", { to: "all" }, "pods")
  await retried(one, controller)
  expect([failed(), await resources("all")]).toEqual([2, ["pods"]])
  const gone = beforeCommit(one, "/clusterroles/all", () => one.remove("clusterroles", "all"))
  await role("b", { to: "all" }, "nodes")
  await retried(one, controller)
  expect([gone(), await one.get("clusterroles", "all")]).toEqual([true, undefined])
})

test("a role that goes after it was read does not come back, and another one of its name is left alone", async () => {
  await role("a", { to: "all" }, "pods")
  for (const next of [undefined, { metadata: { name: "all" }, rules: [rule("secrets")] }]) {
    await aggregated("all", { to: "all" })
    await controller.stop()
    await one.update("clusterroles", "all", (old) => ({ ...old, rules: [rule("nodes")] }))
    let isRead = false
    controller = startClusterRoleAggregation({
      ...one,
      api(user) {
        const operations = one.api(user)
        const { clusterroles } = operations.rbac.v1
        const get: typeof clusterroles.get = async (name, options) => {
          const found = await clusterroles.get(name, options)
          if (!isRead) {
            isRead = true
            await one.remove("clusterroles", "all")
            if (next !== undefined) await one.create("clusterroles", next)
          }
          return found
        }
        return { ...operations, rbac: { v1: { ...operations.rbac.v1, clusterroles: { ...clusterroles, get } } } }
      },
    })
    await controller.idle()
    expect([isRead, await resources("all")]).toEqual([true, next === undefined ? [] : ["secrets"]])
    expect((await one.get("clusterroles", "all")) === undefined).toBe(next === undefined)
    if (next !== undefined) await one.remove("clusterroles", "all")
  }
})
