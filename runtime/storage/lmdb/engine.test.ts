import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { put, remove } from "../../../test/contract/store-fixture.ts"
import type { Write } from "../store.ts"
import { ByteWriter, writeCommit } from "./batch.ts"
import type { Engine } from "./engine.ts"
import { createEngine } from "./engine.ts"
import type { Environment } from "./environment.ts"
import { openEnvironment, readState } from "./environment.ts"
import { readExpiryKey } from "./layout.ts"

let dir: string
let environment: Environment

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "engine-"))
  environment = openEnvironment({ dir })
})
afterEach(async () => {
  await environment.root.close()
  rmSync(dir, { recursive: true })
})

/** Keys in the expiry index. */
function expiring(): string[] {
  return [...environment.expiry.getRange()].map(({ key }) => readExpiryKey(key).key.toString())
}

test("does not expire a value that was replaced or deleted", () => {
  const engine = createEngine(environment)
  engine.apply(batchOf([[put("foo/a", "1", 60)], [put("foo/b", "1", 60)], [put("foo/c", "1", 60)]]))
  expect(expiring()).toEqual(["foo/a", "foo/b", "foo/c"])
  engine.apply(batchOf([[put("foo/a", "2")], [remove("foo/b")], [put("foo/c", "2", 90)]], 1))
  expect(expiring()).toEqual(["foo/c"])
})

function batchOf(commits: readonly Write[][], nowMs = 0): Buffer {
  const writer = new ByteWriter(64)
  writer.u32(commits.length)
  for (const writes of commits) writeCommit(writer, { checks: [], writes }, (ttlSeconds) => nowMs + ttlSeconds * 1000)
  return writer.bytes.subarray(0, writer.length)
}

/** Writes 600 keys five times and deletes every third. */
function fill(engine: Engine): void {
  const keys = Array.from({ length: 600 }, (_, index) => `foo/${index}`)
  for (let round = 0; round < 5; round++) engine.apply(batchOf(keys.map((key) => [put(key, `${round}`)])))
  engine.apply(batchOf([keys.filter((_, index) => index % 3 === 0).map(remove)]))
}

test("sweeping leaves the current versions and nothing else", () => {
  const engine = createEngine(environment)
  fill(engine)
  engine.compact(readState(environment).revision)
  let steps = 1
  while (!engine.sweep()) steps++
  expect(steps).toBeGreaterThan(5)
  expect(environment.log.getCount()).toBe(400)
  expect(environment.index.getCount()).toBe(400)
  expect(readState(environment)).toEqual({ revision: 3002, compactedRevision: 3002, sweptRevision: 3002, keys: 400 })
})

test("resumes an interrupted compaction where it stopped", () => {
  const before = createEngine(environment)
  fill(before)
  before.compact(2000)
  expect(before.sweep()).toBe(false)
  const after = createEngine(environment)
  expect(readState(environment)).toMatchObject({ compactedRevision: 2000 })
  expect(readState(environment).sweptRevision).toBeLessThan(2000)
  while (!after.sweep());
  // Of the commits up to 2000 each key keeps its newest; the later ones stay.
  expect(environment.log.getCount()).toBe(600 + (3001 - 2000) + 200)
})

test("a transaction that finds the disk full changes nothing, and the next one starts from the stored state", () => {
  const failing = failingEngine(Object.assign(new Error("no space left"), { code: "ENOSPC" }))
  failing.engine.apply(batchOf([[put("foo/a", "1")]]))
  failing.fails = true
  expect(() => failing.engine.apply(batchOf([[put("foo/a", "2")], [put("foo/b", "1")]]))).toThrow("no space left")
  failing.fails = false
  expect(readState(environment)).toMatchObject({ revision: 2, keys: 1 })
  expect(failing.engine.apply(batchOf([[put("foo/b", "1")]])).revision).toBe(3)
})

test("after any other failure, refuses writes until the store is opened again", () => {
  const failing = failingEngine(Object.assign(new Error("input/output error"), { code: 5 }))
  failing.engine.apply(batchOf([[put("foo/a", "1")]]))
  failing.fails = true
  expect(failureOf(() => failing.engine.apply(batchOf([[put("foo/a", "2")]])))).toMatchObject({
    code: "undecided",
    message: expect.stringContaining("input/output error"),
  })
  failing.fails = false
  // This batch never reached LMDB, so the refusal is definite.
  expect(failureOf(() => failing.engine.apply(batchOf([[put("foo/b", "1")]])))).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("input/output error"),
  })
  expect(() => failing.engine.compact(2)).toThrow("input/output error")
  expect(() => failing.engine.tryRoom(1)).toThrow("input/output error")
  expect(createEngine(environment).apply(batchOf([[put("foo/b", "1")]])).revision).toBe(3)
})

test("a transaction that fails before its end is reported as not done", () => {
  const { log } = environment
  const engine = createEngine({
    ...environment,
    log: new Proxy(log, {
      get: (target, name) =>
        name === "putSync"
          ? () => {
              throw Object.assign(new Error("input/output error"), { code: 5 })
            }
          : Reflect.get(target, name),
    }),
  })
  expect(failureOf(() => engine.apply(batchOf([[put("foo/a", "1")]])))).toMatchObject({ code: "unavailable" })
  expect(readState(environment)).toMatchObject({ revision: 1, keys: 0 })
})

function failureOf(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return error
  }
}

/** An engine whose transactions fail at their end and roll back while `fails`. */
function failingEngine(error: Error): { engine: Engine; fails: boolean } {
  const { root } = environment
  const failing = { fails: false }
  const engine = createEngine({
    ...environment,
    root: new Proxy(root, {
      get: (target, name) =>
        name === "transactionSync" && failing.fails
          ? (action: () => void) => target.transactionSync(() => failAfter(action, error))
          : Reflect.get(target, name),
    }),
  })
  return Object.assign(failing, { engine })
}

function failAfter(action: () => void, error: Error): never {
  action()
  throw error
}
