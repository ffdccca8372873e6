/** `npm run differ -- --minutes N --seed S`: random requests to a real kube-apiserver and to this one (test/differ). */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { buildBundle, installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
await buildBundle()
const main = join(repository, "test/differ/main.ts")
const { status } = spawnSync(process.execPath, ["--import", "tsx", main, ...process.argv.slice(2)], { cwd: repository, stdio: "inherit" })
process.exitCode = status ?? 1
