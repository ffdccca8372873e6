import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { put, text, write } from "../../../test/contract/store-fixture.ts"
import type { Store } from "../store.ts"
import { backupLmdb, restoreLmdb, verifyLmdb } from "./backup.ts"
import { openLmdbStore } from "./lmdb-store.ts"

const clock = createManualClock()
let base: string
let store: Store
const dir = (): string => join(base, "data")
const file = (): string => join(base, "backups", "store.backup")

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "backup-"))
  store = await openLmdbStore({ dir: dir(), clock })
  for (let index = 0; index < 20; index++) await write(store, [put(`foo/${index % 7}`, `${index}`)])
})
afterEach(async () => {
  await store.close()
  rmSync(base, { recursive: true })
})

async function contents(of: Store): Promise<string[]> {
  return (await of.list({ prefix: "" })).items.map((item) => `${item.key}=${text(item)}@${item.modRevision}`)
}

test("gives the backup and the restored store, which contain secrets, permissions for their owner only", async () => {
  await backupLmdb(dir(), file())
  const restored = join(base, "restored")
  await restoreLmdb(file(), restored)
  const modes = [file(), join(base, "backups"), join(restored, "data.mdb"), restored].map((path) =>
    (statSync(path).mode & 0o777).toString(8),
  )
  expect(modes).toEqual(["600", "700", "600", "700"])
})

test("backs up one consistent snapshot while writers go on", async () => {
  let writing = true
  const writers = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; writing; turn++)
        await write(store, [put(`pair/${writer}/left`, `${turn}`), put(`pair/${writer}/right`, `${turn}`)])
    }),
  )
  const summary = await backupLmdb(dir(), file())
  writing = false
  await writers
  expect(summary.revision).toBeLessThanOrEqual(await store.revision())
  expect(readdirSync(join(base, "backups"))).toEqual(["store.backup"])
  await restoreLmdb(file(), join(base, "restored"))
  const restored = await openLmdbStore({ dir: join(base, "restored"), clock })
  expect(await restored.revision()).toBe(summary.revision)
  expect((await restored.list({ prefix: "" })).items).toHaveLength(summary.keys)
  for (let writer = 0; writer < 8; writer++) {
    const left = await restored.get({ key: `pair/${writer}/left` })
    const right = await restored.get({ key: `pair/${writer}/right` })
    expect(text(left)).toBe(text(right))
  }
  expect(await restored.get({ key: "foo/3", revision: 5 })).toMatchObject({ modRevision: 5 })
  await restored.close()
})

test("backs up a store that this process has open from another process", async () => {
  const module = fileURLToPath(new URL("backup.ts", import.meta.url))
  const script = `import(${JSON.stringify(module)}).then(({ backupLmdb }) => backupLmdb(${JSON.stringify(dir())}, ${JSON.stringify(file())})).then((summary) => console.log(JSON.stringify(summary)))`
  const output = execFileSync(process.execPath, ["--import", "tsx", "--eval", script], { encoding: "utf8" })
  expect(JSON.parse(output)).toMatchObject({ revision: 21, compactedRevision: 0, keys: 7 })
  expect(await write(store, [put("foo/a", "1")])).toBe(22)
})

test("restore refuses a folder that is not empty", async () => {
  await backupLmdb(dir(), file())
  await expect(restoreLmdb(file(), dir())).rejects.toThrow("is not empty")
  writeFileSync(join(base, "note"), "")
  await expect(restoreLmdb(file(), base)).rejects.toThrow("is not empty")
  expect(await contents(store)).toHaveLength(7)
})

test("backup refuses to overwrite a file", async () => {
  await backupLmdb(dir(), file())
  const before = readFileSync(file())
  await expect(backupLmdb(dir(), file())).rejects.toThrow("is there already")
  expect(readFileSync(file()).equals(before)).toBe(true)
})

test("restore accepts an empty folder", async () => {
  const { contentHash } = await backupLmdb(dir(), file())
  mkdirSync(join(base, "restored"))
  expect(await restoreLmdb(file(), join(base, "restored"))).toEqual({ revision: 21, compactedRevision: 0, keys: 7, contentHash })
  expect(readdirSync(base).sort()).toEqual(["backups", "data", "restored"])
})

test("restore can continue above the versions that were written after the backup", async () => {
  const { contentHash } = await backupLmdb(dir(), file())
  const target = join(base, "restored")
  expect(await restoreLmdb(file(), target, { bumpRevision: 1000 })).toMatchObject({ revision: 1021, compactedRevision: 1021, contentHash })
  const restored = await openLmdbStore({ dir: target, clock })
  const watch = { prefix: "", afterRevision: 30, onEvents: () => undefined, onEnd: () => undefined }
  await expect(restored.watch(watch)).rejects.toMatchObject({ code: "compacted" })
  expect(await write(restored, [put("foo/a", "1")])).toBe(1022)
  await restored.close()
  expect(await verifyLmdb(target)).toMatchObject({ revision: 1022, keys: 8 })
})

test("restore refuses a damaged backup and other files, and leaves nothing behind", async () => {
  await backupLmdb(dir(), file())
  const target = join(base, "restored")
  await expect(restoreLmdb(join(base, "missing"), target)).rejects.toThrow("there is no backup")
  writeFileSync(join(base, "text"), "kind: Pod\n".repeat(5000))
  await expect(restoreLmdb(join(base, "text"), target)).rejects.toMatchObject({ code: "unavailable" })
  const whole = readFileSync(file())
  writeFileSync(file(), whole.subarray(0, whole.length >> 1))
  await expect(restoreLmdb(file(), target)).rejects.toThrow("is not a whole backup")
  whole.writeUInt8(255 - whole.readUInt8(whole.length >> 1), whole.length >> 1)
  writeFileSync(file(), whole)
  await expect(restoreLmdb(file(), target)).rejects.toThrow("does not match its checksum")
  expect(readdirSync(base).sort()).toEqual(["backups", "data", "text"])
})

test("backup refuses a folder without a store and creates none", async () => {
  const empty = join(base, "empty")
  await expect(backupLmdb(empty, file())).rejects.toThrow("holds no store")
  expect(existsSync(empty)).toBe(false)
})

test("verifies a store that is open", async () => {
  expect(await verifyLmdb(dir())).toMatchObject({ revision: 21, compactedRevision: 0, keys: 7 })
})
