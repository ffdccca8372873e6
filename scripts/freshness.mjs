/**
 * Prepares the program to run: installs and builds on a fresh clone, does nothing on the next start. Plain Node, no
 * packages.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const repository = dirname(dirname(fileURLToPath(import.meta.url)))
/** Written when a bundle is complete. */
export const stampFile = "dist/.stamp"

const minimumNode = [20, 19]

/** Ends the process with a plain message when this Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])) return
  console.error(`Node ${minimumNode.join(".")} or newer is needed; this is ${process.versions.node}`)
  process.exit(1)
}

/** Installs the packages of package-lock.json, when some are missing or older than that file. */
export function installPackages() {
  // `npm ci` empties the folder first; a linked one belongs to another checkout, which installs for both.
  if (lstatSync(join(repository, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) return
  const installed = join(repository, "node_modules/.package-lock.json")
  const missing = !existsSync(installed)
  if (!missing && modified(installed) >= modified(join(repository, "package-lock.json"))) return
  console.log(missing ? "installing packages (once)..." : "package-lock.json has changed: installing packages...")
  const result = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: repository,
    stdio: "inherit",
    shell: process.platform === "win32",
  })
  if (result.status !== 0) {
    console.error("npm could not install the packages; its message is above")
    process.exit(1)
  }
}

/** Bundles when a source is newer than the last bundle. */
export async function buildBundle() {
  const stamp = join(repository, stampFile)
  const built = existsSync(stamp) ? modified(stamp) : 0
  const sources = ["package.json", "package-lock.json", "scripts/build.mjs"].map((file) => modified(join(repository, file)))
  if (
    Math.max(...sources, ...["runtime", "generated", "codegen", "cel", "model"].map((folder) => newest(join(repository, folder)))) <= built
  )
    return
  const { bundle } = await import("./build.mjs")
  console.log(`built in ${await bundle()} ms`)
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function newest(folder) {
  let latest = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.name.endsWith(".ts") || entry.name.endsWith(".test.ts")) continue
    latest = Math.max(latest, modified(join(entry.parentPath, entry.name)))
  }
  return latest
}

/** Whether a program can be found on the path. */
export function hasProgram(name) {
  try {
    execFileSync("which", [name], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
