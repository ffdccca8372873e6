/**
 * Builds and packs the package when a source is newer than the last pack, and prints where it is. A program of its own,
 * because suites that run at a time share one build: they wait for each other with the lock of an LMDB environment,
 * which is free again when its process ends.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { open } from "lmdb"
import { repository } from "../../scripts/freshness.mjs"

const sources = ["package.json", "generated", "runtime", "cel", "codegen", "model", "scripts/build.mjs"]
const parts = [...sources, "README.md", "docs", "schemas"]
const place = join(tmpdir(), `orch-packed-${createHash("sha256").update(repository).digest("hex").slice(0, 12)}`)
const packed = join(place, "orch-apiserver.tgz")

function newestMs(path: string): number {
  const status = statSync(path)
  if (!status.isDirectory()) return status.mtimeMs
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newestMs(join(path, name))), 0)
}

function pack(): void {
  const packedMs = statSync(packed, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isPacked = (part: string): boolean => newestMs(join(repository, part)) < packedMs
  if (parts.every(isPacked)) return
  if (!sources.every(isPacked))
    execFileSync(process.execPath, ["scripts/build.mjs", "--without-bundle"], { cwd: repository, stdio: ["ignore", "ignore", "inherit"] })
  const staged = stage()
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", place]
  const name = execFileSync("npm", args, { cwd: staged, encoding: "utf8" }).trim()
  renameSync(join(place, name), packed)
}

/** A copy of the packed files. Not the repository itself, whose dist also has the bundles of earlier builds. */
function stage(): string {
  const staged = join(place, "staged")
  rmSync(staged, { recursive: true, force: true })
  const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"))
  const folders = files.filter((name) => !/^(!|dist)/.test(name)).map((name) => name.replace(/\/\*.*$/, ""))
  for (const part of ["package.json", "README.md", "LICENSE", ...folders])
    cpSync(join(repository, part), join(staged, part), { recursive: true })
  for (const part of ["types", "generated"]) cpSync(join(repository, "dist", part), join(staged, "dist", part), { recursive: true })
  const bundle = `import { bundle } from "./scripts/build.mjs"; await bundle(${JSON.stringify(join(staged, "dist"))})`
  execFileSync(process.execPath, ["--input-type=module", "--eval", bundle], { cwd: repository, stdio: ["ignore", "ignore", "inherit"] })
  return staged
}

mkdirSync(place, { recursive: true })
const lock = open({ path: join(place, "lock") })
lock.transactionSync(pack)
await lock.close()
console.log(packed)
