/** The build leaves no process behind: none of esbuild runs beside a server. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { buildBundle, repository } from "../scripts/freshness.mjs"

await buildBundle()

/** Prints the processes that the program has started and that still run, as soon as there are none, or at the end. */
const printChildren = `
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
const children = () => readdirSync("/proc/self/task").flatMap((task) =>
  readFileSync("/proc/self/task/" + task + "/children", "utf8").split(" ").filter((id) => id !== ""))
for (let waits = 0; children().length > 0 && waits < 100; waits++) await setTimeout(20)
console.log("children: " + children().map((id) => readFileSync("/proc/" + id + "/cmdline", "utf8").split("\\0").join(" ")).join(", "))`

function run(lines: readonly string[]): string {
  const args = ["--input-type=module", "--eval", [...lines, printChildren, "process.exit(0)"].join("\n")]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 })
  return stdout + stderr
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "children-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const isLinux = process.platform === "linux"

test.runIf(isLinux)("the count of children counts them", () => {
  expect(run(['import { spawn } from "node:child_process"', 'spawn("sleep", ["60"], { detached: true }).unref()'])).toContain(
    "children: sleep 60",
  )
})

test.runIf(isLinux)("npm start bundles, and no process stays", { timeout: 60_000 }, () => {
  const build = pathToFileURL(join(repository, "scripts/build.mjs")).href
  expect(run([`import { bundle } from ${JSON.stringify(build)}`, `await bundle(${JSON.stringify(temporaryFolder())})`])).toBe(
    "children: \n",
  )
})

test.runIf(isLinux)("a server loads kinds of one's own, and no process stays", { timeout: 60_000 }, () => {
  const folder = temporaryFolder()
  const file = join(folder, "schemas/kitchen.example.com/v1/pot.yaml")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    "kind: Pot\ngroup: kitchen.example.com\nversion: v1\ndoc: A pot.\nscope: Cluster\nnames: {plural: pots}\nfields: {}\n",
  )
  execFileSync(process.execPath, [join(repository, "dist/main.js"), "gen", "--schemas", join(folder, "schemas")], { cwd: folder })
  const library = pathToFileURL(join(repository, "dist/library.js")).href
  const api = JSON.stringify([join(folder, "generated")])
  expect(run([`import { startServer } from ${JSON.stringify(library)}`, `const server = await startServer({ api: ${api} })`])).toBe(
    "children: \n",
  )
})
