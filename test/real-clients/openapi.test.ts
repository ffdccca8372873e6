/**
 * The published OpenAPI documents pass the checks of others' tools, and generators make clients that compile: from the
 * plain documents for all languages. The kind of `openapi/schemas` has every limit that OpenAPI can express.
 */
import { existsSync } from "node:fs"
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import { runCommand } from "../clients/command.ts"
import { freePort, programArguments, type ServerProcess, startServerProcess } from "../clients/server-process.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const here = fileURLToPath(new URL("openapi", import.meta.url))
const generator = process.env.ORCH_OPENAPI_GENERATOR
const spectral = process.env.ORCH_SPECTRAL
const python = process.env.ORCH_OPENAPI_PYTHON
const hasGo = process.env.ORCH_GO_CLIENTS !== undefined

const own = "v3/apis/kitchen.example.com/v1"
/** Version 2 is one document; of version 3 the largest, one with all features of paths, and the own kind's document. */
const checked = ["v2", "v3/api/v1", "v3/apis/apps/v1", own]

/** The largest document takes Java, Maven or Spectral a minute of work, and more on shared machines. */
const timeout = 600_000

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "openapi-"))
  const api = join(folder, "generated")
  // The generator keeps a lock and a schema of the dialect beside the schemas.
  await cp(join(here, "schemas"), join(folder, "schemas"), { recursive: true })
  await ends(process.execPath, programArguments("gen", "--schemas", join(folder, "schemas"), "--out", api), repository)
  for (const flags of [
    ["--out", join(folder, "served")],
    ["--out", join(folder, "plain"), "--plain"],
  ])
    await ends(process.execPath, programArguments("openapi", "--vendor=kubernetes", `--api=${api}`, ...flags), repository)
  for (const path of checked.filter((path) => path.startsWith("v3/"))) await dropZeroDefaults(join(folder, "served", `${path}.json`))
})
afterAll(() => rm(folder, { recursive: true }))

/**
 * Removes the one exception from a served document, so that every rule holds for the rest: the reference publishes the
 * zero value of Go as the default of its required fields, also of fields whose `enum` has no empty text. Our document
 * has the same defaults, and the plain form leaves them out. Fails when a document has no such default, and when a
 * user's kind has one.
 */
async function dropZeroDefaults(file: string): Promise<void> {
  const document: { components: { schemas: Record<string, JsonValue> } } = JSON.parse(await readFile(file, "utf8"))
  const names = Object.entries(document.components.schemas).flatMap(([name, schema]) => (dropsZeroDefaults(schema) ? [name] : []))
  expect(names).toContain("io.k8s.api.core.v1.NodeSelectorRequirement")
  expect(names.filter((name) => !name.startsWith("io.k8s."))).toEqual([])
  await writeFile(file, JSON.stringify(document, undefined, 2))
}

/** Deletes each empty default that the `enum` beside it excludes. Returns whether there was one. */
function dropsZeroDefaults(part: JsonValue | undefined): boolean {
  if (Array.isArray(part)) return part.map(dropsZeroDefaults).includes(true)
  if (!isObject(part)) return false
  const drops = part["default"] === "" && Array.isArray(part["enum"]) && !part["enum"].includes("")
  if (drops) delete part["default"]
  return Object.values(part).map(dropsZeroDefaults).includes(true) || drops
}

/** Runs a program to its successful end and returns all that it printed. */
async function ends(program: string, args: readonly string[], cwd: string = folder): Promise<string> {
  const { code, stdout, stderr } = await runCommand(program, args, { cwd })
  expect(code, `${program} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0)
  return stdout + stderr
}

describe.skipIf(spectral === undefined)(`Spectral${spectral === undefined ? " (npm could not install it)" : ""}`, { timeout }, () => {
  it("finds nothing beside the exceptions that openapi/.spectral.yaml explains", async () => {
    // The large document of the core group takes it a quarter of a minute and has nothing that the others lack. Version
    // 2 has all kinds in one document, a minute each time: the plain form is the served one without extensions.
    const paths = { served: checked.filter((path) => path !== "v3/api/v1"), plain: ["v3/apis/apps/v1", own] }
    const files = Object.entries(paths).flatMap(([form, some]) => some.map((path) => join(folder, form, `${path}.json`)))
    const rules = ["--ruleset", join(here, ".spectral.yaml"), "--fail-severity=hint"]
    expect(await ends(process.execPath, [spectral ?? "", "lint", ...rules, ...files])).toContain("No results")
  })
})

const why = generator === undefined ? " (java and maven are not installed)" : ""

describe.skipIf(generator === undefined)(`openapi-generator${why}`, { timeout }, () => {
  it.each(["served", "plain"].flatMap((form) => checked.map((path) => [form, path] as const)))("validates %s/%s", async (form, path) => {
    const args = ["validate", "--recommend", "--input-spec", join(folder, form, `${path}.json`)]
    expect(await ends("java", ["-jar", generator ?? "", ...args])).toContain("No validation issues detected.")
  })

  /** Generates a client of a plain document. Returns its folder. */
  async function generate(language: string, path: string, ...more: readonly string[]): Promise<string> {
    const out = join(folder, `${language}-${path.replaceAll("/", "-")}`)
    const parts = ["apiTests", "modelTests", "apiDocs", "modelDocs"].map((part) => `${part}=false`)
    const properties = ["--global-property", ["apis", "models", "supportingFiles", ...parts].join(",")]
    const input = ["--input-spec", join(folder, "plain", `${path}.json`), "--output", out, "--skip-operation-example"]
    await ends("java", ["-jar", generator ?? "", "generate", "--generator-name", language, ...input, ...properties, ...more])
    return out
  }

  it.each(["v2", own])("generates a client in Java from %s that compiles", async (path) => {
    const client = await generate("java", path, "--library", "native")
    await ends("mvn", ["--quiet", "--batch-mode", "compile", "-Dmaven.javadoc.skip=true"], client)
    expect(existsSync(join(client, "target", "classes"))).toBe(true)
  })

  it("generates a client in TypeScript that compiles", async () => {
    const client = await generate("typescript-fetch", own)
    const compiler = join(repository, "node_modules/typescript/bin/tsc")
    const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    await ends(process.execPath, [compiler, ...flags, join(client, "index.ts")], client)
  })

  it.skipIf(!hasGo).each(["v2", own])("generates a client in Go from %s that compiles", async (path) => {
    await ends("go", ["build", "./..."], await generate("go", path))
  })

  it.skipIf(python === undefined)("generates a client in Python that can be imported", async () => {
    await ends(python ?? "", ["-c", "import openapi_client"], await generate("python", own))
  })
})

describe.skipIf(python === undefined)(`openapi-python-client${python === undefined ? " (python3 is not installed)" : ""}`, () => {
  let server: ServerProcess

  beforeAll(async () => {
    const flags = ["--vendor=kubernetes", `--api=${join(folder, "generated")}`]
    server = await startServerProcess({ dataDir: join(folder, "data"), port: await freePort(), flags })
  })
  afterAll(() => server.process.end())

  it("generates a client without a warning, which round-trips an object", async () => {
    const out = join(folder, "python-client")
    const input = ["--path", join(folder, "plain", `${own}.json`), "--output-path", out]
    const printed = await ends(python ?? "", ["-m", "openapi_python_client", "generate", ...input])
    expect(printed).not.toContain("WARNING")
    expect(await readdir(out)).toContain("orch_apiserver_client")
    const authority = join(folder, "data", "pki", "ca.crt")
    const script = [join(here, "round_trip.py"), `https://127.0.0.1:${server.port}`, server.token, authority]
    const { stdout, stderr } = await runCommand(python ?? "", script, { env: { PYTHONPATH: out } })
    expect(stderr).toBe("")
    expect(stdout).toBe("works\n")
  })
})
