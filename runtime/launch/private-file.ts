/** Files with secrets: readable by their owner only, and written completely or not at all. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../base/make-folder.ts"

/**
 * Called for keys, tokens and kubeconfigs. Creates the folder; replaces the file in one step. Throws the file system's
 * errors.
 */
export function writePrivateFile(path: string, text: string): void {
  makeFolder(dirname(path))
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

/**
 * Returns the content of the file; creates it from `make` first when it does not exist. Called for secrets that live as
 * long as the data folder. Throws an Error that names the file and the remedy for a file that is empty, or that all
 * users of this machine can read or change. Group access is allowed: container volumes assign files to a group.
 */
export function readOrMakePrivateFile(path: string, make: () => string): string {
  if (!existsSync(path)) writePrivateFile(path, `${make()}\n`)
  checkPrivate(path)
  const text = readFileSync(path, "utf8").trim()
  if (text === "") throw new Error(`${path} is empty; remove it, and a new secret is made`)
  return text
}

/** Throws an Error that names the file and the remedy when all users of this machine can read or change it. */
export function checkPrivate(path: string): void {
  const mode = statSync(path).mode & 0o777
  if ((mode & othersMay) === 0) return
  throw new Error(
    `${path} is a secret, and its mode ${mode.toString(8)} lets everybody read or change it; chmod 600 it, and make a new secret if others were here`,
  )
}

const othersMay = 0o007
