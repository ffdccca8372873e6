import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { fileCheckMs, WatchedFiles } from "./watched-files.ts"

test("a file that becomes too large is reported once, and is read when it fits again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "watched-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "file")
  writeFileSync(path, "ten bytes!")
  const clock = createManualClock()
  const faults: string[] = []
  const read = ([text = ""]: readonly string[]): string => text
  const files = new WatchedFiles({ paths: [path], bytesMax: 10, read, clock, onFault: (error) => faults.push(String(error)) })
  onTestFinished(() => files.stop())
  /** Looks at the file again; a look ends when the next one is due. */
  const look = async (): Promise<void> => {
    clock.advance(fileCheckMs)
    while (clock.nextDueMs() === undefined) await new Promise((resolve) => setImmediate(resolve))
  }
  writeFileSync(path, "eleven more")
  for (let looks = 0; looks < 3; looks++) await look()
  expect(faults).toEqual([
    `FileTooLargeError: ${path} has more than 10 bytes, the limit for such a file; leave only what this server needs in it`,
  ])
  expect(files.current).toBe("ten bytes!")
  rmSync(path)
  for (let looks = 0; looks < 3; looks++) await look()
  expect(faults.length).toBe(2)
  writeFileSync(path, "fits")
  await look()
  expect(files.current).toBe("fits")
  expect(() => new WatchedFiles({ paths: [path], bytesMax: 3, read, clock, onFault: () => {} })).toThrow("more than 3 bytes")
})
