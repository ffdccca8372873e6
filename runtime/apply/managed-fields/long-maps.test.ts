/** Owners of objects whose maps are long are the same as of short ones, and found in turns. */
import { expect, it } from "vitest"
import { kinds } from "../../../generated/index.ts"
import type { ApiObject, JsonObject } from "../../kit/json.ts"
import { turnValues } from "../../limits.ts"
import { atOnce } from "../../turns.ts"
import { applyStages } from "./apply.ts"
import { trackingStages } from "./track-update.ts"
import type { TypedVersion, Versions } from "./versions.ts"

const found = kinds.find(({ kind, group }) => kind === "ConfigMap" && group === "")
if (found === undefined) throw new Error("there are no config maps")
const { shape } = await found.load()
const same = (object: ApiObject): ApiObject => object
const current: TypedVersion = { apiVersion: "v1", shape, reset: {}, toStored: same, fromStored: same }
const versions: Versions = { current, find: () => undefined }
const now = "2026-01-02T03:04:05Z"

const count = turnValues * 2 + 1
const keys = Array.from({ length: count }, (_, index) => `k${(index * 7919) % count}`)
const configMap = (names: readonly string[], value: string, managedFields?: JsonObject[]): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...(managedFields !== undefined && { managedFields }) },
  data: Object.fromEntries(names.map((name) => [name, value])),
})

/** Who owns which keys of `data`, and whether `data` itself. */
function dataOf(owners: readonly JsonObject[] | undefined): Record<string, readonly string[]> {
  const entries = (owners ?? []).map(({ manager, fieldsV1 }) => {
    const data = (fieldsV1 as JsonObject)["f:data"] ?? {}
    return [String(manager), Object.keys(data)] as const
  })
  return Object.fromEntries(entries)
}

const elements = (names: readonly string[]): string[] => names.map((name) => `f:${name}`).sort()
const track = (old: ApiObject | undefined, next: ApiObject, manager: string): JsonObject[] | undefined =>
  atOnce(trackingStages({ versions, old, next, manager, subresource: "", now }))

it("who creates a long map owns it, and who changes a part of it that part", () => {
  const made = track(undefined, configMap(keys, "v"), "one")
  expect(dataOf(made)).toEqual({ one: [".", ...elements(keys)] })
  const old = configMap(keys, "v", made)
  const [first = "", second = "", ...others] = keys
  const next = configMap(others, "v", made)
  const data = next.data as JsonObject
  data[first] = "w"
  const changed = track(old, next, "two")
  expect(dataOf(changed)).toEqual({ one: [".", ...elements(others)], two: elements([first]) })
  expect(dataOf(changed).one).not.toContain(`f:${second}`)
  // Who changes all of it takes all of it.
  expect(dataOf(track(old, configMap(keys, "x", made), "two"))).toEqual({ one: [], two: elements(keys) })
  expect(dataOf(track(old, configMap(keys, "x", made), "one"))).toEqual({ one: [".", ...elements(keys)] })
})

it("a long map is applied, forced and pruned as a short one", () => {
  const apply = (live: ApiObject | undefined, config: JsonObject, force = false): ApiObject => {
    const common = { versions, config, manager: "applier", subresource: "", force, now, lastAppliedAnnotation: "l" }
    return atOnce(applyStages(live === undefined ? common : { ...common, live }))
  }
  const { metadata, ...rest } = configMap(keys, "v")
  const config = { ...rest, metadata: { name: metadata?.name ?? "" } }
  const applied = apply(undefined, config)
  expect(dataOf(applied.metadata?.managedFields)).toEqual({ applier: elements(keys) })
  const live = configMap(keys, "old", track(undefined, configMap(keys, "old"), "one"))
  expect(() => apply(live, config)).toThrow(/^20001 fields that are applied have another value and another owner/)
  const forced = apply(live, config, true)
  expect(dataOf(forced.metadata?.managedFields)).toEqual({ applier: elements(keys), one: [] })
  const half = keys.slice(turnValues)
  const pruned = apply(applied, { ...config, data: Object.fromEntries(half.map((name) => [name, "v"])) })
  expect(Object.keys(pruned.data as JsonObject).sort()).toEqual([...half].sort())
  expect(dataOf(pruned.metadata?.managedFields)).toEqual({ applier: elements(half) })
})
