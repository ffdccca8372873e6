import fc from "fast-check"
import { expect, test } from "vitest"
import { openRegistry } from "../../test/support/open-registry.ts"
import { writeAttributes } from "../../test/support/write-attributes.ts"
import type { ApiObject, JsonObject, JsonValue } from "../base/json.ts"
import { largeObjectBytes } from "../base/limits.ts"
import { createObject } from "./create.ts"
import { partCharactersMax, partsOf } from "./first-validation.ts"
import { FirstWrites, firstWritesMax } from "./first-writes.ts"
import type { KindHandle } from "./registry.ts"

type Writable = KindHandle & { firstWrites: FirstWrites }

/** The paths and values of all scalars. Items of lists have no numbers in them. */
function leaves(value: JsonValue | undefined, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [`${path}=${String(value)}`]
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, `${path}[]`))
  return Object.entries(value).flatMap(([name, field]) => leaves(field, `${path}.${name}`))
}

test("the parts of a value are small, and have all of it once", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 1, max: 60 }), (json, times) => {
      const value = { many: Array.from({ length: times }, () => json), one: json, text: "t" } as JsonValue
      const parts = partsOf(value)
      expect(parts.flatMap((part) => leaves(part)).toSorted()).toEqual(leaves(value).toSorted())
    }),
  )
  const items = Array.from({ length: 40 }, (_, index) => ({ name: `item-${index}`, text: "t".repeat(400) }))
  const parts = partsOf({ spec: { a: { items }, b: { c: "d" } }, status: {} })
  expect(parts.length).toBeGreaterThan(items.length)
  for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(2 * partCharactersMax)
})

test("a deep value is taken apart in few levels, so that the work grows with its size alone", () => {
  let deep: JsonObject = { text: "t".repeat(2 * partCharactersMax) }
  for (let level = 0; level < 200; level++) deep = { below: deep, text: "t" }
  expect(partsOf(deep).length).toBeLessThan(10)
})

test("the first creation of a kind validates parts of its object before the whole, whatever they lack", async () => {
  const { registry, handle, close } = await openRegistry()
  const pods = await handle("pods")
  const validated: string[] = []
  const counting: Writable = { ...pods, parts: { ...pods.parts, validate } }
  function validate(...[object, context]: Parameters<KindHandle["parts"]["validate"]>): void {
    validated.push(JSON.stringify(object.spec ?? {}))
    if (!JSON.stringify(object).includes("volume-3")) throw new Error("a check misses a field")
    pods.parts.validate(object, context)
  }
  const emptyDir = { sizeLimit: "1Gi", medium: "m".repeat(400) }
  const volumes = Array.from({ length: 4 }, (_, index) => ({ name: `volume-${index}`, emptyDir }))
  const pod = (name: string): ApiObject => ({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, namespace: "n" },
    spec: { containers: [{ name: "c", image: "i", resources: {} }], volumes },
    status: {},
  })
  const bytes = JSON.stringify(pod("a")).length * 4
  const create = async (name: string, sentBytes = bytes): Promise<unknown> => {
    const attributes = writeAttributes("CREATE", counting, { namespace: "n", manager: "m", dryRun: false, bytes: sentBytes })
    return createObject(registry, counting, { attributes, object: pod(name), managedFields: "tracked" })
  }
  await create("a")
  expect(validated.length).toBeGreaterThan(volumes.length)
  const whole = validated.pop()
  for (const { name } of volumes) expect(validated.filter((part) => part.includes(name))).toHaveLength(1)
  expect(whole).toContain("volume-0")
  validated.length = 0
  await create("b")
  expect(validated).toHaveLength(1)
  // A large object is not looked through as a whole, which its first creation would do in one turn.
  counting.firstWrites = new FirstWrites(firstWritesMax)
  validated.length = 0
  await create("c", largeObjectBytes)
  expect(validated).toHaveLength(1)
  await close()
})
