import { expect, test } from "vitest"
import { openRegistry } from "../../test/support/open-registry.ts"
import { until } from "../../test/contract/store-fixture.ts"
import { type LatestMeasures, startStorageMeasures } from "./storage-metrics.ts"

test("objects are counted in the cache where it has them, otherwise by the store if it can", async () => {
  const opened = await openRegistry()
  const { registry, clock } = opened
  const store = {
    ...registry.deps.store,
    status: async () => ({ driver: "test", sizeBytes: 4096, revision: 1, compactedRevision: 0, keys: 0 }),
  }
  const counted: string[] = []
  const deps = {
    ...registry.deps,
    store: {
      ...store,
      async count({ prefix }: { prefix: string }) {
        counted.push(prefix)
        if (prefix.includes("secrets")) throw new Error("away")
        return 5
      },
    },
  }
  const measures: LatestMeasures = { objects: new Map(), bytes: new Map() }
  const cache = { objects: () => [{ resource: "configmaps", count: 2 }] }
  const loop = startStorageMeasures(
    { registry: Object.assign(Object.create(registry), { deps }), clock, log: { warn: () => undefined } },
    { cache, measures, options: { "store-count-metric-poll-period": 60_000, "store-db-metric-poll-interval": 30_000 } },
  )
  await until(() => measures.objects.has("namespaces") && measures.bytes.size > 0)
  expect(measures.objects.get("configmaps")).toBe(2)
  expect(measures.objects.get("secrets")).toBe(-1)
  expect(measures.objects.get("namespaces")).toBe(5)
  expect(counted).not.toContain("/registry/configmaps/")
  expect([...measures.bytes]).toEqual([["etcd-0", 4096]])
  await loop.stop()

  const none: LatestMeasures = { objects: new Map(), bytes: new Map() }
  const off = startStorageMeasures(
    { registry: Object.assign(Object.create(registry), { deps }), clock, log: { warn: () => undefined } },
    { cache, measures: none, options: { "store-count-metric-poll-period": 0, "store-db-metric-poll-interval": 0 } },
  )
  await clock.advance(3_600_000)
  expect([none.objects.size, none.bytes.size]).toEqual([0, 0])
  await off.stop()
})
