/**
 * `npm run check`: all static checks of the code, with the time that each took. `npm run fix` corrects faults that can
 * be corrected automatically.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { installPackages, repository, requireNode } from "./freshness.mjs"

const bin = (path) => join(repository, "node_modules", path)
const generator = ["--import", "tsx", "runtime/main.ts", "gen"]

/** The path of a check's cache of its last run, which is keyed by the content of files. */
const kept = (name) => join(repository, ".orch/check", name)

const checks = [
  // The compiler in Go takes a third of the time. `typescript` beside it has the API that ts-morph and tests need.
  { name: "types", args: [bin("typescript-native/bin/tsc"), "-p", ".", "--incremental", "--tsBuildInfoFile", kept("types.json")] },
  { name: "lint and format", args: [bin("@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."] },
  { name: "dead code", args: [bin("knip/bin/knip.js"), "--cache", "--cache-location", kept("knip")] },
  // In one process, which parses the sources once.
  { name: "tidy", args: [bin("vitest/vitest.mjs"), "run", "test/tidy", "--no-isolate", "--maxWorkers=1"] },
  { name: "generated code is fresh", args: [...generator, "--check"] },
]

const fixes = [
  { name: "generated code", args: generator },
  { name: "tables of the documents", args: ["--import", "tsx", "scripts/write-doc-tables.ts"] },
  { name: "lint and format", args: [bin("@biomejs/biome/bin/biome"), "check", "--write", "."] },
]

/** Shows the output of a step only when it fails. */
function run({ name, args }) {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] })
    const output = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk))
    child.on("close", (code) => {
      console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds(started)})`)
      if (code !== 0) console.log(Buffer.concat(output).toString())
      resolve(code === 0)
    })
  })
}

function seconds(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}

requireNode()
installPackages()
const started = performance.now()
const results = []
if (process.argv.includes("--fix")) for (const step of fixes) results.push(await run(step))
else results.push(...(await Promise.all(checks.map(run))))
const failed = results.filter((good) => !good).length
console.log(failed === 0 ? `all good in ${seconds(started)}` : `${failed} of ${results.length} failed in ${seconds(started)}`)
process.exitCode = failed === 0 ? 0 : 1
