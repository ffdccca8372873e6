/** Background work, and short requests, over many objects. Each case stores `count` of something, then runs. */
import type { ApiObject } from "../../runtime/base/json.ts"
import { startGarbageCollector } from "../../runtime/controllers/garbage/garbage-collector.ts"
import { contentKinds, sweep } from "../../runtime/controllers/namespace/namespace-content.ts"
import { readAll } from "../../runtime/registry/read-all.ts"
import { selectObjects } from "../../runtime/verbs/select-objects.ts"
import { labelSelectorStages } from "../../runtime/query/selector.ts"
import { inParallel } from "../../runtime/base/in-parallel.ts"
import type { OpenRegistry } from "../support/open-registry.ts"

export interface TurnCase {
  readonly name: string
  /** Number of things to store; twice as many are measured too. */
  readonly count: number
  /**
   * Growth of the longest turn with twice as much: none for more objects; twice as long for an object of twice the
   * size, which is read at once.
   */
  readonly growth: 1 | 2
  /** Stores the input of the case, and returns the work to measure. */
  prepare(one: OpenRegistry, count: number): Promise<() => Promise<void>>
  /** Largest share of all the work that one turn may take: an object is read at once and then worked on in turns. */
  readonly share?: number
  /** Measures the work a second time, which may cost only this share of the first: nothing has changed. */
  readonly again?: number
}

const namespace = "n"
const owner = (index: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `o${index}`,
  uid: `uid-${index}`,
  blockOwnerDeletion: true,
})
const configMap = (name: string, more: ApiObject["metadata"], data: Record<string, string> = {}): ApiObject => ({
  metadata: { name, namespace, ...more },
  data,
})
const each = async (count: number, store: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < count; index++) await store(index)
}

async function collected(one: OpenRegistry): Promise<void> {
  const collector = startGarbageCollector(one, { workers: 20 })
  await collector.idle()
  await collector.stop()
}

export const turnCases: readonly TurnCase[] = [
  {
    name: "absent owners of an object",
    count: 1500,
    growth: 2,
    share: 0.35,
    async prepare(one, count) {
      await each(100, (index) => one.create("namespaces", { metadata: { name: `s${index}` } }))
      await one.create("configmaps", configMap("big", { ownerReferences: Array.from({ length: count }, (_, index) => owner(index)) }))
      return () => collected(one)
    },
  },
  {
    name: "objects with an owner when the garbage collector starts",
    count: 1000,
    growth: 1,
    async prepare(one, count) {
      const { metadata } = await one.create("configmaps", configMap("o0", {}))
      const ownerReferences = [{ ...owner(0), uid: metadata?.uid ?? "" }]
      await each(count, (index) => one.create("configmaps", configMap(`c${index}`, { ownerReferences })))
      return () => collected(one)
    },
  },
  {
    name: "objects that finalizers hold in a namespace",
    count: 2000,
    growth: 1,
    again: 0.5,
    async prepare(one, count) {
      const held = { finalizers: ["example.com/held"] }
      await each(count, async (index) => {
        await one.create("configmaps", configMap(`c${index}`, held, { text: "x".repeat(256) }))
        await one.remove("configmaps", `${namespace}/c${index}`)
      })
      const kinds = contentKinds(one.registry).filter(({ resource }) => resource === "configmaps")
      return async () => {
        await sweep(one.registry, kinds, { name: namespace, isStill: async () => true })
      }
    },
  },
  {
    name: "disruption budgets that an eviction looks at",
    count: 20,
    growth: 1,
    again: 0.05,
    async prepare(one, count) {
      const matchExpressions = Array.from({ length: 1000 }, (_, index) => ({ key: `k${index}`, operator: "DoesNotExist" }))
      const spec = { minAvailable: 1, selector: { matchExpressions } }
      await each(count, (index) => one.create("poddisruptionbudgets", { metadata: { name: `b${index}`, namespace }, spec }))
      const handle = await one.handle("poddisruptionbudgets")
      return async () => {
        await selectObjects(handle, { prefix: handle.prefix(namespace), reading: selectors, test: ({ matches }) => matches({ k1: "" }) })
      }
    },
  },
  {
    name: "requirements of one disruption budget",
    count: 3000,
    growth: 2,
    share: 0.65,
    again: 0.05,
    async prepare(one, count) {
      const matchExpressions = Array.from({ length: count }, (_, index) => ({ key: `k${index}`, operator: "DoesNotExist" }))
      const spec = { minAvailable: 1, selector: { matchExpressions } }
      await one.create("poddisruptionbudgets", { metadata: { name: "b", namespace }, spec })
      const handle = await one.handle("poddisruptionbudgets")
      return async () => {
        await selectObjects(handle, { prefix: handle.prefix(namespace), reading: selectors, test: ({ matches }) => matches({ k1: "" }) })
      }
    },
  },
  {
    name: "services that the allocation of their addresses reads",
    count: 500,
    growth: 1,
    async prepare(one, count) {
      const spec = { clusterIP: "None", ports: Array.from({ length: 20 }, (_, index) => ({ name: `p${index}`, port: index + 1 })) }
      await each(count, (index) => one.create("services", { metadata: { name: `s${index}`, namespace }, spec }))
      return async () => {
        await readAll(one.registry, one.registry.deps.kinds, "services/specs")
      }
    },
  },
  {
    name: "items whose work waits for nothing",
    count: 2000,
    growth: 1,
    async prepare(_one, count) {
      const items = Array.from({ length: count }, (_, index) => index)
      return () =>
        inParallel(items, { atOnce: 16 }, async () => {
          for (let step = 0; step < 100; step++);
        })
    },
  },
]

const selectors = { read: (budget: ApiObject) => labelSelectorStages((budget["spec"] as { selector: ApiObject }).selector) }
