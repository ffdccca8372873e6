/** Files that were cut off at every kind of place, opened by the real engine in a child process. */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { put, write } from "../../../test/contract/store-fixture.ts"
import { refuseCutOff } from "./cut-off.ts"
import { openLmdbStore } from "./lmdb-store.ts"

let base: string
let whole: string
let bytes: number

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "cut-off-"))
  const store = await openLmdbStore({ dir: join(base, "whole"), clock: createManualClock() })
  for (let index = 0; index < 20; index++) await write(store, [put(`foo/${index}`, "x".repeat(10_000))])
  await store.close()
  whole = join(base, "whole", "data.mdb")
  bytes = statSync(whole).size
})
afterAll(() => rmSync(base, { recursive: true }))

let folders = 0
function cutTo(size: number): string {
  const dir = join(base, `cut-${folders++}`)
  mkdirSync(dir)
  copyFileSync(whole, join(dir, "data.mdb"))
  truncateSync(join(dir, "data.mdb"), size)
  return dir
}

test("passes a store that is whole, a missing one, and an empty file, which is a new store", () => {
  const whole = join(base, "whole")
  const empty = cutTo(0)
  const before = readdirSync(whole)
  for (const dir of [whole, join(base, "missing"), empty]) expect(() => refuseCutOff(dir, "data.mdb"), dir).not.toThrow()
  expect([readdirSync(whole), readdirSync(empty), existsSync(join(base, "missing"))]).toEqual([before, ["data.mdb"], false])
})

test.each([1, 159, 160, 4096, 8192, 16_384, 16_385, 32_768, 0.3, 0.5, 0.7, 0.9])("refuses one that was cut off to %d", (size) => {
  const dir = cutTo(size < 1 ? Math.floor(bytes * size) : size)
  expect(() => refuseCutOff(dir, "data.mdb")).toThrow(/data\.mdb is cut off: it has \d+ bytes, and its content needs \d+; restore a backup/)
  expect(readdirSync(dir)).toEqual(["data.mdb"])
})

test("an opened store says why, in place of a signal that ends the process", () => {
  const dir = cutTo(Math.floor(bytes / 2))
  const open = `
    const { openLmdbStore } = await import(${JSON.stringify(join(import.meta.dirname, "lmdb-store.ts"))})
    const { systemClock } = await import(${JSON.stringify(join(import.meta.dirname, "../../base/clock.ts"))})
    await openLmdbStore({ dir: ${JSON.stringify(dir)}, clock: systemClock }).then(() => console.log("opened"), (error) => console.log(error.message))
    process.exit(0)
  `
  const { status, signal, stdout } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", open], {
    encoding: "utf8",
  })
  expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: expect.stringContaining("is cut off") })
})
