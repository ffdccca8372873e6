/** `npm run sim -- --minutes N --seed S`: runs the simulation of test/sim for N minutes. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
const main = join(repository, "test/sim/main.ts")
const { status } = spawnSync(process.execPath, ["--import", "tsx", main, ...process.argv.slice(2)], { cwd: repository, stdio: "inherit" })
process.exitCode = status ?? 1
