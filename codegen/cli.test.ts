import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { runGenerator } from "./cli.ts"
import { runNew } from "./new.ts"

// Each run reads all built-in schemas; on a busy machine two runs exceed the runner's default limit.
vi.setConfig({ testTimeout: 60_000 })

let folder = ""
const printed: string[] = []
const errors: string[] = []

const context = () => ({
  cwd: folder,
  print: (line: string) => void printed.push(line),
  printError: (line: string) => void errors.push(line),
  now: () => 0,
})

const own = ["--schemas", "schemas", "--out", "generated"]
const generatedTypes = "generated/kitchen.example.com/v1/kettle/types.ts"
const schema = "schemas/kitchen.example.com/v1/kettle.yaml"

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8")
}

/** Sets the file's time far back and returns whether a run changes it. */
async function touchedBy(path: string, run: () => Promise<unknown>): Promise<boolean> {
  utimesSync(join(folder, path), 1, 1)
  await run()
  return statSync(join(folder, path)).mtimeMs !== 1000
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-gen-"))
  printed.length = 0
  errors.length = 0
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("npm run new", () => {
  test("the scaffold is valid and refers to built-in types", async () => {
    expect(runNew(["kitchen.example.com/v1", "Kettle", "--schemas", "schemas"], context())).toBe(0)
    expect(printed.join("\n")).toContain("npm run gen -- --schemas schemas --out generated")
    expect(await runGenerator(own, context())).toBe(0)
    expect(errors).toEqual([])
    expect(read(generatedTypes)).toContain("export type KettleSpec")
    expect(existsSync(join(folder, "generated", "meta"))).toBe(false)
  })

  test("--help prints the options; --scope is written", async () => {
    expect(runNew(["--help"], context())).toBe(0)
    expect(printed.join("\n")).toMatch(/^npm run new -- <group>\/<version> <Kind>[^]*--scope/)
    expect(runNew(["kitchen.example.com/v1", "Kettle", "--scope", "Cluster"], context())).toBe(0)
    expect(read(schema)).toContain("\nscope: Cluster # or Namespaced\n")
    expect(await runGenerator(own, context())).toBe(0)
    expect(read("generated/kitchen.example.com/v1/kettle/resource.ts")).toContain("namespaced: false")
  })

  test("a further version is a copy that is stored as the first and converts to it", async () => {
    runNew(["kitchen.example.com/v1", "Kettle"], context())
    write(schema, read(schema).replace("scope:", "storage:\n  cached: false\nscope:"))
    expect(runNew(["kitchen.example.com/v2", "Kettle", "--scope", "Cluster"], context())).toBe(2)
    expect(errors[0]).toBe("--scope Cluster: v1 is Namespaced, and so is every version of a kind")
    for (const version of ["v2", "v3"]) expect(runNew([`kitchen.example.com/${version}`, "Kettle"], context())).toBe(0)
    for (const version of ["v2", "v3"]) {
      const text = read(`schemas/kitchen.example.com/${version}/kettle.yaml`)
      expect(text).toContain(`version: ${version}\nstorage: {sharedWith: kitchen.example.com/v1 Kettle}`)
      expect(text).toContain("\nconversion: {rename: {}}\n")
      expect(text).not.toContain("cached")
    }
    errors.length = 0
    expect(await runGenerator(own, context())).toBe(0)
    expect(errors).toEqual([])
    expect(read("generated/kitchen.example.com/v3/kettle/resource.ts")).toContain('path: "kitchen.example.com/kettles"')
  })

  test("states no field numbers: gen assigns them", () => {
    runNew(["kitchen.example.com/v1", "Kettle"], context())
    expect(read(schema)).not.toContain("number:")
  })

  test("does not overwrite existing files", () => {
    write(schema, "mine")
    expect(runNew(["kitchen.example.com/v1", "Kettle", "--schemas", "schemas"], context())).toBe(1)
    expect(read(schema)).toBe("mine")
    expect(errors).toEqual([`${schema} exists; it was not touched`])
  })

  test.each([
    [[]],
    [["kitchen/v1"]],
    [["kitchen", "Kettle"]],
    [["kitchen/v1", "kettle"]],
    [["kitchen/v1", "Kettle", "more"]],
    [["--folder", "x"]],
    [["kitchen/v1", "Kettle", "--scope", "cluster"]],
  ])("wrong use %j", (args) => {
    expect(runNew(args, context())).toBe(2)
    expect(errors.join("\n")).toContain("npm run new --")
  })

  test.each([
    ["APIProxy", "api-proxy.yaml", "plural: apiproxies"],
    ["Box", "box.yaml", "plural: boxes"],
    ["Tray", "tray.yaml", "plural: trays"],
  ])("%s: file and plural", async (kind, file, plural) => {
    expect(runNew(["kitchen.example.com/v1beta1", kind, "--schemas", "schemas"], context())).toBe(0)
    expect(read(`schemas/kitchen.example.com/v1beta1/${file}`)).toContain(plural)
    expect(await runGenerator(own, context())).toBe(0)
  })
})

describe("npm run gen", () => {
  beforeEach(() => {
    runNew(["kitchen.example.com/v1", "Kettle", "--schemas", "schemas"], context())
    printed.length = 0
  })

  test("a second run writes nothing", async () => {
    await runGenerator(own, context())
    expect(await touchedBy(generatedTypes, () => runGenerator(own, context()))).toBe(false)
    expect(printed.at(-1)).toMatch(/^1 kind from 1 schema file: 0 files written, 0 removed, \d+ unchanged in 0 ms$/)
  })

  test("a changed schema rewrites only the files that differ", async () => {
    await runGenerator(own, context())
    write(schema, read(schema).replaceAll("How far it is.", "How far it got."))
    const resource = "generated/kitchen.example.com/v1/kettle/resource.ts"
    expect(await touchedBy(resource, () => runGenerator(own, context()))).toBe(false)
    expect(read(generatedTypes)).toContain("How far it got.")
  })

  test("removes generated files that no schema needs, and no other files", async () => {
    await runGenerator(own, context())
    write("generated/notes.txt", "mine")
    write("schemas/kitchen.example.com/v1/pot.yaml", "types:\n  Pot:\n    doc: A pot.\n    fields: {}\n")
    rmSync(join(folder, schema))
    expect(await runGenerator(own, context())).toBe(0)
    expect(existsSync(join(folder, "generated/kitchen.example.com/v1/kettle"))).toBe(false)
    expect(read("generated/notes.txt")).toBe("mine")
  })

  test("a foreign file at an output path stops the run before anything is written", async () => {
    write(generatedTypes, "mine")
    expect(await runGenerator(own, context())).toBe(1)
    expect(errors).toEqual([`${generatedTypes} exists and was not generated; move it away`])
    expect(existsSync(join(folder, "generated/index.ts"))).toBe(false)
  })

  test("--check names every stale, missing and extra file and writes nothing", async () => {
    await runGenerator(own, context())
    expect(await runGenerator([...own, "--check"], context())).toBe(0)
    write(generatedTypes, read(generatedTypes).replace("Kettle", "Cattle"))
    write("generated/old.ts", "// @generated by codegen from schemas/old.yaml. Do not edit; run `npm run gen`.\n")
    rmSync(join(folder, "generated/index.ts"))
    expect(await runGenerator([...own, "--check"], context())).toBe(1)
    expect(errors).toEqual([
      `stale: ${generatedTypes}`,
      "missing: generated/index.ts",
      "extra: generated/old.ts",
      "3 files not as generated; run npm run gen",
    ])
    expect(existsSync(join(folder, "generated/index.ts"))).toBe(false)
  })

  test("reports errors with their file and writes nothing", async () => {
    write(schema, read(schema).replace("scope: Namespaced", "scope: Namespased"))
    expect(await runGenerator(own, context())).toBe(1)
    expect(errors[0]).toBe(
      `${schema}:6:8: the text "Namespased" for scope; expected one of Cluster, Namespaced; did you mean "Namespaced"?`,
    )
    expect(errors[1]).toBe("1 fault; nothing was written")
    expect(existsSync(join(folder, "generated"))).toBe(false)
  })

  test("creates a missing behaviour file once; --check only reports it", async () => {
    const file = "behaviours/checks/kettle-spec.ts"
    write(schema, read(schema).replace("    rules:", "    checks: [kettleSpec]\n    rules:"))
    expect(await runGenerator([...own, "--check"], context())).toBe(1)
    expect(errors.slice(0, 2)).toEqual([
      `missing: ${file}, which ${schema} names; expected`,
      "  export const kettleSpec = defineCheck<KettleSpec>((value, context) => { ... })",
    ])
    expect(existsSync(join(folder, "behaviours"))).toBe(false)
    errors.length = 0
    expect(await runGenerator(own, context())).toBe(0)
    expect([errors, printed[0]]).toEqual([[], `created ${file}, which ${schema} names; it changes nothing yet`])
    expect(await runGenerator([...own, "--check"], context())).toBe(0)
    const mine = "export const kettleSpec = defineCheck<KettleSpec>(() => {})"
    write(file, mine)
    expect(await runGenerator(own, context())).toBe(0)
    expect(read(file)).toBe(mine)
  })

  test("a name like that of a file which no schema names is probably a slip: nothing is created", async () => {
    write("behaviours/checks/kettle-spec.ts", "export const kettleSpec = 1")
    write(schema, read(schema).replace("    rules:", "    checks: [kettelSpec]\n    rules:"))
    expect(await runGenerator(own, context())).toBe(0)
    expect(errors).toEqual([
      `missing: behaviours/checks/kettel-spec.ts, which ${schema} names; did you mean "kettleSpec"? Otherwise create it with`,
      "  export const kettelSpec = defineCheck<KettleSpec>((value, context) => { ... })",
    ])
    expect(existsSync(join(folder, "behaviours/checks/kettel-spec.ts"))).toBe(false)
  })

  test("a check of this package is not one of an author", async () => {
    write(schema, read(schema).replace("    rules:", "    checks: [podVolumes]\n    rules:"))
    expect(await runGenerator(own, context())).toBe(0)
    expect(printed[0]).toContain("created behaviours/checks/pod-volumes.ts")
  })

  test("reports a behaviour file that exports another name, with what to write", async () => {
    write("behaviours/checks/kettle-spec.ts", "export const check = () => {}\nexport type kettleSpec = string\n")
    write(schema, read(schema).replace("    rules:", "    checks: [kettleSpec]\n    rules:"))
    expect(await runGenerator(own, context())).toBe(0)
    expect(errors).toEqual([
      `behaviours/checks/kettle-spec.ts: no export "kettleSpec", which ${schema} names; expected`,
      "  export const kettleSpec = defineCheck<KettleSpec>((value, context) => { ... })",
    ])
    expect(await runGenerator([...own, "--check"], context())).toBe(1)
    write("behaviours/checks/kettle-spec.ts", "const check = () => {}\nexport { check as kettleSpec }\n")
    expect(await runGenerator([...own, "--check"], context())).toBe(0)
  })

  describe("the lock of field numbers", () => {
    const lock = "schemas/numbers.lock.yaml"
    beforeEach(() =>
      write(
        schema,
        read(schema)
          .replace("replicas: {type: int32,", "replicas: {type: int32, number: 1,")
          .replace("maxReplicas: {type: int32,", "maxReplicas: {type: int32, number: 2,"),
      ),
    )
    const numberOf = (field: string): string | undefined => new RegExp(` {6}${field}: (\\d+) `).exec(read(lock))?.[1]

    test("is written beside the schemas, and not when a run fails", async () => {
      await runGenerator(own, context())
      const first = read(lock)
      expect(numberOf("maxReplicas")).toBe("2")
      write(schema, read(schema).replace("replicas: {type: int32, number: 1", "replicas: {type: string, number: 1"))
      expect(await runGenerator(own, context())).toBe(1)
      expect(errors.join("\n")).toMatch(
        /^schemas\/.*: the type string for replicas of KettleSpec, whose number 1 is int32 in numbers.lock.yaml/m,
      )
      expect(read(lock)).toBe(first)
    })

    test("--accept lets a change through and records why", async () => {
      await runGenerator(own, context())
      write(schema, read(schema).replace("maxReplicas: {type: int32, number: 2", "maxReplicas: {type: int32, number: 7"))
      expect(await runGenerator(own, context())).toBe(1)
      expect(await runGenerator([...own, "--accept", "not released"], context())).toBe(0)
      expect(read(lock)).toContain('- {change: "maxReplicas: number 2 became 7", reason: "not released"}')
      expect(read(lock)).toContain("- 2 maxReplicas int32")
      expect(await runGenerator([...own, "--check"], context())).toBe(0)
    })

    test("--check fails when it is stale or missing", async () => {
      await runGenerator(own, context())
      write(lock, read(lock).replace("maxReplicas: 2", "maxReplicas: 9"))
      write(schema, read(schema).replace("maxReplicas: {type: int32, number: 2", "maxReplicas: {type: int32, number: 9"))
      write(lock, read(lock).replace("      maxReplicas: 9 int32\n", ""))
      expect(await runGenerator([...own, "--check"], context())).toBe(1)
      expect(errors).toContain(`stale: ${lock}`)
      rmSync(join(folder, lock))
      expect(await runGenerator([...own, "--check"], context())).toBe(1)
      expect(errors).toContain(`missing: ${lock}`)
    })

    test("a lock that is gone while generated code exists is reported; stated numbers stay", async () => {
      await runGenerator(own, context())
      const first = read(lock)
      expect(errors).toEqual([])
      rmSync(join(folder, lock))
      expect(await runGenerator(own, context())).toBe(0)
      expect(errors[0]).toContain(`warning: ${lock} was missing beside generated code`)
      expect(read(lock)).toBe(first)
    })

    test("a renamed field is a warning, and the run succeeds", async () => {
      await runGenerator(own, context())
      write(schema, read(schema).replaceAll("maxReplicas", "most").replace("number: 2", "number: 9"))
      errors.length = 0
      expect(await runGenerator(own, context())).toBe(0)
      expect(errors[0]).toMatch(/^warning: schemas\/.*kettle.yaml:\d+:\d+: maxReplicas of KettleSpec was removed or renamed to most: /)
    })

    test("a broken lock is reported by its own path", async () => {
      await runGenerator(own, context())
      write(lock, read(lock).replace("maxReplicas: 2", "maxReplicas: 1"))
      expect(await runGenerator(own, context())).toBe(1)
      expect(errors[0]).toMatch(/^schemas\/numbers.lock.yaml:\d+:\d+: the number 1 a second time in kitchen.example.com.v1.KettleSpec/)
    })

    test.each([[["--accept", " "]], [["--accept", "x", "--check"]]])("wrong use %j", async (args) => {
      expect(await runGenerator([...own, ...args], context())).toBe(2)
    })
  })

  test("a default that hides zero is a warning, and the run succeeds", async () => {
    write(schema, read(schema).replace("pointer: true, default: 1, minimum: 0", "default: 1, minimum: 0"))
    expect(await runGenerator(own, context())).toBe(0)
    expect(errors).toEqual([
      expect.stringMatching(
        /^warning: schemas\/.*kettle.yaml:\d+:\d+: the default 1 on a field that is not a pointer: a client that sends 0 gets 1;/,
      ),
    ])
  })

  test.each([[["--out", "x"]], [["--colour"]], [["file.yaml"]], [["--explain", "on", "at"]]])("wrong use %j", async (args) => {
    expect(await runGenerator(args, context())).toBe(2)
  })

  test("an empty folder explains how to begin", async () => {
    expect(await runGenerator(["--schemas", "nothing", "--out", "generated"], context())).toBe(1)
    expect(errors).toEqual(["nothing holds no schema files; npm run new -- <group>/<version> <Kind> makes one"])
  })

  test("--out is beside the schemas by default", async () => {
    expect(await runGenerator(["--schemas", "schemas"], context())).toBe(0)
    expect(existsSync(join(folder, generatedTypes))).toBe(true)
  })

  test("--explain prints a keyword, alone all of them, --help the options", async () => {
    expect(await runGenerator(["--explain"], context())).toBe(0)
    expect(printed[0]).toMatch(
      /^Keywords\n {2}answeredBy +The kind is not stored[^]*\n {2}as +The reason[^]*\nFunctions of expressions\n[^]*\nMacros[^]*\nFormats\n/,
    )
    printed.length = 0
    expect(await runGenerator(["--explain=oneOf"], context())).toBe(0)
    expect(await runGenerator(["--explain", "oneOf"], context())).toBe(0)
    expect(await runGenerator(["--explain", "oneOff"], context())).toBe(1)
    expect(await runGenerator(["--help"], context())).toBe(0)
    expect(printed.join("\n")).toMatch(/^oneOf: in a kind file, a type, a field\n[^]*--check/)
  })
})
