import { expect, test } from "vitest"
import { kinds } from "../../generated/index.ts"
import type { Kind } from "../schema/kind.ts"
import { createLog } from "./logging.ts"
import { pathsReadFromStore } from "./watch-cache-options.ts"

function settings(
  watchCache: { enabled: boolean; sizes: { group: string; resource: string; size: number }[] },
  served: readonly Kind[] = kinds,
) {
  const lines: string[] = []
  const options = { vendor: "kubernetes", "watch-cache": watchCache.enabled, "watch-cache-sizes": watchCache.sizes } as const
  const log = createLog({ format: "text", verbosity: 0, write: (line) => lines.push(line) })
  return { reads: pathsReadFromStore({ kinds: served, log, options }), lines }
}

test("a size of 0 turns a resource's cache off, by its wire name; other sizes and unknown names are logged", () => {
  const { reads, lines } = settings({
    enabled: true,
    sizes: [
      { group: "coordination.k8s.io", resource: "leases", size: 0 },
      { group: "", resource: "pods", size: 100 },
      { group: "batch", resource: "cabins", size: 0 },
    ],
  })
  expect(kinds.filter(({ storage }) => reads(storage.path)).map(({ resource }) => resource)).toEqual(["leases"])
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain("only 0 means something")
  expect(lines[1]).toContain("not served here")
})

test("a kind without a cache is read from the store; a size of its own turns the cache on", () => {
  const uncached = kinds.map((kind) => (kind.resource === "leases" ? { ...kind, storage: { ...kind.storage, uncached: true } } : kind))
  const leases = (size?: number): boolean => {
    const sizes = size === undefined ? [] : [{ group: "coordination.k8s.io", resource: "leases", size }]
    const { reads, lines } = settings({ enabled: true, sizes }, uncached)
    expect(lines).toEqual([])
    return reads("leases")
  }
  expect([leases(), leases(0), leases(100)]).toEqual([true, true, false])
})

test("with the cache off, every resource is read from the store", () => {
  const { reads } = settings({ enabled: false, sizes: [] })
  expect(kinds.every(({ storage }) => reads(storage.path))).toBe(true)
})
