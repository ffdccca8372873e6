/** A folder for the files of options, for suites that share a server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TestDirectory {
  path(name: string): string
  /** Returns the path. */
  write(name: string, text: string): string
  remove(): void
}

/** Called once per file; the suite removes it. */
export function testDirectory(): TestDirectory {
  const folder = mkdtempSync(join(tmpdir(), "security-"))
  const path = (name: string): string => join(folder, name)
  return {
    path,
    write(name, text) {
      writeFileSync(path(name), text)
      return path(name)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
