import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createManualClock, type ManualClock } from "../../../test/contract/manual-clock.ts"
import { codeOf, put, record, remove, text, until, write } from "../../../test/contract/store-fixture.ts"
import { inspectLmdb } from "../lmdb/inspect/inspect.ts"
import { createLmdbAt } from "../lmdb/first-revision.ts"
import { openLmdbStore } from "../lmdb/lmdb-store.ts"
import { openMemoryStore } from "../memory/memory-store.ts"
import type { Store } from "../store.ts"
import { copyMarker, copyStore } from "./copy.ts"

const prefix = "/registry/"
let clock: ManualClock
let dir: string
let source: Store
let target: Store

beforeEach(async () => {
  clock = createManualClock()
  dir = mkdtempSync(join(tmpdir(), "copy-"))
  source = await openMemoryStore({ clock })
  target = await openMemoryStore({ clock })
  for (let index = 0; index < 700; index++) await write(source, [put(`/registry/pods/${index}`, `value ${index}`)])
  for (let index = 0; index < 700; index += 7) await write(source, [remove(`/registry/pods/${index}`)])
})
afterEach(async () => {
  await source.close()
  await target.close()
  rmSync(dir, { recursive: true })
})

const copy = (): ReturnType<typeof copyStore> => copyStore({ source, target, prefix, nowMs: clock.nowMs })

async function contents(store: Store): Promise<string[]> {
  return (await store.list({ prefix })).items.map((item) => `${item.key}=${text(item)}`)
}

test("gives a value that expires during the copy the shortest possible time to live", async () => {
  await write(source, [put("/registry/events/a", "ends", 10)])
  const endMs = clock.nowMs() + 10_000
  let nowMs = endMs - 1
  const slow: Store = Object.assign(Object.create(source), {
    get: async (options: { key: string; revision?: number }) => {
      if (options.key.includes("/events/")) nowMs = endMs + 1
      return source.get(options)
    },
  })
  await copyStore({ source: slow, target, prefix, nowMs: () => nowMs })
  expect((await target.get({ key: "/registry/events/a" }))?.expiresAtMs).toBe(clock.nowMs() + 1000)
})

test("copies keys and values, and the summary says so", async () => {
  const summary = await copy()
  expect(await contents(target)).toEqual(await contents(source))
  expect(summary).toMatchObject({ keys: 600, sourceRevision: 801 })
  expect(summary.contentHash).toMatch(/^[0-9a-f]{64}$/)
  expect(summary.revision).toBe(await target.revision())
})

test("gives every version a revision above the source's and compacts all older ones", async () => {
  const { revision, sourceRevision } = await copy()
  const { items } = await target.list({ prefix })
  expect(Math.min(...items.map((item) => item.modRevision))).toBeGreaterThan(sourceRevision)
  expect(await codeOf(target.watch({ prefix, afterRevision: sourceRevision, onEvents: () => undefined, onEnd: () => undefined }))).toBe(
    "compacted",
  )
  const watch = await record(target, { prefix, afterRevision: revision })
  expect(await write(target, [put("/registry/pods/new", "1")])).toBe(revision + 1)
  await until(() => watch.events.length > 0)
  expect(watch.events.map(({ key }) => key)).toEqual(["/registry/pods/new"])
})

test("continues the revisions of a target that is already ahead", async () => {
  for (let turn = 0; turn < 900; turn++) await write(target, [put("/other", `${turn}`)])
  await copy()
  expect((await target.list({ prefix, limit: 1 })).items[0]?.modRevision).toBeGreaterThan(901)
  expect(text(await target.get({ key: "/other" }))).toBe("899")
})

test("carries over the remaining time to live, and leaves out values that have expired", async () => {
  await write(source, [put("/registry/events/long", "1", 3600)])
  await write(source, [put("/registry/events/short", "1", 60)])
  clock.advance(50_000)
  await copy()
  expect(await target.get({ key: "/registry/events/long" })).toMatchObject({ expiresAtMs: clock.nowMs() + 3_550_000 })
  clock.advance(10_000)
  await until(async () => (await target.get({ key: "/registry/events/short" })) === undefined)
  expect(await target.get({ key: "/registry/events/long" })).toBeDefined()
})

test("leaves keys outside the prefix alone", async () => {
  await write(source, [put("/elsewhere/a", "1")])
  const { keys } = await copy()
  expect(keys).toBe(600)
  expect(await target.get({ key: "/elsewhere/a" })).toBeUndefined()
})

describe("a copy is refused", () => {
  test("when the target has keys below the prefix", async () => {
    await write(target, [put("/registry/pods/a", "mine")])
    await expect(copy()).rejects.toThrow("the target is not empty: there is /registry/pods/a")
    expect(await contents(target)).toEqual(["/registry/pods/a=mine"])
  })

  test("when an earlier copy was not finished, into that target and from it", async () => {
    const interrupted: Store = Object.create(source, { list: { value: () => Promise.reject(new Error("killed")) } })
    await expect(copyStore({ source: interrupted, target, prefix, nowMs: clock.nowMs })).rejects.toThrow("killed")
    await expect(copy()).rejects.toThrow("a copy into it was begun and not finished")
    const another = await openMemoryStore({ clock })
    await expect(copyStore({ source: target, target: another, prefix, nowMs: clock.nowMs })).rejects.toThrow("the source is itself a copy")
    await another.close()
  })
})

describe("a copy fails", () => {
  test("when the source changes meanwhile, and names the differences", async () => {
    let told = false
    const onProgress = (keys: number): void => {
      if (keys === 0) return
      if (!told) void write(source, [put("/registry/pods/1", "late"), put("/registry/pods/9999", "late")])
      told = true
    }
    await expect(copyStore({ source, target, prefix, nowMs: clock.nowMs, onProgress })).rejects.toThrow(
      "the copy differs from its source: /registry/pods/1 has another value in the target; /registry/pods/9999 is in the source only",
    )
    expect(await target.get({ key: copyMarker(prefix) })).toBeDefined()
  })

  test("when another program writes into the target meanwhile", async () => {
    const racing: Store = Object.create(target, {
      commit: {
        value: async (commit: Parameters<Store["commit"]>[0]) => {
          const key = "/registry/pods/500"
          if (commit.checks.some((check) => check.key === key)) await write(target, [put(key, "theirs")])
          return target.commit(commit)
        },
      },
    })
    await expect(copyStore({ source, target: racing, prefix, nowMs: clock.nowMs })).rejects.toThrow("was written by somebody else")
  })
})

test("starts an embedded store at the source's revision, and the result passes verification", async () => {
  await createLmdbAt(dir, await source.revision())
  const embedded = await openLmdbStore({ dir, clock })
  const { contentHash, keys, revision } = await copyStore({ source, target: embedded, prefix, nowMs: clock.nowMs })
  await embedded.close()
  const faults: unknown[] = []
  const inspection = await inspectLmdb(dir, { onFault: (fault) => faults.push(fault) })
  expect(faults).toEqual([])
  expect(inspection).toMatchObject({ keys, contentHash, revision, compactedRevision: revision })
})
