/**
 * One folder per keyword of the schema dialect: `schemas/` is valid and `expected/` holds the generated code that the
 * keyword affects; `wrong/` is invalid and `diagnostics.txt` holds the diagnostics. `RECORD=1 npx vitest run
 * test/golden` rewrites both; review the diff.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { filePaths, readSchemas } from "../../codegen/folder.ts"
import { dialect, keywordId } from "../../codegen/load/dialect.ts"
import { readLock } from "../../codegen/lock.ts"
import { expressionFunctions } from "../../model/expression/functions.ts"
import { formatDiagnostic, type KnownNames, type Loaded, load } from "../../codegen/load/index.ts"
import { emitCase, interesting, typeFaults } from "./emit-case.ts"

const folder = import.meta.dirname
const record = process.env["RECORD"] === "1"
const library = readSchemas(join(folder, "library"))
/** Cases beyond keywords: YAML itself, every function of expressions, and types that fields declare. */
const further = ["yaml", "functions", "field-fields"]
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "library").map((entry) => entry.name)
/** The TypeScript files that the cases may refer to. */
const known: KnownNames = { behaviours: ["boil"], checks: ["cupSize"], cells: ["boiling"], conversions: ["kettles"], warnings: ["kettleCare"] }
/** Suffix of recorded code: it is compared, not compiled. */
const recordedSuffix = ".txt"

describe.each(cases)("%s", (id) => {
  test("generates what was recorded", () => {
    const emitted = interesting(id, emitRight(id))
    expect(emitted.size, "the keyword shows nowhere in the files that are kept").toBeGreaterThan(0)
    const target = join(folder, id, "expected")
    if (record) writeTree(target, emitted)
    expect(Object.fromEntries(readTree(target))).toEqual(Object.fromEntries(emitted))
  })

  test("reports what is wrong", () => {
    const wrong = join(folder, id, "wrong")
    const numbers = readLock(wrong)
    const told = toldOf(load(readSchemas(wrong), { library, known, ...(numbers !== undefined && { numbers }) }))
    const target = join(folder, id, "diagnostics.txt")
    if (record) writeFileSync(target, told)
    expect(told).not.toBe("")
    expect(told).toBe(existsSync(target) ? readFileSync(target, "utf8") : "")
  })
})

describe("all cases", () => {
  test("every keyword has a folder, and every folder a keyword", () => {
    expect(cases.toSorted()).toEqual([...dialect.map(keywordId), ...further].toSorted())
  })

  test("the functions case uses every function of expressions", () => {
    const text = [...readSchemas(join(folder, "functions", "schemas")).values()].join("\n")
    expect([...expressionFunctions.keys()].filter((name) => !text.includes(`${name}(`))).toEqual([])
  })

  test("the generated code of every case type-checks", { timeout: 120_000 }, () => {
    const emitted = new Map(cases.map((id) => [id, emitRight(id)]))
    const loaded = load(library)
    if ("model" in loaded) emitted.set("library", emitCase(loaded.model, library))
    expect(typeFaults(emitted)).toEqual([])
  })
})

function emitRight(id: string): ReadonlyMap<string, string> {
  const files = readSchemas(join(folder, id, "schemas"))
  const loaded = load(files, { library, known })
  expect(toldOf(loaded)).toBe("")
  return "model" in loaded ? emitCase(loaded.model, files) : new Map()
}

function toldOf(loaded: Loaded): string {
  const told = "model" in loaded ? [...loaded.notes, ...loaded.warnings] : loaded.diagnostics
  return told.map((diagnostic) => `${formatDiagnostic(diagnostic)}\n`).join("")
}

function writeTree(target: string, files: ReadonlyMap<string, string>): void {
  rmSync(target, { recursive: true, force: true })
  for (const [path, text] of files) {
    const file = join(target, `${path}${recordedSuffix}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

function readTree(target: string): ReadonlyMap<string, string> {
  return new Map(filePaths(target).map((path) => [path.slice(0, -recordedSuffix.length), readFileSync(join(target, path), "utf8")]))
}
