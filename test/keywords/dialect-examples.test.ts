/** The whole kinds in docs/DIALECT.md load without a fault, and the loader reports the error that it shows. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readSchemas } from "../../codegen/folder.ts"
import { formatDiagnostic, load } from "../../codegen/load/index.ts"

const repository = join(import.meta.dirname, "..", "..")
const page = readFileSync(join(repository, "docs", "DIALECT.md"), "utf8")
const kinds = blocks("yaml").filter((text) => text.startsWith("kind: "))
const library = readSchemas(join(repository, "schemas"))
const path = "kitchen.example.com/v1/kettle.yaml"

function blocks(language: string): string[] {
  return page.split("\n```").flatMap((block) => (block.startsWith(`${language}\n`) ? [block.slice(language.length + 1)] : []))
}

function diagnosticsOf(text: string): string[] {
  const loaded = load(new Map([[path, text]]), { library })
  return ("diagnostics" in loaded ? loaded.diagnostics : loaded.warnings).map((one) => formatDiagnostic(one))
}

test("has two whole kinds", () => expect(kinds).toHaveLength(2))

test.each(kinds.map((text, index) => ({ text, index })))("kind $index loads", ({ text }) => {
  expect(diagnosticsOf(text)).toEqual([])
})

test("the error is that of the smallest kind with a type of JSON Schema", () => {
  const wrong = (kinds[0] ?? "").replace("int32", "integer")
  expect(diagnosticsOf(wrong)).toEqual(blocks("text").map((text) => text.trimEnd()))
})
