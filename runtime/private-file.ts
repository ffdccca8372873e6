/** Files that hold secrets: readable by their owner only, and there whole or not at all. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"

/** Called for keys, tokens and kubeconfigs. Makes the folder; replaces the file in one step. Throws the file system's errors. */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const scratch = `${path}.${process.pid}.new`
  rmSync(scratch, { force: true })
  const file = openSync(scratch, "wx", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(scratch, path)
}

/** What the file holds; when there is none it is made from `make` first. Called for secrets that live as long as the data folder. */
export function readOrMakePrivateFile(path: string, make: () => string): string {
  if (!existsSync(path)) writePrivateFile(path, `${make()}\n`)
  return readFileSync(path, "utf8").trim()
}
