import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { makeFolder } from "./make-folder.ts"

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "make-folder-"))
})
afterEach(() => rmSync(base, { recursive: true }))

test("makes missing parents, for their owner only", () => {
  const path = join(base, "one", "two")
  makeFolder(path)
  for (const made of [join(base, "one"), path]) expect(statSync(made).mode & 0o777).toBe(0o700)
  makeFolder(path)
  makeFolder(join(base, "open"), 0o755)
  expect(statSync(join(base, "open")).mode & 0o777).toBe(0o755)
})

test("names a file that is in the way, wherever on the path it is", () => {
  const file = join(base, "file")
  writeFileSync(file, "kept")
  for (const path of [file, join(file, "inside"), join(file, "far", "inside")])
    expect(() => makeFolder(path)).toThrow(`${file} is a file where a folder is needed`)
  expect(readFileSync(file, "utf8")).toBe("kept")
})

test("names a link that leads nowhere or in a circle", () => {
  const [circle, nowhere] = [join(base, "circle"), join(base, "nowhere")]
  symlinkSync(circle, circle)
  symlinkSync(join(base, "missing"), nowhere)
  expect(() => makeFolder(join(circle, "inside"))).toThrow(`${join(circle, "inside")} cannot be read: its symbolic links lead in a circle`)
  expect(() => makeFolder(join(nowhere, "inside"))).toThrow(nowhere)
})

test("names a name that is too long", () => {
  expect(() => makeFolder(join(base, "x".repeat(300)))).toThrow("the name is too long")
})

// Where there is no /proc, its folder could be made.
test.skipIf(!existsSync("/proc/self"))("ends where a file system holds no folders of one's own", () => {
  expect(() => makeFolder("/proc/orch/deep/inside")).toThrow("/proc/orch cannot be created")
})
