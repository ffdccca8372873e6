import { afterEach, beforeEach, expect, it } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { ApiObject, JsonValue } from "../../base/json.ts"
import { ensurePolicy } from "./ensure-policy.ts"

let one: OpenRegistry
beforeEach(async () => {
  one = await openRegistry({ vendor: "kubernetes" })
})
afterEach(() => one.close())

const roleOf = (name: string) => one.get("clusterroles", name)
const bindingOf = (name: string) => one.get("clusterrolebindings", name)
const optOut = { annotations: { "rbac.authorization.kubernetes.io/autoupdate": "false" } }
const versions = async (): Promise<unknown[]> =>
  Promise.all((await one.names("clusterroles")).map(async (name) => (await roleOf(name))?.metadata?.resourceVersion))

async function change(resource: "clusterroles" | "clusterrolebindings", name: string, next: Record<string, JsonValue>): Promise<void> {
  await one.update(resource, name, (old): ApiObject => ({ ...old, ...next }))
}

it("makes everything, and changes nothing the second time", async () => {
  await ensurePolicy(one)
  expect((await one.names("clusterroles")).length).toBe(64)
  expect((await one.names("clusterrolebindings")).length).toBe(45)
  expect((await one.names("roles")).length).toBe(7)
  expect((await one.names("rolebindings")).length).toBe(7)
  const before = await versions()
  await ensurePolicy(one)
  expect(await versions()).toEqual(before)
})

it("adds rules that are missing, keeps those that users added, and what covers more", async () => {
  await ensurePolicy(one)
  const own = { verbs: ["get"], apiGroups: ["example.com"], resources: ["kettles"] }
  await change("clusterroles", "system:basic-user", { rules: [own] })
  await change("clusterroles", "system:public-info-viewer", { rules: [{ verbs: ["*"], nonResourceURLs: ["*"] }] })
  await ensurePolicy(one)
  expect((await roleOf("system:basic-user"))?.["rules"]).toEqual([
    own,
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews"] },
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectrulesreviews"] },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ])
  expect((await roleOf("system:public-info-viewer"))?.["rules"]).toEqual([{ verbs: ["*"], nonResourceURLs: ["*"] }])
})

it("leaves alone what a user has protected", async () => {
  await ensurePolicy(one)
  await change("clusterroles", "system:basic-user", { metadata: { name: "system:basic-user", ...optOut }, rules: [] })
  await change("clusterrolebindings", "system:basic-user", { metadata: { name: "system:basic-user", ...optOut }, subjects: [] })
  await ensurePolicy(one)
  expect((await roleOf("system:basic-user"))?.["rules"] ?? []).toEqual([])
  expect((await bindingOf("system:basic-user"))?.["subjects"] ?? []).toEqual([])
})

it("adds subjects, labels and annotations, and keeps those that users gave", async () => {
  await ensurePolicy(one)
  const jane = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }
  await change("clusterrolebindings", "system:monitoring", {
    metadata: { name: "system:monitoring", labels: { own: "1" } },
    subjects: [jane],
  })
  // A value changed by a user stays.
  const changed = {
    labels: { "kubernetes.io/bootstrapping": "mine" },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "yes" },
  }
  await change("clusterroles", "system:basic-user", { metadata: { name: "system:basic-user", ...changed } })
  await ensurePolicy(one)
  expect(await bindingOf("system:monitoring")).toMatchObject({
    metadata: {
      labels: { own: "1", "kubernetes.io/bootstrapping": "rbac-defaults" },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
    subjects: [jane, { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:monitoring" }],
  })
  expect((await roleOf("system:basic-user"))?.metadata).toMatchObject(changed)
})

it("replaces a binding to another role, with its subjects", async () => {
  const jane = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "other" }
  await one.create("clusterrolebindings", { metadata: { name: "system:basic-user" }, roleRef, subjects: [jane] })
  await ensurePolicy(one)
  expect(await bindingOf("system:basic-user")).toMatchObject({
    roleRef: { name: "system:basic-user" },
    subjects: [jane, { name: "system:authenticated" }],
  })
})

it("leaves a binding alone that somebody replaced after it was read", async () => {
  const name = "system:basic-user"
  const subject = (user: string) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user })
  const bound = (role: string, user: string) => ({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [subject(user)],
  })
  await one.create("clusterrolebindings", bound("other", "dismissed"))
  let isReplaced = false
  await ensurePolicy({
    ...one,
    api(user) {
      const operations = one.api(user)
      const { clusterrolebindings } = operations.rbac.v1
      const remove: typeof clusterrolebindings.delete = async (...given) => {
        if (!isReplaced) {
          isReplaced = true
          await one.remove("clusterrolebindings", name)
          await one.create("clusterrolebindings", bound(name, "jane"))
        }
        await clusterrolebindings.delete(...given)
      }
      return { ...operations, rbac: { v1: { ...operations.rbac.v1, clusterrolebindings: { ...clusterrolebindings, delete: remove } } } }
    },
  })
  expect(isReplaced).toBe(true)
  expect((await bindingOf(name))?.["subjects"]).toEqual([
    subject("jane"),
    { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:authenticated" },
  ])
})

it("keeps the rules that an administrator had in roles that are now united", async () => {
  const rules = [{ verbs: ["get"], apiGroups: ["example.com"], resources: ["kettles"] }]
  await one.create("clusterroles", { metadata: { name: "view" }, rules })
  await ensurePolicy(one)
  expect((await roleOf("system:aggregate-to-view"))?.["rules"]).toEqual(expect.arrayContaining(rules))
  expect(await roleOf("view")).toMatchObject({ aggregationRule: { clusterRoleSelectors: [{ matchLabels: {} }] }, rules })
})
