/** `npm run bench`: every question of bench/, one after the other; `npm run bench -- selector` only that one, `-- --list` what there is to ask. */
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
