/**
 * The package as its users have it: packed, unpacked into node_modules of another folder, used by a project that has a
 * kind of its own and each sort of TypeScript that a schema may name.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { filePaths } from "../../codegen/folder.ts"

const repository = join(import.meta.dirname, "..", "..")
const packedBytesMax = 1.5 * 1024 * 1024
let folder = ""
let packed = ""

/** Links every package that this one depends on, and nothing else. */
function linkDependencies(modules: string): void {
  const { dependencies }: { dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(repository, "package.json"), "utf8"),
  )
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(repository, "node_modules", name), join(modules, name))
  }
}

function run(command: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" })
  expect(status, `${stdout}${stderr}`).toBe(0)
  return stdout
}

beforeAll(async () => {
  const freshness: { buildBundle(): Promise<void> } = await import(join(repository, "scripts", "freshness.mjs"))
  await freshness.buildBundle()
  execFileSync(process.execPath, ["scripts/build.mjs", "--without-bundle"], { cwd: repository })
  folder = mkdtempSync(join(tmpdir(), "packed-"))
  run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], repository)
  packed = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "")
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, "orch-apiserver"), { recursive: true })
  run("tar", ["-xzf", packed, "--strip-components=1", "-C", join(modules, "orch-apiserver")])
  linkDependencies(modules)
  writeFileSync(join(folder, "package.json"), '{"type": "module"}')
  const project = join(import.meta.dirname, "project")
  for (const path of filePaths(project)) {
    const target = join(folder, path.replace(/\.txt$/, ""))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, readFileSync(join(project, path)))
  }
  run(process.execPath, [join(modules, "orch-apiserver/dist/main.js"), "gen", "--schemas", "schemas", "--out", "generated"])
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("the packed package is small", () => {
  expect(statSync(packed).size).toBeLessThan(packedBytesMax)
})

test("the strictest compiler accepts a project that uses all of it, and refuses its mistakes", { timeout: 240_000 }, () => {
  run(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", "."])
})

test("Node imports the generated code", () => {
  const lines = [
    'import { pod } from "orch-apiserver/generated/core/v1/pod/resource"',
    'import { podShape } from "orch-apiserver/generated/core/v1/pod/shape"',
    'import { isEvent } from "orch-apiserver/generated/events.orch.io/v1/event/types"',
    'import { kinds } from "orch-apiserver/generated/index"',
    'import { ApiError } from "orch-apiserver"',
    'import { ApiError as same } from "orch-apiserver/schema"',
    "const parts = await pod.load()",
    'console.log(parts.shape === podShape, isEvent({ kind: "Event", apiVersion: "events.k8s.io/v1" }), kinds.includes(pod), ApiError === same)',
  ]
  expect(run(process.execPath, ["--input-type=module", "--eval", lines.join("\n")])).toBe("true true true true\n")
})

test("an error in the project's code is reported with its file and line", () => {
  const program = [
    'import { startServer } from "orch-apiserver"',
    'const server = await startServer({ api: ["generated"] })',
    "const { queues } = server.api.queue.v1",
    'const create = (owner) => queues.create("default", { metadata: { name: "q" }, spec: { owner } })',
    "await create('planted').catch((error) => console.log(error.code, error.message))",
    "console.log((await create('me')).status)",
    "await server.stop()",
  ]
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program.join("\n")], {
    cwd: folder,
    encoding: "utf8",
  })
  expect(stdout).toMatch(/^500 .*\n\{ length: 0, conditions: \[\] \}\n$/)
  expect(stdout).not.toContain("planted")
  expect(stderr).toMatch(/Error: planted\n +at .*behaviours\/queue-lifecycle\.ts:9:\d+/)
})

test("the server runs the project's kinds", () => {
  const program = [
    'import { startServer } from "orch-apiserver"',
    'const server = await startServer({ api: ["generated"] })',
    "console.log(server.url.startsWith('https://'))",
    "await server.stop()",
  ]
  expect(run(process.execPath, ["--input-type=module", "--eval", program.join("\n")])).toContain("true\n")
})
