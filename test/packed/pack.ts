/**
 * Builds and packs the package when a source is newer than the last pack, and prints where it is. A program of its own,
 * because suites that run at a time share one build: they wait for each other with the lock of an LMDB environment,
 * which is free again when its process ends.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, renameSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { open } from "lmdb"
import { buildBundle, repository } from "../../scripts/freshness.mjs"

const sources = ["package.json", "generated", "runtime", "codegen", "model", "scripts/build.mjs"]
const parts = [...sources, "docs", "schemas"]
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
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", place]
  const name = execFileSync("npm", args, { cwd: repository, encoding: "utf8" }).trim()
  renameSync(join(place, name), packed)
}

mkdirSync(place, { recursive: true })
const lock = open({ path: join(place, "lock") })
await buildBundle()
lock.transactionSync(pack)
await lock.close()
console.log(packed)
