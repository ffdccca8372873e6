import { afterEach, describe, expect, test } from "vitest"
import { kinds } from "../../generated/index.ts"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"

let opened: OpenRegistry | undefined
afterEach(() => opened?.close())

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
const metadata = { name: "n", namespace: "default" }

/** By resource: an object of a kind with a generation, and a change of its spec that increments it. */
const counted: Readonly<Record<string, { object: ApiObject; change: JsonObject }>> = {
  deployments: { object: { metadata, spec: { selector: { matchLabels: { a: "b" } }, template } }, change: { replicas: 3 } },
  customresourcedefinitions: {
    object: {
      metadata: { name: "kettles.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "kettles", singular: "kettle", kind: "Kettle", listKind: "KettleList" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        conversion: { strategy: "None" },
      },
    },
    change: { names: { plural: "kettles", singular: "kettle", kind: "Kettle", listKind: "KettleList", categories: ["all"] } },
  },
  replicationcontrollers: { object: { metadata, spec: { selector: { a: "b" }, template } }, change: { replicas: 3 } },
  poddisruptionbudgets: {
    object: { metadata, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
    change: { minAvailable: 2 },
  },
}

const withGeneration = Object.values(kinds).flatMap((kind) => (kind.rules.generation === undefined ? [] : [kind.resource]))

test("this test has an object of every kind with a generation", () => {
  expect([...new Set(withGeneration)].sort()).toEqual(Object.keys(counted).sort())
})

describe.each(Object.entries(counted))("the generation of %s", (resource, { object, change }) => {
  test("starts at 1 and grows with changes of the spec only", async () => {
    opened = await openRegistry()
    const made = await opened.create(resource, object)
    expect(made.metadata?.generation).toBe(1)
    const { name = "", namespace } = object.metadata ?? {}
    const path = namespace === undefined ? name : `${namespace}/${name}`
    const update = (changed: (old: ApiObject) => ApiObject): Promise<ApiObject> => (opened ?? never()).update(resource, path, changed)
    const labelled = await update((old) => ({ ...old, metadata: { ...old.metadata, labels: { x: "y" } } }))
    expect(labelled.metadata).toMatchObject({ generation: 1, labels: { x: "y" } })
    const asked = await update((old) => ({ ...old, metadata: { ...old.metadata, generation: 7 } }))
    expect(asked.metadata?.generation).toBe(1)
    const scaled = await update((old) => ({ ...old, spec: { ...(old.spec as JsonObject), ...change } })) // Every one of them has a spec.
    expect(scaled.metadata?.generation).toBe(2)
  })
})

function never(): never {
  throw new Error("opened above")
}
