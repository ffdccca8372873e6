/** `npm run real-answers`: compares this server with recorded answers of kube-apiserver (test/real-answers). */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
await buildBundle()
const main = join(repository, "test/real-answers/main.ts")
const { status } = spawnSync(process.execPath, ["--import", "tsx", main, ...process.argv.slice(2)], { cwd: repository, stdio: "inherit" })
process.exitCode = status ?? 1
