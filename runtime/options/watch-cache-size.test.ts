import { expect, test } from "vitest"
import { watchCacheSize } from "./watch-cache-size.ts"

test("a size has a resource and its group, which begins after the first dot", () => {
  expect(watchCacheSize.parse("events#0")).toEqual({ group: "", resource: "events", size: 0 })
  expect(watchCacheSize.parse("leases.coordination.k8s.io#250")).toEqual({ group: "coordination.k8s.io", resource: "leases", size: 250 })
  for (const text of ["", "events", "events#", "events#-1", "events#x", "#0", ".apps#0", "events.#0", "events#0#1"])
    expect(watchCacheSize.parse(text), text).toBeUndefined()
})

test("a formatted value parses back", () => {
  for (const text of ["events#0", "deployments.apps#100"]) {
    const value = watchCacheSize.parse(text)
    expect(value && watchCacheSize.format(value)).toBe(text)
  }
})
