/**
 * The objects that admission plugins see, for every kind of write (CVE-2021-25735): the stored one and the one that
 * will be stored, and their order.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { writeAttributes } from "../../test/support/write-attributes.ts"
import type { AdmissionPlugin, RequestAttributes } from "../admission/plugin.ts"
import { forbidden } from "../base/errors.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { ApiObject } from "../base/json.ts"
import { deleteObject } from "./delete.ts"
import { parseObject } from "./object-codec.ts"
import { updateObject } from "./update.ts"

interface Seen extends Pick<RequestAttributes, "operation" | "subresource" | "object" | "oldObject"> {
  readonly moment: "mutate" | "validate"
}

let one: OpenRegistry
let seen: Seen[]
/** The mutating plugin's result. */
let mutate: (attributes: RequestAttributes) => ApiObject | undefined
beforeEach(async () => {
  seen = []
  mutate = () => undefined
  const plugin: AdmissionPlugin = {
    name: "Looking",
    operations: ["CREATE", "UPDATE", "DELETE"],
    mutate(attributes) {
      note("mutate", attributes)
      return mutate(attributes)
    },
    validate(attributes) {
      note("validate", attributes)
      if (attributes.name === "refused" && attributes.operation === "DELETE")
        throw forbidden({ group: "", resource: "pods", name: "refused" }, "no")
    },
  }
  one = await openRegistry({ admission: [plugin] })
})
afterEach(() => one.close())

function note(moment: Seen["moment"], { operation, subresource, object, oldObject }: RequestAttributes): void {
  seen.push({ moment, operation, subresource, object: object && deepClone(object), oldObject: oldObject && deepClone(oldObject) })
}

/** Returns the last call that the validating plugin saw. */
function validated(): Seen {
  const last = seen.at(-1)
  if (last?.moment !== "validate") throw new Error("nothing was validated")
  return last
}

const pod: ApiObject = {
  metadata: { name: "p", namespace: "a", labels: { a: "b" } },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i", resources: {} }] },
}

async function makePod(object: ApiObject = pod): Promise<ApiObject> {
  await one.create("pods", object)
  seen = []
  return stored(`a/${object.metadata?.name}`)
}

async function stored(path: string): Promise<ApiObject> {
  const handle = await one.handle("pods")
  const [namespace = "", name = ""] = path.split("/")
  const entry = handle.cache.get(handle.key(namespace, name))
  if (entry === undefined) throw new Error(`${path} is not there`)
  return parseObject(entry.json())
}

async function update(
  change: (old: ApiObject) => ApiObject | Promise<ApiObject>,
  options: { subresource?: string; put?: boolean } = {},
): Promise<void> {
  const handle = await one.handle("pods")
  const subresource = handle.kind.subresources.find(({ name }) => name === options.subresource)
  await updateObject(one.registry, handle, {
    attributes: writeAttributes("UPDATE", handle, { namespace: "a", name: "p", subresource: subresource?.name ?? "" }),
    put: options.put ?? false,
    transform: (old) => change(old ?? {}),
    ...(subresource !== undefined && { subresource }),
  })
}

/** The object without its version, which only the commit sets. */
function unversioned(object: ApiObject | undefined): ApiObject {
  const { resourceVersion: _version, ...metadata } = object?.metadata ?? {}
  return { ...object, metadata }
}

test.each([
  { way: "an update", put: true },
  { way: "a patch", put: false },
])(
  "$way shows plugins the stored object, and validating plugins the one to be stored, whatever the client sent (CVE-2021-25735)",
  async ({ put }) => {
    const before = await makePod()
    await update(
      (old) => ({
        ...old,
        metadata: { ...old.metadata, labels: { a: "c" }, creationTimestamp: "2001-01-01T00:00:00Z", generation: 77 },
        status: { phase: "Failed" },
      }),
      { put },
    )
    const after = await stored("a/p")
    expect(seen.map(({ moment, operation }) => [moment, operation])).toEqual([
      ["mutate", "UPDATE"],
      ["validate", "UPDATE"],
    ])
    expect(seen.map(({ oldObject }) => oldObject)).toEqual([before, before])
    expect(seen[0]?.object).toMatchObject({ metadata: { generation: 77 }, status: { phase: "Failed" } })
    expect(unversioned(validated().object)).toEqual(unversioned(after))
    expect(after.status).toEqual(before.status)
  },
)

test("validation through a sub-resource sees the stored values of fields that it does not write", async () => {
  const before = await makePod()
  await update((old) => ({ ...old, spec: { nodeName: "other", containers: [] }, status: { phase: "Running" } }), { subresource: "status" })
  expect(seen[0]).toMatchObject({ subresource: "status", object: { spec: { nodeName: "other" } } })
  expect(validated()).toMatchObject({ operation: "UPDATE", subresource: "status", oldObject: before, object: { spec: before.spec } })
  expect(unversioned(validated().object)).toEqual(unversioned(await stored("a/p")))
})

test("an update that removes the object is admitted as an update", async () => {
  await makePod({ ...pod, metadata: { ...pod.metadata, finalizers: ["example.com/x"] } })
  await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })
  const before = await stored("a/p")
  seen = []
  await update((old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  expect(seen.map(({ operation, oldObject }) => [operation, oldObject])).toEqual([
    ["UPDATE", before],
    ["UPDATE", before],
  ])
  expect(await one.names("pods")).toEqual([])
})

test("every attempt shows mutating and validating plugins the newest stored object", async () => {
  await makePod()
  let raced = false
  await update(async (old) => {
    if (!raced) {
      raced = true
      await one.update("pods", "a/p", (other) => ({ ...other, metadata: { ...other.metadata, labels: { faster: "yes" } } }))
      seen = []
    }
    return { ...old, metadata: { ...old.metadata, annotations: { a: "b" } } }
  })
  expect(seen.map(({ moment, oldObject }) => [moment, oldObject?.metadata?.labels])).toEqual([
    ["mutate", { a: "b" }],
    ["validate", { a: "b" }],
    ["mutate", { faster: "yes" }],
    ["validate", { faster: "yes" }],
  ])
})

test("a deletion shows the stored object, after its preconditions have been checked", async () => {
  const before = await makePod()
  const handle = await one.handle("pods")
  const attributes = writeAttributes("DELETE", handle, { namespace: "a", name: "p" })
  await expect(deleteObject(one.registry, handle, { attributes, uid: "other" })).rejects.toThrow(
    /the UID in the precondition \(other\) does not match the UID in record/,
  )
  expect(seen).toEqual([])
  await deleteObject(one.registry, handle, { attributes })
  const deletion = { operation: "DELETE", subresource: "", object: undefined, oldObject: before }
  expect(seen).toEqual([
    { moment: "mutate", ...deletion },
    { moment: "validate", ...deletion },
  ])
})

test("a refused write is not committed", async () => {
  await makePod({ ...pod, metadata: { ...pod.metadata, name: "refused" } })
  await expect(one.remove("pods", "a/refused")).rejects.toThrow(/forbidden/)
  expect(await one.names("pods")).toEqual(["a/refused"])
})

test("a new object gets uid, creation time and generated name between mutation and validation", async () => {
  await one.create("pods", { ...pod, metadata: { generateName: "p-", namespace: "a" } })
  const [first, last] = seen
  expect(first?.object?.metadata).toMatchObject({ generateName: "p-", namespace: "a" })
  for (const field of ["name", "uid", "creationTimestamp"] as const) {
    expect(first?.object?.metadata?.[field]).toBeUndefined()
    expect(last?.object?.metadata?.[field]).toEqual(expect.any(String))
  }
  expect(last?.object?.metadata?.name).toMatch(/^p-/)
  // An object has no version before it is stored.
  const inOrder = ["name", "generateName", "namespace", "uid", "creationTimestamp"]
  expect(Object.keys(last?.object?.metadata ?? {}).slice(0, inOrder.length)).toEqual(inOrder)
  const { metadata } = await stored(`a/${last?.object?.metadata?.name}`)
  const versioned = inOrder.toSpliced(4, 0, "resourceVersion")
  expect(Object.keys(metadata ?? {}).slice(0, versioned.length)).toEqual(versioned)
})

describe("the object of a mutating plugin", () => {
  const withLabel = ({ object }: RequestAttributes): ApiObject => ({
    ...object,
    metadata: { ...object?.metadata, labels: { ...object?.metadata?.labels, by: "plugin" } },
  })

  test("is stored, in the published order", async () => {
    mutate = withLabel
    await one.create("pods", pod)
    const created = await stored("a/p")
    expect(created.metadata?.labels).toEqual({ a: "b", by: "plugin" })
    const inOrder = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]
    expect(Object.keys(created.metadata ?? {}).slice(0, inOrder.length)).toEqual(inOrder)
  })

  test("is defaulted and pruned", async () => {
    mutate = ({ object }) => ({
      ...object,
      nonsense: 1,
      spec: { ...(object?.spec as object), containers: [{ name: "other", image: "i" }] },
    })
    await one.create("pods", pod)
    const created = await stored("a/p")
    expect(created.nonsense).toBeUndefined()
    expect(created.spec).toMatchObject({ containers: [{ name: "other", imagePullPolicy: "Always" }] })
  })

  test("must pass the validation of the kind before validating plugins see it", async () => {
    mutate = ({ object }) => ({ ...object, spec: { ...(object?.spec as object), containers: [] } })
    await expect(one.create("pods", pod)).rejects.toMatchObject({ code: 422 })
    expect(seen.map(({ moment }) => moment)).toEqual(["mutate"])
  })

  test("is made again for every attempt, before a stale version is refused", async () => {
    await makePod()
    mutate = withLabel
    const stale = (old: ApiObject): ApiObject => ({ ...old, metadata: { ...old.metadata, resourceVersion: "1" } })
    await expect(update(stale, { put: true })).rejects.toMatchObject({ code: 409 })
    expect(seen.map(({ moment }) => moment)).toEqual(["mutate"])
    await update((old) => ({ ...old, metadata: { ...old.metadata, annotations: { x: "y" } } }))
    expect((await stored("a/p")).metadata?.labels).toEqual({ a: "b", by: "plugin" })
  })
})
