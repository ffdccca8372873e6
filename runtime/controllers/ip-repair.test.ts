import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { Bitmap } from "../behaviours/services/bitmap.ts"
import { decodeAllocation, encodeAllocation } from "../behaviours/services/range-allocation.ts"
import { type NumberRange, serviceRanges } from "../behaviours/services/ranges.ts"
import { startRangeRepair } from "./ip-repair.ts"

let one: OpenRegistry
let range: NumberRange
beforeEach(async () => {
  one = await openRegistry()
  const [first] = serviceRanges(one.registry.deps.behaviourDeps.options).addresses.values()
  if (first === undefined) throw new Error("no range")
  range = first
})
afterEach(() => one.close())

const key = () => one.registry.deps.behaviourDeps.key(range.path)

async function repairOnce(): Promise<void> {
  await startRangeRepair(one).stop()
}

async function write(bitmap: Bitmap): Promise<void> {
  await one.store.commit({ checks: [], writes: [{ type: "put", key: key(), value: encodeAllocation(range, bitmap) }] })
}

async function taken(): Promise<string[]> {
  const stored = await one.store.get({ key: key() })
  const bitmap = stored === undefined ? undefined : decodeAllocation(range, stored.value)
  return Array.from({ length: range.size }, (_, index) => index)
    .filter((index) => bitmap?.has(index))
    .map((index) => range.valueAt(index))
}

const service = (name: string, clusterIP: string) => ({ metadata: { name, namespace: "a" }, spec: { ports: [{ port: 80 }], clusterIP } })

test("a range that matches is not written", async () => {
  await one.create("services", service("s", "10.0.0.5"))
  const before = await one.store.revision()
  await repairOnce()
  expect(await one.store.revision()).toBe(before)
  expect(one.logged).toEqual([])
})

test("an empty cluster has no ranges to write", async () => {
  const before = await one.store.revision()
  await repairOnce()
  expect(await one.store.revision()).toBe(before)
})

test("numbers without a service are released, numbers of services are allocated", async () => {
  await one.create("services", service("s", "10.0.0.5"))
  const wrong = new Bitmap(range.size)
  wrong.add(100)
  await write(wrong)
  await repairOnce()
  expect(await taken()).toEqual(["10.0.0.5"])
  expect(one.logged).toEqual(["a range of services did not fit the services and was made anew"])
})

test("a range that cannot be decoded is rebuilt", async () => {
  await one.create("services", service("s", "10.0.0.5"))
  await one.store.commit({ checks: [], writes: [{ type: "put", key: key(), value: Buffer.from("broken") }] })
  await repairOnce()
  expect(await taken()).toEqual(["10.0.0.5"])
})

test("two services with the same number are logged", async () => {
  await one.create("services", service("s", "10.0.0.5"))
  await write(new Bitmap(range.size))
  await one.create("services", service("t", "10.0.0.5"))
  await write(new Bitmap(range.size))
  await repairOnce()
  expect(one.logged).toContain("two services have the same number")
})

test("a service created during the repair is not lost", async () => {
  await one.create("services", service("s", "10.0.0.5"))
  await write(new Bitmap(range.size))
  const { behaviourDeps } = one.registry.deps
  let late = true
  const deps = {
    ...one.registry.deps,
    behaviourDeps: {
      ...behaviourDeps,
      async readAll(path: string) {
        const found = await behaviourDeps.readAll(path)
        if (late) await one.create("services", service("late", "10.0.0.6"))
        late = false
        return found
      },
    },
  }
  await startRangeRepair({ ...one, registry: Object.assign(Object.create(one.registry), { deps }) }).stop()
  expect(await taken()).toEqual(["10.0.0.5", "10.0.0.6"])
})

test("repairs every three minutes", async () => {
  const loop = startRangeRepair(one)
  await one.create("services", service("s", "10.0.0.5"))
  await write(new Bitmap(range.size))
  one.clock.advance(3 * 60_000)
  await loop.stop()
  expect(await taken()).toEqual(["10.0.0.5"])
})
