/** Writes of large objects yield to other requests between their stages; writes of small ones do not. */
import { Pace } from "../base/pace.ts"
import { afterEach, describe, expect, test } from "vitest"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import { writeAttributes } from "../../test/support/write-attributes.ts"
import type { OpenAttributes } from "../admission/plugin.ts"
import { applyStages } from "../apply/managed-fields/apply.ts"
import { type ApiObject, isObject } from "../base/json.ts"
import { largeObjectBytes } from "../base/limits.ts"
import { atOnce, inTurns } from "../base/turns.ts"
import { vendorProfile } from "../base/vendor.ts"
import { normalize } from "../encoding/normalize.ts"
import { isSettled } from "../encoding/settled.ts"
import { createObject } from "./create.ts"
import { versionsOf } from "./managed-fields.ts"
import type { KindHandle } from "./registry.ts"
import { updateObject } from "./update.ts"

let opened: OpenRegistry | undefined
afterEach(() => opened?.close())

/** The number of turns of the event loop during `work`. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const others = (): void => {
    turns++
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  await work()
  isOver = true
  return turns
}

const keys = 4000
const dataOf = (value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key-${index}`, value]))
const object = (value: string): ApiObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "n" },
  data: dataOf(value.padEnd(Math.ceil(largeObjectBytes / keys), "x")),
})
const common = { managedFields: "tracked" as const }
const written = { namespace: "n", manager: "m" }

test("the first writes of a kind take turns as larger ones do", async () => {
  opened = await openRegistry()
  const { registry } = opened
  const handle = await opened.handle("configmaps")
  const turns: number[] = []
  for (let at = 0; at < 12; at++) {
    const attributes = writeAttributes("CREATE", handle, { ...written, dryRun: true, bytes: 8000 })
    const small = { ...object("0"), data: { k: "v" } }
    turns.push(await turnsDuring(() => createObject(registry, handle, { ...common, attributes, object: small })))
  }
  expect(turns[7]).toBeGreaterThanOrEqual((turns[8] ?? 0) + 4)
  expect(turns[8]).toBe(turns[11])
})

/** Writes take turns as in a warm process, not as the first writes of a kind. */
function warm(handle: KindHandle): void {
  let counted: Pace
  do counted = handle.firstWrites.weigh(new Pace(1))
  while (counted.bytes > 1)
}

describe("a large object", () => {
  test("is created in turns", async () => {
    opened = await openRegistry()
    const { registry } = opened
    const handle = await opened.handle("configmaps")
    warm(handle)
    const dryRun = (bytes = 0): OpenAttributes => writeAttributes("CREATE", handle, { ...written, dryRun: true, bytes })
    await createObject(registry, handle, { ...common, attributes: dryRun(), object: object("0") })
    const create = (bytes: number): Promise<number> =>
      turnsDuring(() => createObject(registry, handle, { ...common, attributes: dryRun(bytes), object: object("1") }))
    expect(await create(largeObjectBytes)).toBeGreaterThanOrEqual((await create(largeObjectBytes - 1)) + 4)
  })

  test("shares no part with others, since comparing it would be one turn", async () => {
    opened = await openRegistry()
    const { registry } = opened
    const handle = await opened.handle("pods")
    warm(handle)
    const isShared = async (name: string, bytes: number): Promise<boolean> => {
      const pod = { kind: "Pod", apiVersion: "v1", metadata: { name, namespace: "n" }, spec: { containers: [{ name: "c", image: "i" }] } }
      const { object: sent } = normalize(handle.parts.shape, pod)
      handle.parts.applyDefaults(sent, { vendor: vendorProfile("orch") })
      const attributes = writeAttributes("CREATE", handle, { ...written, bytes })
      const { object: stored } = await createObject(registry, handle, { ...common, attributes, object: sent })
      const { spec } = stored
      return isObject(spec) && isSettled(spec)
    }
    expect([await isShared("small", 1000), await isShared("large", largeObjectBytes)]).toEqual([true, false])
  })

  test("is updated in turns, even if only the stored object is large", async () => {
    opened = await openRegistry()
    const { registry } = opened
    const handle = await opened.handle("configmaps")
    warm(handle)
    const small = { ...object("0"), metadata: { name: "small", namespace: "n" }, data: { k: "v" } }
    for (const one of [small, object("0")])
      await createObject(registry, handle, { ...common, attributes: writeAttributes("CREATE", handle, written), object: one })
    const label = (name: string): Promise<number> => {
      const transform = (old: ApiObject | undefined): ApiObject => ({ ...old, metadata: { ...old?.metadata, labels: { a: "b" } } })
      const attributes = writeAttributes("UPDATE", handle, { ...written, name, dryRun: true })
      return turnsDuring(() => updateObject(registry, handle, { ...common, attributes, put: false, transform }))
    }
    expect(await label("a")).toBeGreaterThanOrEqual((await label("small")) + 8)
  })

  test("is applied in turns, with the same result as in one go", async () => {
    opened = await openRegistry()
    const handle = await opened.handle("configmaps")
    const versions = await versionsOf(opened.registry, handle, "")
    const config = object("1")
    const apply = {
      versions,
      config,
      live: object("0"),
      manager: "m",
      subresource: "",
      force: true,
      now: "2026-01-02T03:04:05Z",
      lastAppliedAnnotation: "l",
    }
    let result: ApiObject | undefined
    const turns = await turnsDuring(async () => {
      result = await inTurns(applyStages(apply))
    })
    expect(turns).toBeGreaterThanOrEqual(8)
    expect(result).toEqual(atOnce(applyStages(apply)))
  })
})
