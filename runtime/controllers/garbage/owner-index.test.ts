import { expect, test } from "vitest"
import type { OwnerReference } from "../../base/json.ts"
import { OwnerIndex } from "./owner-index.ts"

const owner = (uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
})

test("counts what blocks an owner while dependents are added, changed and removed", () => {
  const index = new OwnerIndex()
  const u = { uid: "u", key: "/u", namespace: "n" }
  index.put({ key: "/a", namespace: "n", owners: [owner("u", true)] })
  index.put({ key: "/b", namespace: "n", owners: [owner("u", false), owner("v", true)] })
  expect([index.isBlocked(u), index.isBlocked({ uid: "v", key: "/v", namespace: "n" })]).toEqual([true, true])
  index.put({ key: "/a", namespace: "n", owners: [owner("u")] })
  expect(index.isBlocked(u)).toBe(false)
  index.put({ key: "/b", namespace: "n", owners: [owner("u", true)] })
  expect([index.isBlocked(u), index.isBlocked({ uid: "v", key: "/v", namespace: "n" })]).toEqual([true, false])
  index.remove("/b")
  expect([index.isBlocked(u), index.hasDependents("u"), index.dependentsOf("u").length]).toEqual([false, true, 1])
  index.remove("/a")
  expect([index.hasDependents("u"), index.size]).toEqual([false, 0])
})

test("an object never blocks itself, but other objects can block it", () => {
  const index = new OwnerIndex()
  const self = { uid: "u", key: "/u", namespace: "n" }
  index.put({ key: "/u", namespace: "n", owners: [owner("u", true)] })
  expect(index.isBlocked(self)).toBe(false)
  index.put({ key: "/a", namespace: "n", owners: [owner("u", true)] })
  expect(index.isBlocked(self)).toBe(true)
})

test("an owner that is named twice counts once", () => {
  const index = new OwnerIndex()
  index.put({ key: "/a", namespace: "n", owners: [owner("u", true), owner("u", false)] })
  expect(index.dependentsOf("u").length).toBe(1)
  index.remove("/a")
  expect(index.isBlocked({ uid: "u", key: "/u", namespace: "n" })).toBe(false)
})

test("only what can have an owner blocks it: its namespace's objects, and any of a cluster-scoped owner", () => {
  const index = new OwnerIndex()
  const [here, cluster] = [
    { uid: "u", key: "/u", namespace: "n" },
    { uid: "c", key: "/c", namespace: "" },
  ]
  index.put({ key: "/elsewhere", namespace: "other", owners: [owner("u", true)] })
  index.put({ key: "/cluster-scoped", namespace: "", owners: [owner("u", true)] })
  expect(index.isBlocked(here)).toBe(false)
  index.put({ key: "/a", namespace: "n", owners: [owner("u", true), owner("c", true)] })
  expect([index.isBlocked(here), index.isBlocked(cluster)]).toEqual([true, true])
  index.remove("/a")
  expect([index.isBlocked(here), index.isBlocked(cluster), index.hasDependents("u")]).toEqual([false, false, true])
})
