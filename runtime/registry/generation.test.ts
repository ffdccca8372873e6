import { afterEach, describe, expect, test } from "vitest"
import { kinds } from "../../generated/index.ts"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import { leastObjects } from "../../test/support/least-objects.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"

let opened: OpenRegistry | undefined
afterEach(() => opened?.close())

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
const metadata = { name: "n", namespace: "default" }

/** By resource: an object of a kind with a generation, a change of its spec that increments it, and the first one. */
const counted: Readonly<Record<string, { object: ApiObject; change: JsonObject; first?: 0 | 1 }>> = {
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
  ...Object.fromEntries(
    [
      ["CronJob", { suspend: true }],
      ["DaemonSet", { minReadySeconds: 3 }],
      ["ReplicaSet", { replicas: 3 }],
      ["StatefulSet", { replicas: 3 }],
      ["Job", { parallelism: 3 }],
      ["Ingress", { ingressClassName: "a" }],
      ["NetworkPolicy", { policyTypes: ["Egress"] }],
    ].map(([kind, change]) => [
      resourceOf(String(kind)),
      { object: { metadata, ...leastObjects[String(kind)] }, change: change as JsonObject },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries<JsonObject>({
      FlowSchema: { matchingPrecedence: 3 },
      PriorityLevelConfiguration: { limited: { nominalConcurrencyShares: 3, limitResponse: { type: "Reject" } } },
      StorageVersionMigration: { continueToken: "more" },
      ValidatingAdmissionPolicy: { failurePolicy: "Ignore" },
      ValidatingAdmissionPolicyBinding: { policyName: "b" },
    }).map(([kind, change]) => [resourceOf(kind), { object: { metadata: { name: "n" }, ...leastObjects[kind] }, change }]),
  ),
  csidrivers: { object: { metadata: { name: "n" }, spec: {} }, change: { requiresRepublish: true }, first: 0 },
  ingressclasses: { object: { metadata: { name: "n" }, ...leastObjects.IngressClass }, change: { parameters: { kind: "K", name: "n" } } },
  poddisruptionbudgets: {
    object: { metadata, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
    change: { minAvailable: 2 },
  },
}

/** Kinds whose generation counts other fields than the spec, or nothing; `test/api/kinds` has them. */
const others = ["endpointslices", "mutatingwebhookconfigurations", "podtemplates", "priorityclasses", "validatingwebhookconfigurations"]

function resourceOf(kind: string): string {
  return kinds.find((one) => one.kind === kind)?.resource ?? ""
}

const withGeneration = Object.values(kinds).flatMap((kind) => (kind.rules.generation === undefined ? [] : [kind.resource]))

test("this test has an object of every kind with a generation", () => {
  expect([...new Set(withGeneration)].sort()).toEqual([...Object.keys(counted), ...others].sort())
})

describe.each(Object.entries(counted))("the generation of %s", (resource, { object, change, first = 1 }) => {
  test("starts at its first number and grows with changes of the spec only", async () => {
    // Zero is absent.
    const unchanged = first === 0 ? undefined : first
    opened = await openRegistry()
    const made = await opened.create(resource, object)
    expect(made.metadata?.generation).toBe(unchanged)
    const { name = "", namespace } = object.metadata ?? {}
    const path = namespace === undefined ? name : `${namespace}/${name}`
    const update = (changed: (old: ApiObject) => ApiObject): Promise<ApiObject> => (opened ?? never()).update(resource, path, changed)
    const labelled = await update((old) => ({ ...old, metadata: { ...old.metadata, labels: { x: "y" } } }))
    expect(labelled.metadata).toMatchObject({ labels: { x: "y" } })
    expect(labelled.metadata?.generation).toBe(unchanged)
    const asked = await update((old) => ({ ...old, metadata: { ...old.metadata, generation: 7 } }))
    expect(asked.metadata?.generation).toBe(unchanged)
    const scaled = await update((old) => ({ ...old, spec: { ...(old.spec as JsonObject), ...change } })) // Every one of them has a spec.
    expect(scaled.metadata?.generation).toBe(first + 1)
  })
})

function never(): never {
  throw new Error("opened above")
}
