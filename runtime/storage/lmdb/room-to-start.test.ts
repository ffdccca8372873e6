import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { requireRoom } from "./room-to-start.ts"

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "room-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test("leaves nothing behind, and asks nothing of a folder that had a store", () => {
  const folder = newFolder()
  requireRoom(folder)
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(join(folder, "lock.mdb"), "")
  requireRoom(folder)
  expect(readdirSync(folder)).toEqual(["lock.mdb"])
})

test.skipIf(!existsSync("/dev/full"))("a full disk is named", () => {
  const folder = newFolder()
  symlinkSync("/dev/full", join(folder, ".room"))
  expect(() => requireRoom(folder)).toThrow(`${folder} has no room for a store, which begins with 262144 bytes: the disk is full`)
})
