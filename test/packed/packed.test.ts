/**
 * The package as its users have it: packed, unpacked into node_modules of another folder, and used by a project with a
 * kind of its own and each sort of TypeScript that a schema may name.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { filePaths } from "../../codegen/folder.ts"
import { installPackage, packedPackage } from "./install.ts"

const repository = join(import.meta.dirname, "..", "..")
const packedBytesMax = 2 * 1024 * 1024
let folder = ""
let packed = ""

/** The programs in the documents that use the package, by the names of their files here. */
function documentedPrograms(): readonly (readonly [string, string])[] {
  return ["README.md", "docs/ADDING-A-KIND.md", "docs/LIBRARY.md"].flatMap((document) => {
    const text = readFileSync(join(repository, document), "utf8")
    const blocks = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].flatMap(([, block = ""]) =>
      block.includes(`from "orch-apiserver`) ? [block] : [],
    )
    expect(blocks, document).not.toEqual([])
    const name = document.replaceAll(/\W/g, "-")
    return blocks.map((block, index) => [`${name}-${index}.ts`, block.replaceAll("my/generated", "generated")] as const)
  })
}

function run(command: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" })
  expect(status, `${stdout}${stderr}`).toBe(0)
  return stdout
}

beforeAll(async () => {
  packed = await packedPackage()
  folder = mkdtempSync(join(tmpdir(), "packed-"))
  installPackage(packed, folder)
  writeFileSync(join(folder, "package.json"), '{"type": "module"}')
  const project = join(import.meta.dirname, "project")
  for (const path of filePaths(project)) {
    const target = join(folder, path.replace(/\.txt$/, ""))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, readFileSync(join(project, path)))
  }
  for (const [name, text] of documentedPrograms()) writeFileSync(join(folder, name), text)
  run(process.execPath, [join(folder, "node_modules/orch-apiserver/dist/main.js"), "gen", "--schemas", "schemas", "--out", "generated"])
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
    'import { persistentVolumeClaim } from "orch-apiserver/generated/core/v1/persistent-volume-claim/resource"',
    'import { isEvent } from "orch-apiserver/generated/events.orch.io/v1/event/types"',
    'import { kinds } from "orch-apiserver/generated/index"',
    'import { ApiError } from "orch-apiserver"',
    'import { ApiError as same } from "orch-apiserver/schema"',
    "const parts = await pod.load()",
    "for (const kind of kinds) await kind.load()",
    "const claim = await persistentVolumeClaim.load()",
    'console.log(claim.warnings({ spec: { resources: { requests: { storage: "1m" } } } }, { vendor: { domain: (name) => name } }).join())',
    'console.log(parts.shape === podShape, isEvent({ kind: "Event", apiVersion: "events.k8s.io/v1" }), kinds.includes(pod), ApiError === same)',
  ]
  const warning = 'spec.resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer'
  const output = run(process.execPath, ["--input-type=module", "--eval", lines.join("\n")])
  expect(output).toBe(`${warning}\ntrue true true true\n`)
})

test("an error in the project's code is reported with its file and line", () => {
  const program = [
    'import { startServer } from "orch-apiserver"',
    'const server = await startServer({ api: ["generated"] })',
    "const { queues } = server.api.queue.v1",
    'const queue = (owner) => ({ metadata: { name: "q" }, spec: { owner } })',
    'await queues.create("default", queue("planted")).catch((error) => console.log(error.stack))',
    'process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"',
    "const path = server.url + '/apis/queue.example.com/v1/namespaces/default/queues'",
    'const headers = { authorization: "Bearer " + server.token, "content-type": "application/json" }',
    'console.log((await fetch(path, { method: "POST", headers, body: JSON.stringify(queue("planted")) })).status)',
    "await server.stop()",
  ]
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program.join("\n")], {
    cwd: folder,
    encoding: "utf8",
  })
  const stack = String.raw`Error: planted\n +at .*\(behaviours/queue-lifecycle\.ts:9:\d+\)`
  expect(stdout, stderr).toMatch(new RegExp(String.raw`^${stack}[^]*\n500\n$`))
  expect(stderr).toMatch(new RegExp(stack))
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

test("the programs of the documents run, and end by themselves", { timeout: 240_000 }, async () => {
  const names = documentedPrograms().map(([name]) => name)
  const tsx = import.meta.resolve("tsx")
  const output = names.map((name) => run(process.execPath, ["--import", tsx, name])).join("")
  expect(output).toContain('404 NotFound pods "nothing" not found')
  expect(output).toContain("ADDED web")
  expect(output).toContain("Fifo 0")
})

test("typed operations of own kinds reach their behaviours, sub-resources and other versions", { timeout: 60_000 }, () => {
  writeFileSync(
    join(folder, "typed.ts"),
    [
      'import { ApiError, startServer } from "orch-apiserver"',
      'import * as queues from "./generated/index.ts"',
      "const server = await startServer({ api: [queues] })",
      'const refused = await server.api.queue.v1.queues.create("default", { metadata: { name: "q" }, spec: { owner: "" } }).catch((error) => error)',
      'await server.api.queue.v1.queues.create("default", { metadata: { name: "q" }, spec: { owner: "me", level: 4 } })',
      'const drained = await server.api.queue.v1.queues.drain.update("default", { metadata: { name: "q" }, spec: { owner: "you" } }).catch((error) => error)',
      'const old = await server.api.queue.v1beta1.queues.get("default", "q")',
      "console.log(refused instanceof ApiError, refused.message, drained.code, drained.details.causes.map(({ field }) => field).join(), old.apiVersion)",
    ].join("\n"),
  )
  const output = run(process.execPath, ["--import", import.meta.resolve("tsx"), "typed.ts"])
  const refusal = 'Queue.queue.example.com "q" is invalid: spec.owner: Required value'
  expect(output).toBe(`true ${refusal} 422 spec.level,spec.owner queue.example.com/v1beta1\n`)
})
