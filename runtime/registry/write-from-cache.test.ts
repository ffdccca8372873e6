/** Two servers on one store. Its newest revision costs `other` a round trip, and events of `one` reach it late. */
import { beforeEach, describe, expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import { type ApiObject, isObject } from "../base/json.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import type { Store, WatchOptions } from "../storage/store.ts"

/** A remote store: counts calls of `revision()`, and withholds events from `holdBack` until `catchUp`. */
function farStore(near: Store): { store: Store; asked(): number; holdBack(): void; catchUp(): void } {
  let asked = 0
  let held: (() => void)[] | undefined
  const later = (deliver: () => void): void => {
    if (held === undefined) deliver()
    else held.push(deliver)
  }
  const store: Store = Object.create(near, {
    revisionNeedsRoundTrip: { value: true },
    revision: {
      async value() {
        asked++
        catchUp()
        return near.revision()
      },
    },
    watch: {
      value: (options: WatchOptions) =>
        near.watch({ ...options, onEvents: (...events: Parameters<WatchOptions["onEvents"]>) => later(() => options.onEvents(...events)) }),
    },
    commit: { value: (options: Parameters<Store["commit"]>[0]) => near.commit(options) },
    get: { value: (options: Parameters<Store["get"]>[0]) => near.get(options) },
    list: { value: (options: Parameters<Store["list"]>[0]) => near.list(options) },
  })
  function catchUp(): void {
    const all = held ?? []
    held = undefined
    for (const deliver of all) deliver()
  }
  return { store, asked: () => asked, holdBack: () => (held = []), catchUp }
}

describe("a conditional write", () => {
  let one: OpenRegistry
  let other: OpenRegistry
  let far: ReturnType<typeof farStore>
  const path = "default/a"
  const withData =
    (data: Record<string, string>) =>
    (old: ApiObject): ApiObject => ({ ...old, data })

  beforeEach(async () => {
    const clock = createManualClock()
    const near = await openMemoryStore({ clock })
    far = farStore(near)
    one = await openRegistry({ store: near, clock })
    other = await openRegistry({ store: far.store, clock })
    await one.create("configmaps", { metadata: { name: "a", namespace: "default" } })
    await other.get("configmaps", path)
  })

  async function asking(work: () => Promise<unknown>): Promise<number> {
    const before = far.asked()
    await work()
    return far.asked() - before
  }

  it("does not read the store's revision if the cache is current", async () => {
    expect(await asking(() => other.update("configmaps", path, withData({ n: "1" })))).toBe(0)
    expect(await one.get("configmaps", path)).toMatchObject({ data: { n: "1" } })
    expect(await asking(() => other.remove("configmaps", path))).toBe(0)
    expect(await one.get("configmaps", path)).toBeUndefined()
  })

  it("reads the revision after a conflict with a stale cache", async () => {
    far.holdBack()
    await one.update("configmaps", path, withData({ n: "1" }))
    const change = ({ metadata = {}, ...old }: ApiObject): ApiObject => {
      const { resourceVersion: _unpinned, ...others } = metadata
      return { ...old, metadata: others, data: { ...(isObject(old["data"]) && old["data"]), m: "2" } }
    }
    expect(await asking(() => other.update("configmaps", path, change))).toBe(1)
    expect(await one.get("configmaps", path)).toMatchObject({ data: { n: "1", m: "2" } })
  })

  it("does not refuse a request because of a stale cache", async () => {
    far.holdBack()
    const { metadata = {} } = await one.update("configmaps", path, withData({ n: "1" }))
    const pinned = (old: ApiObject): ApiObject => ({ ...old, metadata, data: { n: "2" } })
    expect(await asking(() => other.update("configmaps", path, pinned))).toBe(1)
    far.holdBack()
    await one.update("configmaps", path, withData({ n: "3" }))
    const { metadata: newest } = (await one.get("configmaps", path)) ?? {}
    const precondition = { resourceVersion: newest?.resourceVersion ?? "" }
    expect(await asking(() => other.remove("configmaps", path, precondition))).toBe(1)
    expect(await one.get("configmaps", path)).toBeUndefined()
  })

  it("does not take a no-op on a stale cache for the result", async () => {
    await one.update("configmaps", path, withData({ n: "old" }))
    await other.get("configmaps", path)
    far.holdBack()
    await one.update("configmaps", path, withData({ n: "new" }))
    await other.update("configmaps", path, (old) => ({ ...old, metadata: { name: "a", namespace: "default" }, data: { n: "old" } }))
    expect(await one.get("configmaps", path)).toMatchObject({ data: { n: "old" } })
  })

  it("sees what the other server created or removed", async () => {
    far.holdBack()
    await one.create("configmaps", { metadata: { name: "b", namespace: "default" } })
    await other.update("configmaps", "default/b", withData({ n: "1" }))
    far.holdBack()
    await one.remove("configmaps", path)
    await expect(other.update("configmaps", path, withData({}))).rejects.toMatchObject({ code: 404 })
    await expect(other.remove("configmaps", path)).rejects.toMatchObject({ code: 404 })
  })

  it("reads the revision for a dry run, which no commit confirms", async () => {
    expect(await asking(() => other.update("configmaps", path, withData({ n: "1" }), { dryRun: true }))).toBe(1)
    expect(await asking(() => other.remove("configmaps", path, { dryRun: true }))).toBe(1)
  })
})
