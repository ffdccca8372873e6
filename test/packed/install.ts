/** Installs the packed package, and packages of this repository, as npm would: without the network. */
import { execFile, execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { repository } from "../../scripts/freshness.mjs"

const ownName = "orch-apiserver"

interface Manifest {
  readonly version?: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Resolves with the path of a package packed from the present sources. */
export async function packedPackage(): Promise<string> {
  const args = ["--import", "tsx", join(import.meta.dirname, "pack.ts")]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository })
  return stdout.trim().split("\n").at(-1) ?? ""
}

/** Installs the packed package and its dependencies into `folder/node_modules`, and nothing else. */
export function installPackage(packed: string, folder: string): void {
  const target = join(folder, "node_modules", ownName)
  mkdirSync(target, { recursive: true })
  execFileSync("tar", ["-xzf", packed, "--strip-components=1", "-C", target])
  linkPrograms(folder, ownName)
  for (const name of Object.keys(manifestIn(target).dependencies ?? {})) linkPackage(name, folder)
}

/** Links a package that this repository has installed. */
function linkPackage(name: string, folder: string): void {
  const [source, target] = [repository, folder].map((place) => join(place, "node_modules", name))
  if (source === undefined || target === undefined || existsSync(target)) return
  if (!existsSync(source)) throw new Error(`${name} is not installed in this repository`)
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(source, target)
  linkPrograms(folder, name)
}

function linkPrograms(folder: string, name: string): void {
  const { bin = {} } = manifestIn(join(folder, "node_modules", name))
  const programs = typeof bin === "string" ? { [name]: bin } : bin
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true })
  for (const [program, path] of Object.entries(programs)) {
    const link = join(folder, "node_modules/.bin", program)
    if (!existsSync(link)) symlinkSync(join("..", name, path), link)
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
}

/**
 * Does what `npm install [--save-dev] NAME...` does, or `npm install` for the packages in package.json. Returns its
 * output; undefined for another command.
 */
export function npmInstall(command: string, folder: string, packed: string): string | undefined {
  const [, flag = "", list = ""] = /^npm install(| --save-dev)((?: [@a-z][^ ]*)*)$/.exec(command) ?? [undefined]
  if (!/^npm install\b/.test(command)) return undefined
  const file = join(folder, "package.json")
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(file, "utf8"))
  const section = flag === "" ? "dependencies" : "devDependencies"
  const asked = list.split(" ").filter((name) => name !== "")
  const stated = ["dependencies", "devDependencies"].flatMap((name) => Object.keys({ ...(manifest[name] ?? {}) }))
  const names = asked.length > 0 ? asked : stated
  for (const name of names)
    if (name === ownName) installPackage(packed, folder)
    else linkPackage(name, folder)
  if (asked.length > 0) {
    manifest[section] = { ...(manifest[section] ?? {}), ...Object.fromEntries(asked.map((name) => [name, "*"])) }
    writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
  }
  return `added ${names.length} packages\n`
}
