/** What admission is shown: the stored object and the one that will be stored, on every way to write (CVE-2021-25735). */
import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { forbidden } from "../errors.ts"
import { deepClone } from "../kit/field-path.ts"
import type { ApiObject } from "../kit/json.ts"
import { parseObject } from "./object-codec.ts"
import type { Admission, AdmissionRequest, Registry } from "./registry.ts"
import { deleteObject } from "./delete.ts"
import { updateObject } from "./update.ts"

let one: OpenRegistry
let registry: Registry
let seen: Pick<AdmissionRequest, "operation" | "subresource" | "object" | "old">[]
beforeEach(async () => {
  one = await openRegistry()
  seen = []
  const admission: Admission[] = [
    async ({ operation, subresource, object, old, name }) => {
      seen.push({
        operation,
        ...(subresource !== undefined && { subresource }),
        ...(object !== undefined && { object: deepClone(object) }),
        ...(old !== undefined && { old: deepClone(old) }),
      })
      if (name === "refused") throw forbidden({ group: "", resource: "pods", name }, "no")
    },
  ]
  registry = Object.assign(Object.create(one.registry), { deps: { ...one.registry.deps, admission } })
})
afterEach(() => one.close())

const pod: ApiObject = {
  metadata: { name: "p", namespace: "a", labels: { a: "b" } },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
}

async function handleOf(resource: string) {
  const kind = registry.deps.kinds.find("", "v1", resource)
  if (kind === undefined) throw new Error(`${resource} is not served`)
  return registry.handle(kind)
}

async function stored(resource: string, path: string): Promise<ApiObject> {
  const handle = await handleOf(resource)
  const [namespace = "", name = ""] = path.split("/")
  const entry = handle.cache.get(handle.key(namespace, name))
  if (entry === undefined) throw new Error(`${path} is not there`)
  return parseObject(entry.json())
}

async function update(
  change: (old: ApiObject) => ApiObject | Promise<ApiObject>,
  options: { subresource?: string; put?: boolean } = {},
): Promise<void> {
  const handle = await handleOf("pods")
  const subresource = handle.kind.subresources.find(({ name }) => name === options.subresource)
  await updateObject(registry, handle, {
    namespace: "a",
    name: "p",
    dryRun: false,
    put: options.put ?? false,
    warn: () => {},
    transform: (old) => change(old ?? {}),
    ...(subresource !== undefined && { subresource }),
  })
}

/** All that is stored of an object but its version, which the commit gives. */
function unversioned(object: ApiObject | undefined): ApiObject {
  const { resourceVersion: _version, ...metadata } = object?.metadata ?? {}
  return { ...object, metadata }
}

test.each([
  { way: "an update", put: true },
  { way: "a patch", put: false },
])("$way shows the stored object and the one that is stored then, whatever the client said of either", async ({ put }) => {
  await one.create("pods", pod)
  const before = await stored("pods", "a/p")
  await update(
    (old) => ({
      ...old,
      metadata: { ...old.metadata, labels: { a: "c" }, creationTimestamp: "2001-01-01T00:00:00Z", generation: 77 },
      status: { phase: "Failed" },
    }),
    { put },
  )
  const after = await stored("pods", "a/p")
  expect(seen.map(({ operation }) => operation)).toEqual(["update"])
  expect(seen[0]?.old).toEqual(before)
  expect(unversioned(seen[0]?.object)).toEqual(unversioned(after))
  expect(after.status).toEqual(before.status)
})

test("a sub-resource shows what is kept of the stored object, not what the client sent of it", async () => {
  await one.create("pods", pod)
  const before = await stored("pods", "a/p")
  await update((old) => ({ ...old, spec: { nodeName: "other", containers: [] }, status: { phase: "Running" } }), { subresource: "status" })
  expect(seen).toMatchObject([{ operation: "update", subresource: "status", old: before, object: { spec: before.spec } }])
  expect(unversioned(seen[0]?.object)).toEqual(unversioned(await stored("pods", "a/p")))
})

test("an update that removes the object is an update", async () => {
  await one.create("pods", { ...pod, metadata: { ...pod.metadata, finalizers: ["example.com/x"] } })
  await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })
  const before = await stored("pods", "a/p")
  await update((old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  expect(seen.map(({ operation }) => operation)).toEqual(["update"])
  expect(seen[0]?.old).toEqual(before)
  expect(await one.names("pods")).toEqual([])
})

test("every attempt shows the object as it is by then", async () => {
  await one.create("pods", pod)
  let raced = false
  await update(async (old) => {
    if (!raced) {
      raced = true
      await one.update("pods", "a/p", (other) => ({ ...other, metadata: { ...other.metadata, labels: { faster: "yes" } } }))
    }
    return { ...old, metadata: { ...old.metadata, annotations: { a: "b" } } }
  })
  expect(seen.map(({ old }) => old?.metadata?.labels)).toEqual([{ a: "b" }, { faster: "yes" }])
})

test("deletion shows the stored object, once its preconditions hold", async () => {
  await one.create("pods", pod)
  const before = await stored("pods", "a/p")
  const handle = await handleOf("pods")
  const request = { namespace: "a", name: "p", dryRun: false }
  await expect(deleteObject(registry, handle, { ...request, uid: "other" })).rejects.toThrow(
    /the UID in the precondition \(other\) does not match the UID in record/,
  )
  expect(seen).toEqual([])
  await deleteObject(registry, handle, request)
  expect(seen).toEqual([{ operation: "delete", old: before }])
})

test("what admission refuses is not written", async () => {
  await one.create("pods", { ...pod, metadata: { ...pod.metadata, name: "refused" } })
  const handle = await handleOf("pods")
  await expect(deleteObject(registry, handle, { namespace: "a", name: "refused", dryRun: false })).rejects.toThrow(/forbidden/)
  expect(await one.names("pods")).toEqual(["a/refused"])
})
