/**
 * `npm run bench`: runs all benchmarks of bench/, one after the other. `npm run bench -- selector` runs one, `--
 * --list` lists them.
 */
import { spawnSync } from "node:child_process"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
await buildBundle()
const { status } = spawnSync(process.execPath, ["--import", "tsx", "bench/support/run.ts", ...process.argv.slice(2)], {
  cwd: repository,
  stdio: "inherit",
})
process.exitCode = status ?? 1
