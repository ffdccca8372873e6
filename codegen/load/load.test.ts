import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { emit } from "../emit/index.ts"
import { packageOptions } from "../emit/options.ts"
import { filePaths, readSchemas } from "../folder.ts"
import { formatDiagnostic, load } from "./index.ts"

const golden = join(import.meta.dirname, "..", "..", "test", "golden")
const library = readSchemas(join(golden, "library"))
const right = readSchemas(golden)
const texts = [...right]
  .filter(([path]) => path.includes("/schemas/"))
  .map(([path, text]) => ({ path: path.split("/schemas/")[1] ?? path, text }))

function told(files: Record<string, string>): string[] {
  const loaded = load(new Map(Object.entries(files)), { library })
  return "diagnostics" in loaded ? loaded.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, "schemas/")) : []
}

const cup = (fields: string): string => `types:\n  Cup:\n    doc: A cup.\n    fields:\n${fields}`

describe("load", () => {
  test("a diagnostic gives file, line, column, what was found, what was expected, and a suggestion", () => {
    const [line] = told({ "core/v1/cup.yaml": cup("      size: {type: int32, doc: Width., defualt: 7}\n") })
    expect(line).toMatch(
      /^schemas\/core\/v1\/cup\.yaml:5:40: unknown key "defualt"; expected one of .*\bdefault\b.*; did you mean "default"\?$/,
    )
  })

  test("the folder core is the group without a name, and core begins its type names", () => {
    const loaded = load(new Map([["core/v1/cup.yaml", cup("      saucer: {type: core.v1.Cup, doc: A cup.}\n")]]))
    expect("model" in loaded && [...loaded.model.types.values()].map(({ name, group }) => ({ name, group }))).toEqual([
      { name: "core.v1.Cup", group: "" },
    ])
  })

  test("the order of the files does not matter", () => {
    const files = [...readSchemas(join(golden, "conversion", "schemas"))]
    const [forwards, backwards] = [
      load(new Map(files), { library }),
      load(new Map(files.toReversed()), { library: new Map([...library].reverse()) }),
    ]
    expect(backwards).toEqual(forwards)
  })

  test("manifests belong to the built-in schemas: a folder of one's own has none, and does not read those", () => {
    const lines = told({ "bootstrap/roles.yaml": "types: {}\n---\nkind: Role\n" })
    expect(lines).toEqual([expect.stringMatching(/^schemas\/bootstrap\/roles\.yaml:2:1: a second document; /)])
    expect(told({ "bootstrap/roles.yaml": "types: {}\n" })).toContainEqual(expect.stringContaining("expected a path like <group>"))
    const files = new Map([["a.io/v1/cup.yaml", cup("      size: {type: int32, doc: Width.}\n")]])
    const loaded = load(files, { library: new Map([...library, ["bootstrap/roles.yaml", "kind: [Role"]]) })
    expect("model" in loaded && loaded.model.bootstrap).toEqual([])
  })

  test("while a file cannot be read, files that refer to it have no errors", () => {
    const files = {
      "a.io/v1/cup.yaml": cup("      saucer: {type: Saucer, doc: What it stands on.}\n"),
      "a.io/v1/saucer.yaml": "types: {Saucer",
    }
    expect(told(files).map((line) => line.split(":")[0])).toEqual(["schemas/a.io/v1/saucer.yaml"])
  })

  test("reports an error in quoted, escaped or folded text at its exact character", () => {
    const rule = (text: string): string =>
      `types:\n  Cup:\n    doc: A cup.\n    fields:\n      size: {type: int32, doc: Width.}\n    rules:\n      - message: no\n        rule: ${text}\n`
    expect(told({ "a.io/v1/cup.yaml": rule("size > 1 && sise > 2") })[0]).toContain(":8:27: unknown name")
    expect(told({ "a.io/v1/cup.yaml": rule('"\\"a\\" == \\"a\\" && sise > 2"') })[0]).toContain(":8:34: unknown name")
    expect(told({ "a.io/v1/cup.yaml": rule(">-\n          size > 1 &&\n          sise > 2") })[0]).toContain(":10:11: unknown name")
  })

  test("a field of an inline struct is a field", () => {
    const types = "  Saucer:\n    doc: A saucer.\n    fields:\n      width: {type: int32, doc: Width.}\n"
    const rules = '    rules: [{rule: width > 0, at: width, message: "no"}]\n'
    expect(
      told({ "a.io/v1/cup.yaml": `${cup("      Saucer: {type: Saucer, inline: true, doc: What it stands on.}\n")}${rules}${types}` }),
    ).toEqual([])
  })

  test("a type keeps unknown fields when one of its inline types does", () => {
    const free = "  Free:\n    doc: Anything.\n    preserveUnknown: true\n"
    const lines = told({ "a.io/v1/cup.yaml": `${cup("      free: {type: Free, inline: true, doc: More.}\n")}${free}` })
    expect(lines.map((line) => line.replace(/;.*/, ""))).toEqual([
      "schemas/a.io/v1/cup.yaml:5:7: the inline type a.io.v1.Free, which preserves unknown fields, in Cup, which does not",
    ])
    const both = `${cup("      free: {type: Free, inline: true, doc: More.}\n")}    preserveUnknown: true\n${free}`
    expect(told({ "a.io/v1/cup.yaml": both })).toEqual([])
  })

  test("types may contain themselves", () => {
    expect(told({ "a.io/v1/cup.yaml": cup('      cups: {type: "[]Cup", doc: Smaller cups.}\n') })).toEqual([])
  })

  test("types may not inline themselves", () => {
    const pot = "  Pot:\n    doc: A pot.\n    fields:\n      cup: {type: Cup, inline: true, doc: A cup.}\n"
    const lines = told({ "a.io/v1/cup.yaml": `${cup("      pot: {type: Pot, inline: true, doc: A pot.}\n")}${pot}` })
    expect(lines.map((line) => line.replace(/;.*/, ""))).toEqual([
      "schemas/a.io/v1/cup.yaml:5:7: the type a.io.v1.Cup inline in itself, by way of pot",
      "schemas/a.io/v1/cup.yaml:9:7: the type a.io.v1.Pot inline in itself, by way of cup",
    ])
  })
})

/** A typical mistake of an author: a piece removed, doubled, or replaced by another. */
const slip = fc.record({
  at: fc.nat(),
  length: fc.nat({ max: 12 }),
  put: fc.constantFrom(
    "",
    "x",
    ":",
    "{",
    "}",
    "[]",
    "- ",
    "\n",
    "  ",
    '"',
    "'",
    "null",
    "7",
    "true",
    "doc",
    "fields: {}",
    "{{",
    "&a ",
    "*a",
    "!t ",
    "size(",
    ".",
  ),
})

function slipped(text: string, slips: readonly { at: number; length: number; put: string }[]): string {
  return slips.reduce((now, { at, length, put }) => {
    const start = at % (now.length + 1)
    return now.slice(0, start) + put + now.slice(start + length)
  }, text)
}

test("no mistake makes the generator throw", { timeout: 60_000 }, () => {
  const file = fc.constantFrom(...texts)
  fc.assert(
    fc.property(file, fc.array(slip, { minLength: 1, maxLength: 3 }), ({ path, text }, slips) => {
      const files = new Map([[path, slipped(text, slips)]])
      const loaded = load(files, { library })
      if ("model" in loaded) emit(loaded.model, packageOptions(new Set([path.replace(/\.yaml$/, "")]), "schemas"))
      else expect(loaded.diagnostics.length).toBeGreaterThan(0)
    }),
    { numRuns: 400, seed: 20_260 },
  )
})

test("every golden case is read", () => {
  expect(texts.length).toBeGreaterThan(100)
  expect(filePaths(golden).length).toBeGreaterThan(300)
})
