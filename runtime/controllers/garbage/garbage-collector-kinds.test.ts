/** The collector before it follows all kinds with objects, and when kinds are removed from the table. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { ApiObject, JsonObject, OwnerReference } from "../../base/json.ts"
import type { Kind } from "../../schema/kind.ts"
import { type Store, StoreError, type StoreListOptions, type WatchOptions } from "../../storage/store.ts"
import { type GarbageCollector, startGarbageCollector } from "./garbage-collector.ts"

/** The server that clients write to. */
let one: OpenRegistry
/** The collector's server, whose store a test delays or lets fail. */
let two: OpenRegistry
let collector: GarbageCollector | undefined
/** Called before each list of the collector's server. */
let beforeList: (options: StoreListOptions) => Promise<void>
/** Called with the events of its watches, numbered by their start. */
let deliver: (watch: number, next: () => void) => void
beforeEach(async () => {
  beforeList = async () => {}
  deliver = (_watch, next) => next()
  one = await openRegistry()
  let watches = 0
  const store: Store = Object.assign(Object.create(one.store), {
    async list(options: StoreListOptions) {
      await beforeList(options)
      return one.store.list(options)
    },
    watch(options: WatchOptions) {
      const number = watches++
      return one.store.watch({ ...options, onEvents: (...told) => deliver(number, () => options.onEvents(...told)) })
    },
  })
  two = await openRegistry({ store, clock: one.clock })
})
afterEach(async () => {
  await collector?.stop()
  collector = undefined
  await two.close()
  await one.close()
})

function start(): GarbageCollector {
  collector = startGarbageCollector(two, { workers: 4 })
  return collector
}

function reference(owner: ApiObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name = "", uid = "" } = owner.metadata ?? {}
  return { apiVersion: String(owner.apiVersion), kind: String(owner.kind), name, uid, ...more }
}

function make(resource: string, name: string, ownerReferences: OwnerReference[] = [], more: JsonObject = {}): Promise<ApiObject> {
  return one.create(resource, { metadata: { name, namespace: "a", ...(ownerReferences.length > 0 && { ownerReferences }), ...more } })
}

/** Completes everything that does not wait for the test. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Whether a list checks, for the collector, if a kind has objects. */
function isQuestion({ prefix, limit }: StoreListOptions, resource: string): boolean {
  return prefix === `/registry/${resource}/` && limit === 1
}

/** Delays the answer of such a list. */
function holdList(resource: string): { readonly asked: () => boolean; readonly release: () => void } {
  let release = (): void => {}
  let asked = false
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  beforeList = async (options) => {
    if (!isQuestion(options, resource)) return
    asked = true
    await held
  }
  return { asked: () => asked, release: () => release() }
}

function leave(...resources: string[]): void {
  const { kinds } = two.registry.deps
  const leaving = resources.map((resource) => kinds.find("", "v1", resource)).filter((kind): kind is Kind => kind !== undefined)
  expect(leaving.length).toBe(resources.length)
  kinds.replace(leaving, [])
}

test.each([
  ["when it is asked for objects", "serviceaccounts"],
  ["before the kind of the dependents is asked for", "secrets"],
])("dependents of a kind that leaves while the collector starts, its objects gone, are deleted: %s", async (_when, asked) => {
  const owner = await make("serviceaccounts", "owner")
  await make("secrets", "child", [reference(owner)])
  const list = holdList(asked)
  start()
  await vi.waitFor(() => expect(list.asked()).toBe(true))
  await rest()
  await one.remove("serviceaccounts", "a/owner")
  leave("serviceaccounts")
  await rest()
  list.release()
  await collector?.idle()
  expect(await one.names("secrets")).toEqual([])
})

test("dependents of a kind that leaves while its objects are in the store stay", async () => {
  const owner = await make("serviceaccounts", "owner")
  await make("secrets", "child", [reference(owner)])
  start()
  await collector?.idle()
  leave("serviceaccounts")
  await collector?.idle()
  expect(await one.names("secrets")).toEqual(["a/child"])
})

test("an owner that was seen to go before its kind left is gone, whatever else the kind leaves in the store", async () => {
  const owner = await make("serviceaccounts", "owner")
  await make("serviceaccounts", "other")
  await make("secrets", "child", [reference(owner)])
  start()
  await collector?.idle()
  const real: Store["revision"] = two.store.revision.bind(one.store)
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let reads = 0
  two.store.revision = async () => {
    reads++
    await held
    return real()
  }
  await one.remove("serviceaccounts", "a/owner")
  // The dependent is being read.
  await vi.waitFor(() => expect(reads).toBeGreaterThan(0))
  leave("serviceaccounts")
  release()
  await collector?.idle()
  expect(await one.names("secrets")).toEqual([])
})

test("the kinds that leave together are all noted, although the store fails for one of them at first", async () => {
  const [account, map] = [await make("serviceaccounts", "owner"), await make("configmaps", "owner")]
  await make("secrets", "child-of-account", [reference(account)])
  await make("secrets", "child-of-map", [reference(map)])
  start()
  await collector?.idle()
  // The caches of the collector's server get the deletions after the kinds were removed.
  const late: (() => void)[] = []
  deliver = (_watch, next) => void late.push(next)
  await one.remove("serviceaccounts", "a/owner")
  await one.remove("configmaps", "a/owner")
  const asked: string[] = []
  beforeList = async ({ prefix }) => {
    asked.push(prefix)
    if (asked.length === 2) throw new StoreError("unavailable", "the line is dead")
  }
  leave("serviceaccounts", "configmaps")
  await vi.waitFor(() => expect(asked.length).toBe(2))
  deliver = (_watch, next) => next()
  for (const next of late) next()
  await vi.waitFor(async () => {
    one.clock.advance(1000)
    await collector?.idle()
    expect(await one.names("secrets")).toEqual([])
  })
})

test("an owner that orphans is processed when the kinds of all dependents are known", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await one.remove("configmaps", "a/owner", { propagationPolicy: "Orphan" })
  const list = holdList("secrets")
  start()
  await vi.waitFor(() => expect(list.asked()).toBe(true))
  await rest()
  expect(await one.names("configmaps")).toEqual(["a/owner"])
  list.release()
  await collector?.idle()
  expect(await one.names("configmaps")).toEqual([])
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toBeUndefined()
})

test("nor is it processed while the store cannot be asked for kinds", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await one.remove("configmaps", "a/owner", { propagationPolicy: "Orphan" })
  let failures = 0
  beforeList = async (options) => {
    if (isQuestion(options, "secrets") && failures++ < 2) throw new StoreError("unavailable", "the line is dead")
  }
  start()
  await vi.waitFor(() => expect(failures).toBe(1))
  await rest()
  expect(await one.names("configmaps")).toEqual(["a/owner"])
  one.clock.advance(1000)
  await vi.waitFor(() => expect(failures).toBe(2))
  await rest()
  one.clock.advance(1000)
  await collector?.idle()
  expect(await one.names("configmaps")).toEqual([])
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toBeUndefined()
})

test("a collector stops while the store cannot be asked for kinds", async () => {
  await make("configmaps", "c")
  let failures = 0
  beforeList = async () => {
    failures++
    throw new StoreError("unavailable", "the line is dead")
  }
  start()
  await vi.waitFor(() => expect(failures).toBe(1))
  await collector?.stop()
  one.clock.advance(1000)
  await rest()
  expect(failures).toBe(1)
})

test("the deletion of an owner whose kind could not be followed at first is noticed", async () => {
  const owner = await make("serviceaccounts", "owner")
  const real: Store["revision"] = two.store.revision.bind(one.store)
  let isFound = false
  let failures = 0
  beforeList = async (options) => {
    isFound ||= isQuestion(options, "serviceaccounts")
  }
  two.store.revision = async () => {
    if (isFound && failures++ === 0) throw new StoreError("unavailable", "the line is dead")
    return real()
  }
  start()
  await vi.waitFor(() => expect(failures).toBe(1))
  await make("secrets", "child", [reference(owner)])
  await collector?.idle()
  expect(await one.names("secrets")).toEqual(["a/child"])
  await one.remove("serviceaccounts", "a/owner")
  await vi.waitFor(async () => {
    one.clock.advance(1000)
    await collector?.idle()
    expect(await one.names("secrets")).toEqual([])
  })
})

test("the deletion of an owner that the collector found before it heard of the kind is noticed", async () => {
  await make("secrets", "other")
  // The first watch fills the caches.
  await two.handle("secrets")
  start()
  await collector?.idle()
  // The watch that reveals kinds with objects falls behind the watch of the caches.
  const late: (() => void)[] = []
  deliver = (watch, next) => (watch > 0 ? void late.push(next) : next())
  const owner = await make("serviceaccounts", "owner")
  await make("secrets", "child", [reference(owner)])
  await collector?.idle()
  await one.remove("serviceaccounts", "a/owner")
  await rest()
  deliver = (_watch, next) => next()
  for (const next of late) next()
  await collector?.idle()
  expect(await one.names("secrets")).toEqual(["a/other"])
})
