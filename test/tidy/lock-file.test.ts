/**
 * `npm ci` refuses a lock file without a package that an entry names, even one for another platform. npm leaves such
 * packages out silently when the registry does not have them; then take an older version of the dependency.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { repository } from "./source.ts"

interface LockedPackage {
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface LockFile {
  /** By folder: `node_modules/a/node_modules/b`. The empty folder is the project. */
  readonly packages: Readonly<Record<string, LockedPackage>>
}

it("has every package that its entries name", () => {
  const missing = Object.entries(readLockFile().packages).flatMap(([folder, locked]) =>
    Object.entries({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
      .filter(([name]) => !isLocked(name, folder))
      .map(([name, range]) => `${folder} needs ${name}@${range}: take a version whose packages the registry has for every platform`),
  )
  expect(missing).toEqual([])
})

it("names no place that packages come from", () => {
  const resolved = Object.entries(readLockFile().packages).flatMap(([folder, locked]) => (locked.resolved === undefined ? [] : [folder]))
  expect(resolved).toEqual([])
})

/** Whether Node finds the package: in the folder's own node_modules, then in the folders above. */
function isLocked(name: string, folder: string): boolean {
  const { packages } = readLockFile()
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (packages[`${at === "" ? "" : `${at}/`}node_modules/${name}`] !== undefined) return true
    if (at === "") return false
  }
}

let lockFile: LockFile | undefined

function readLockFile(): LockFile {
  lockFile ??= JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"))
  if (lockFile === undefined) throw new Error("package-lock.json holds nothing")
  return lockFile
}
