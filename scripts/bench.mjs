/** `npm run bench`: every question of bench/, one after the other; `npm run bench -- cache-reads` only that one. Each file says what it asks. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { installPackages, repository, requireNode } from "./freshness.mjs"

requireNode()
installPackages()
const asked = process.argv.slice(2)
const folder = join(repository, "bench")
const questions = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && readFileSync(join(folder, file), "utf8").includes(`bench/${file}`))
  .map((file) => file.slice(0, -".ts".length))
const unknown = asked.filter((name) => !questions.includes(name))
if (unknown.length > 0) {
  console.error(`no such question: ${unknown.join(", ")}; there are ${questions.join(", ")}`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : questions) {
  console.log(`\n${name}`)
  const { status } = spawnSync(process.execPath, ["--expose-gc", "--import", "tsx", join("bench", `${name}.ts`)], {
    cwd: repository,
    stdio: "inherit",
  })
  if (status !== 0) process.exitCode = 1
}
