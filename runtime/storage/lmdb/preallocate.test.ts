import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createPreallocation, preallocationStepBytes as step } from "./preallocate.ts"

let dir: string
let path: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "headroom-"))
  path = join(dir, "data.mdb")
})
afterEach(() => rm(dir, { recursive: true }))

const sizeOf = async () => (await stat(path)).size

test.each([
  ["keeps a small file twice as long as its data", 2, 4],
  ["keeps a large file 4 MiB longer than its data", 30, 46],
])("%s", async (_what, used, kept) => {
  await writeFile(path, Buffer.alloc(used * step, 1))
  const headroom = createPreallocation({ path, usedBytes: () => used * step })
  headroom.committed(step)
  await headroom.idle()
  expect(await sizeOf()).toBe(kept * step)
})

test("keeps the file's content, including what the store appends meanwhile", async () => {
  await writeFile(path, Buffer.alloc(step, 1))
  let asked = 0
  const headroom = createPreallocation({
    path,
    usedBytes() {
      asked++
      return step
    },
  })
  headroom.committed(step)
  await writeFile(path, Buffer.alloc(step, 2), { flag: "a" })
  await headroom.idle()
  const bytes = await readFile(path)
  expect(asked).toBeGreaterThan(0)
  expect(bytes.filter((byte) => byte === 1)).toHaveLength(step)
  expect(bytes.filter((byte) => byte === 2)).toHaveLength(step)
})

test("measures and writes nothing before a step was committed, and nothing after stop", async () => {
  await writeFile(path, Buffer.alloc(step, 1))
  let asked = 0
  const headroom = createPreallocation({
    path,
    usedBytes() {
      asked++
      return step
    },
  })
  headroom.committed(step - 1)
  await headroom.idle()
  expect(asked).toBe(0)
  headroom.stop()
  headroom.committed(1)
  await headroom.idle()
  expect(asked).toBe(0)
  expect(await sizeOf()).toBe(step)
})

test("leaves a file that cannot be extended alone until it has grown by a step", async () => {
  const later = join(dir, "later")
  path = join(later, "data.mdb")
  let used = step
  const headroom = createPreallocation({ path, usedBytes: () => used })
  headroom.committed(step)
  await headroom.idle()
  await mkdir(later)
  await writeFile(path, Buffer.alloc(2 * step, 1))
  headroom.committed(step)
  await headroom.idle()
  expect(await sizeOf()).toBe(2 * step)
  used = 2 * step
  headroom.committed(step)
  await headroom.idle()
  expect(await sizeOf()).toBe(4 * step)
})
