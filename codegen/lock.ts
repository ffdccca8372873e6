/** The lock of field numbers on disk: `numbers.lock.yaml` in a folder of schemas. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { lockFile } from "./load/index.ts"

/** Returns the text of the folder's lock; undefined when there is none. */
export function readLock(folder: string): string | undefined {
  const path = join(folder, lockFile)
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** A reason for `--accept` says something; a faulty one is returned as the text of the fault. */
export function acceptFault(options: { readonly accept: string | undefined; readonly check: boolean }): string | undefined {
  if (options.accept === undefined) return undefined
  if (options.accept.trim() === "") return '--accept needs a reason, such as --accept "not released yet"'
  return options.check ? "--accept writes the lock and --check writes nothing: use one of them" : undefined
}

/** Printed when generated code exists and its lock does not: removed fields are then forgotten. */
export function missingLockWarning(path: string): string {
  return (
    `warning: ${path} was missing beside generated code. It is written again from the schemas as they are now: ` +
    "fields without a stated number may have got other numbers, and removed fields are forgotten. If objects are stored, restore the file"
  )
}
