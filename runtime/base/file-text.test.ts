import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { readFileText, rereadFileText, textOfFileFault } from "./file-text.ts"

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "file-text-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "file")
  writeFileSync(path, text)
  return path
}

test("a file of the limit's size is read, at the start and again, and a larger one is refused", async () => {
  // The characters of two bytes lie across the pieces in which the file is read.
  const text = `x${"ä".repeat(100_000)}`
  const path = fileOf(text)
  const size = Buffer.byteLength(text)
  expect(readFileText(path, size)).toBe(text)
  expect(await rereadFileText(path, size)).toBe(text)
  const why = `${path} has more than ${size - 1} bytes, the limit for such a file; leave only what this server needs in it`
  expect(() => readFileText(path, size - 1)).toThrow(why)
  await expect(rereadFileText(path, size - 1)).rejects.toThrow(why)
})

test("what has no size is read up to the limit, and what is no file has the system's error", () => {
  expect(() => readFileText("/dev/zero", 1000)).toThrow("/dev/zero has more than 1000 bytes")
  expect(readFileText("/dev/null")).toBe("")
  expect(() => readFileText(join(fileOf(""), "none"))).toThrow(/^ENOTDIR/)
})

test("the text of a fault begins with the file", () => {
  const path = fileOf("text")
  const faultOf = (read: () => unknown): string => {
    try {
      return String(read())
    } catch (error) {
      return textOfFileFault(path, error)
    }
  }
  expect(faultOf(() => readFileText(path, 3))).toMatch(`${path} has more than 3 bytes`)
  expect(faultOf(() => JSON.parse("{"))).toMatch(`${path}: `)
})
