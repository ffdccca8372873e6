/** `npm run fuzz -- --minutes N --seed S`: runs the fuzzer of test/fuzz for N minutes. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
const main = join(repository, "test/fuzz/main.ts")
const { status } = spawnSync(process.execPath, ["--import", "tsx", main, ...process.argv.slice(2)], { cwd: repository, stdio: "inherit" })
process.exitCode = status ?? 1
