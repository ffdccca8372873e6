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
  const u = { uid: "u", key: "/u" }
  index.put({ key: "/a", owners: [owner("u", true)] })
  index.put({ key: "/b", owners: [owner("u", false), owner("v", true)] })
  expect([index.isBlocked(u), index.isBlocked({ uid: "v", key: "/v" })]).toEqual([true, true])
  index.put({ key: "/a", owners: [owner("u")] })
  expect(index.isBlocked(u)).toBe(false)
  index.put({ key: "/b", owners: [owner("u", true)] })
  expect([index.isBlocked(u), index.isBlocked({ uid: "v", key: "/v" })]).toEqual([true, false])
  index.remove("/b")
  expect([index.isBlocked(u), index.hasDependents("u"), index.dependentsOf("u").length]).toEqual([false, true, 1])
  index.remove("/a")
  expect([index.hasDependents("u"), index.size]).toEqual([false, 0])
})

test("an object never blocks itself, but other objects can block it", () => {
  const index = new OwnerIndex()
  const self = { uid: "u", key: "/u" }
  index.put({ key: "/u", owners: [owner("u", true)] })
  expect(index.isBlocked(self)).toBe(false)
  index.put({ key: "/a", owners: [owner("u", true)] })
  expect(index.isBlocked(self)).toBe(true)
})

test("an owner that is named twice counts once", () => {
  const index = new OwnerIndex()
  index.put({ key: "/a", owners: [owner("u", true), owner("u", false)] })
  expect(index.dependentsOf("u").length).toBe(1)
  index.remove("/a")
  expect(index.isBlocked({ uid: "u", key: "/u" })).toBe(false)
})
