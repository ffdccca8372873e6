import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { put, remove, write } from "../../../test/contract/store-fixture.ts"
import type { Store } from "../store.ts"
import { openLmdbStore } from "./lmdb-store.ts"
import { measureLmdb } from "./measure.ts"

const clock = createManualClock()
const resourceOf = (key: string): string => key.split("/")[0] ?? ""
let dir: string
let store: Store

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "measure-"))
  store = await openLmdbStore({ dir, clock })
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true })
})

test("an empty store has no records", async () => {
  const measure = await measureLmdb(dir, resourceOf)
  expect(measure).toMatchObject({ revision: 1, keys: 0, expiring: 0, resources: [] })
  expect(measure.log).toEqual({ records: 0, bytes: 0, pastRecords: 0, pastBytes: 0 })
})

test("counts current values by resource, and replaced or deleted ones as past", async () => {
  await write(store, [put("pods/a", "12345")])
  await write(store, [put("pods/b", "123")])
  await write(store, [put("events/a", "1", 60)])
  await write(store, [put("pods/a", "1234")])
  await write(store, [remove("pods/b")])
  const { log, ...measure } = await measureLmdb(dir, resourceOf)
  expect(measure).toMatchObject({ revision: 6, compactedRevision: 0, keys: 2, expiring: 1 })
  expect(measure.resources).toEqual([
    { resource: "events", count: 1, bytes: 1, largest: { key: "events/a", bytes: 1 } },
    { resource: "pods", count: 1, bytes: 4, largest: { key: "pods/a", bytes: 4 } },
  ])
  expect(log).toMatchObject({ records: 5, pastRecords: 3, oldest: { revision: 2, key: "pods/a" } })
  expect(log.bytes).toBeGreaterThan(log.pastBytes)
  await store.compact({ revision: 6 })
  expect((await measureLmdb(dir, resourceOf)).log).toMatchObject({ records: 2, pastRecords: 0, oldest: { revision: 4, key: "events/a" } })
})

const fileBytes = (): number => statSync(join(dir, "data.mdb")).size

test("counts pages without content as free", async () => {
  for (let index = 0; index < 20; index++) await write(store, [put(`pods/${index}`, "x".repeat(50_000))])
  // The file is extended in the background, ahead of its content.
  const before = fileBytes()
  const full = await measureLmdb(dir, resourceOf)
  expect(full.fileBytes).toBeGreaterThanOrEqual(before)
  expect(full.fileBytes).toBeLessThanOrEqual(fileBytes())
  expect(full.pages.bytes * full.pages.total).toBeGreaterThan(1_000_000)
  for (let index = 0; index < 20; index++) await write(store, [remove(`pods/${index}`)])
  await store.compact({ revision: await store.revision() })
  const { pages, log } = await measureLmdb(dir, resourceOf)
  expect(log.records).toBe(0)
  expect(pages.free).toBeGreaterThan(full.pages.free + 100)
})
