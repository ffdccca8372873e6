/** Creates folders, with errors that name the step of the path that is in the way. */
import { accessSync, constants, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** A folder that cannot be made or written. The message names the path and the reason. */
export class FolderError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "FolderError"
  }
}

/**
 * Called for folders of data, certificates and outputs. Creates `path` and its missing parents, by default readable by
 * their owner only, one at a time: node's own recursion never returns below `/proc`, where a folder can be neither made
 * nor found. Returns when the folder exists and may be written. Throws FolderError.
 */
export function makeFolder(path: string, mode = 0o700): void {
  const folder = resolve(path)
  for (const step of missingSteps(folder)) make(step, mode)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new FolderError(`${folder} cannot be written: ${reasonOf(error)}`)
  }
}

/** The folders to make, outermost first. */
function missingSteps(folder: string): string[] {
  const steps: string[] = []
  for (let step = folder; !isFolder(step); step = dirname(step)) steps.unshift(step)
  return steps
}

/** Throws if the path is not a folder. */
function isFolder(path: string): boolean {
  let found: ReturnType<typeof statSync>
  try {
    found = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return false
    throw new FolderError(`${path} cannot be read: ${reasonOf(error)}`)
  }
  if (found === undefined) return false
  if (!found.isDirectory()) throw new FolderError(`${path} is a file where a folder is needed`)
  return true
}

function make(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (codeOf(error) === "EEXIST" && isFolder(path)) return
    throw new FolderError(`${path} cannot be created: ${reasonOf(error)}`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the user's disk quota is used up",
  ENOENT: "its file system holds no folders of this kind",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links lead in a circle",
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  return (code === undefined ? undefined : reasons[code]) ?? (error instanceof Error ? error.message : String(error))
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
}
