/** `npm test`: installs and builds missing parts, then runs all tests. Arguments are passed on to the runner. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
await buildBundle()
const vitest = join(repository, "node_modules/vitest/vitest.mjs")
const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd: repository, stdio: "inherit" })
process.exitCode = status ?? 1
