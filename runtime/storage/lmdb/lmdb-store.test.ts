import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { codeOf, put, record, text, until, write } from "../../../test/contract/store-fixture.ts"
import type { Store } from "../store.ts"
import { StoreError } from "../store.ts"
import type { Backend } from "./backend.ts"
import { openBackend } from "./backend.ts"
import { verifyLmdb } from "./backup.ts"
import { metaKeys, openEnvironment } from "./environment.ts"
import { openLmdbStore, openStoreOn } from "./lmdb-store.ts"
import { measureLmdb } from "./measure.ts"

const clock = createManualClock()
let dir: string
let store: Store | undefined

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "lmdb-"))
  store = undefined
})
afterEach(async () => {
  await store?.close()
  rmSync(dir, { recursive: true })
})

/** Opens a store that passes its commits through `commit`. */
async function openFaulty(
  commit: (real: Backend["commit"], ...batch: Parameters<Backend["commit"]>) => ReturnType<Backend["commit"]>,
): Promise<Store> {
  const faulty: typeof openBackend = async (options, onLost) => {
    const backend = await openBackend(options, onLost)
    return { ...backend, commit: (batch, length) => commit(backend.commit, batch, length) }
  }
  store = await openStoreOn(faulty, { dir, clock })
  return store
}

describe("faults", () => {
  test("reports a full disk as the store's fault until a commit finds room", async () => {
    let room = true
    const faulty = await openFaulty((real, ...batch) =>
      room ? real(...batch) : Promise.reject(new StoreError("full", "the disk is full")),
    )
    await write(faulty, [put("foo/a", "1")])
    room = false
    expect(await codeOf(faulty.commit({ checks: [], writes: [put("foo/b", "1")] }))).toBe("full")
    expect((await faulty.status()).fault).toBe("the disk is full")
    expect(text(await faulty.get({ key: "foo/a" }))).toBe("1")
    room = true
    expect(await write(faulty, [put("foo/b", "1")])).toBe(3)
    expect((await faulty.status()).fault).toBeUndefined()
  })

  test("notices without a commit that a full disk has room again", async () => {
    const faulty = await openFaulty(() => Promise.reject(new StoreError("full", "the disk is full")))
    expect(await codeOf(faulty.commit({ checks: [], writes: [put("foo/b", "1")] }))).toBe("full")
    clock.advance(1000)
    await until(async () => (await faulty.status()).fault === undefined)
  })

  test("after any other failure refuses commits, serves reads, and reopens the store", async () => {
    let works = false
    const faulty = await openFaulty((real, ...batch) =>
      works ? real(...batch) : Promise.reject(new StoreError("unavailable", "input/output error")),
    )
    const watch = await record(faulty, { afterRevision: 1 })
    expect(await codeOf(faulty.commit({ checks: [], writes: [put("foo/a", "1")] }))).toBe("unavailable")
    works = true
    expect(await codeOf(faulty.commit({ checks: [], writes: [put("foo/a", "1")] }))).toBe("unavailable")
    expect((await faulty.status()).fault).toBe("input/output error")
    expect(await faulty.list({ prefix: "" })).toMatchObject({ items: [], revision: 1 })
    clock.advance(1000)
    await until(async () => (await faulty.status()).fault === undefined)
    expect(await write(faulty, [put("foo/a", "1")])).toBe(2)
    expect(watch.events.map((event) => event.revision)).toEqual([2])
  })

  test("reports a disk that does not respond until it responds again", async () => {
    let go: () => void = () => undefined
    const still = new Promise<void>((resolve) => {
      go = resolve
    })
    let sent = false
    const faulty = await openFaulty((real, ...batch) => {
      sent = true
      return still.then(() => real(...batch))
    })
    const commit = write(faulty, [put("foo/a", "1")])
    await until(() => sent)
    expect((await faulty.status()).fault).toBeUndefined()
    clock.advance(7000)
    expect((await faulty.status()).fault).toContain("has not answered for 7 s")
    go()
    expect(await commit).toBe(2)
    expect((await faulty.status()).fault).toBeUndefined()
  })

  test("a commit that failed although it was written reaches the watchers", async () => {
    let lost = 1
    const faulty = await openFaulty(async (real, ...batch) => {
      const answer = await real(...batch)
      if (lost-- > 0) throw new StoreError("undecided", "the answer was lost")
      return answer
    })
    const watch = await record(faulty, { afterRevision: 1 })
    expect(await codeOf(faulty.commit({ checks: [], writes: [put("foo/a", "1")] }))).toBe("undecided")
    expect(await codeOf(faulty.commit({ checks: [], writes: [put("foo/c", "1")] }))).toBe("unavailable")
    expect((await faulty.status()).fault).toBe("the answer was lost")
    expect(await faulty.get({ key: "foo/a" })).toBeUndefined()
    clock.advance(1000)
    await until(() => watch.events.length === 1)
    expect(watch.events[0]).toMatchObject({ key: "foo/a", revision: 2 })
    await until(async () => (await faulty.status()).fault === undefined)
    expect(await write(faulty, [put("foo/a", "2")], [{ key: "foo/a", modRevision: 2 }])).toBe(3)
  })
})

describe("values with a time to live", () => {
  test("written by a batch of unknown outcome expire in time after the store has recovered", async () => {
    let lost = 1
    const faulty = await openFaulty(async (real, ...batch) => {
      const answer = await real(...batch)
      if (lost-- > 0) throw new StoreError("unavailable", "the answer was lost")
      return answer
    })
    await codeOf(faulty.commit({ checks: [], writes: [put("foo/a", "1", 60)] }))
    clock.advance(1000)
    await until(async () => (await faulty.status()).fault === undefined)
    expect(text(await faulty.get({ key: "foo/a" }))).toBe("1")
    clock.advance(60_000)
    await until(async () => (await faulty.get({ key: "foo/a" })) === undefined)
  })
})

describe("an interrupted compaction", () => {
  test("resumes when the store is opened again", async () => {
    const halts: typeof openBackend = async (options, onLost) => {
      const backend = await openBackend(options, onLost)
      return { ...backend, sweep: () => setImmediate(false) }
    }
    store = await openStoreOn(halts, { dir, clock })
    for (let revision = 2; revision < 6; revision++) await write(store, [put("foo/a", `${revision}`)])
    // It never finishes; closing the store ends it.
    const compaction = store.compact({ revision: 5 })
    await until(async () => (await store?.status())?.compactedRevision === 5)
    await store.close()
    await compaction
    let isSwept = false
    const counting: typeof openBackend = async (options, onLost) => {
      const backend = await openBackend(options, onLost)
      return { ...backend, sweep: async () => (isSwept = await backend.sweep()) }
    }
    store = await openStoreOn(counting, { dir, clock })
    await until(() => isSwept)
    expect((await measureLmdb(dir, () => "foo")).log).toMatchObject({ records: 1, pastRecords: 0 })
  })
})

describe("process lock", () => {
  test("refuses a second store on the folder and names the process that has it open", async () => {
    store = await openLmdbStore({ dir, clock })
    await expect(openLmdbStore({ dir, clock })).rejects.toThrow(`is open in process ${process.pid}`)
    expect(await write(store, [put("foo/a", "1")])).toBe(2)
    await store.close()
    store = await openLmdbStore({ dir, clock })
    expect(await store.revision()).toBe(2)
  })

  test("exactly one of several stores that open at once succeeds", async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => openLmdbStore({ dir, clock })))
    const opened = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []))
    expect(opened).toHaveLength(1)
    store = opened[0]
  })

  test("locks a folder with a long name", async () => {
    const long = join(dir, "d".repeat(120))
    store = await openLmdbStore({ dir: long, clock })
    await expect(openLmdbStore({ dir: long, clock })).rejects.toMatchObject({ code: "unavailable" })
  })
})

describe("data formats and folder names", () => {
  test("refuses a newer format and leaves it unchanged", async () => {
    await (await openLmdbStore({ dir, clock })).close()
    const environment = openEnvironment({ dir })
    environment.meta.putSync(metaKeys.format, Buffer.from("3"))
    await environment.root.close()
    await expect(openLmdbStore({ dir, clock })).rejects.toThrow(/has format 3; this program knows format 2/)
  })

  test("reads and writes a store of the previous format", async () => {
    store = await openLmdbStore({ dir, clock })
    await write(store, [put("foo/a", "old")])
    await write(store, [put("foo/b", "old")])
    await store.close()
    const environment = openEnvironment({ dir })
    environment.meta.putSync(metaKeys.format, Buffer.from("1"))
    for (const { key, value } of [...environment.index.getRange()].map((entry) => ({ ...entry })))
      environment.index.putSync(Buffer.from(key), Buffer.from(value.subarray(0, 28)))
    await environment.root.close()
    store = await openLmdbStore({ dir, clock })
    expect(await write(store, [put("foo/a", "new")])).toBe(4)
    expect(text(await store.get({ key: "foo/a", revision: 2 }))).toBe("old")
    expect(text(await store.get({ key: "foo/b" }))).toBe("old")
    expect(await verifyLmdb(dir)).toMatchObject({ revision: 4, keys: 2 })
  })

  test("opens a folder with a dot in its name", async () => {
    const dotted = join(dir, "data.v1")
    store = await openLmdbStore({ dir: dotted, clock })
    await write(store, [put("foo/a", "1")])
    await store.close()
    store = await openLmdbStore({ dir: dotted, clock })
    expect(await store.revision()).toBe(2)
  })
})
