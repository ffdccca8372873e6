/**
 * Mistakes of authors and the exact answer to each: `wrong/expressions.txt` holds rules of the type in
 * `wrong/expressions.yaml`, `wrong/schemas.txt` edits of `wrong/queue.yaml`, written `text => replacement`, and
 * `wrong/bootstrap.txt` edits of the manifests in `wrong/bootstrap.yaml`. Indented lines are the diagnostics.
 * `RECORD=1 npx vitest run codegen/load/wrong.test.ts` rewrites them; review the diff.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { builtInSchemas, readSchemas } from "../folder.ts"
import { loadBootstrap } from "./bootstrap/index.ts"
import { compareDiagnostics, type Diagnostic } from "./diagnostic.ts"
import { formatDiagnostic, isBootstrapFile, load } from "./index.ts"
import { SourceFile } from "./source.ts"

const folder = join(import.meta.dirname, "wrong")
const record = process.env["RECORD"] === "1"
const path = "kitchen.example.com/v1/queue.yaml"
const manifestsPath = "bootstrap/viewers.yaml"
const library = readSchemas(join(import.meta.dirname, "..", "..", "test", "golden", "library"))

const builtIn = load(new Map([...readSchemas(builtInSchemas)].filter(([name]) => !isBootstrapFile(name))))

function answer(text: string): string {
  const loaded = load(new Map([[path, text]]), { library })
  return "diagnostics" in loaded ? answerOf(loaded.diagnostics) : ""
}

function manifestsAnswer(text: string): string {
  if ("diagnostics" in builtIn) throw new Error("the built-in schemas have faults")
  const source = new SourceFile(manifestsPath, text, true)
  if (source.readable) loadBootstrap([source], builtIn.model)
  return answerOf(source.diagnostics.toSorted(compareDiagnostics))
}

function answerOf(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((one) => `    ${formatDiagnostic(one).replace(/^[^:]*:/, "")}\n`).join("")
}

interface Row {
  readonly mistake: string
  readonly answer: string
}

function rowsOf(file: string): Row[] {
  const blocks = readFileSync(join(folder, file), "utf8").trimEnd().split("\n\n")
  return blocks.map((block) => {
    const [mistake = "", ...lines] = block.split("\n")
    return { mistake, answer: lines.map((line) => `${line}\n`).join("") }
  })
}

function base(file: string): string {
  return readFileSync(join(folder, file), "utf8")
}

/** A row is an edit of this file. */
function edited(file: string): (mistake: string) => string {
  return (mistake) => {
    const [from = "", to = ""] = mistake
      .split(" => ")
      .map((text) => text.replaceAll(/\\(.)/g, (_all, letter: string) => escapes[letter] ?? letter))
    expect(base(file), `${from} is no text of ${file}`).toContain(from)
    return base(file).replace(from, () => to)
  }
}

interface Table {
  readonly file: string
  readonly least: number
  readonly make: (mistake: string) => string
  readonly answer: (text: string) => string
}

const tables: readonly Table[] = [
  {
    file: "expressions.txt",
    least: 40,
    make: (mistake) => `${base("expressions.yaml")}      - rule: |-\n          ${mistake}\n        at: priority\n        message: no\n`,
    answer,
  },
  { file: "schemas.txt", least: 45, make: edited("queue.yaml"), answer },
  { file: "bootstrap.txt", least: 50, make: edited("bootstrap.yaml"), answer: manifestsAnswer },
]
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t" }

test("without a mistake there is no answer", () => {
  expect(answer(`${base("expressions.yaml")}      - {rule: priority > 0, at: priority, message: no}\n`)).toBe("")
  expect(answer(base("queue.yaml"))).toBe("")
  expect(manifestsAnswer(base("bootstrap.yaml"))).toBe("")
})

describe.each(tables)("$file", ({ file, least, make, answer: told }) => {
  const rows = rowsOf(file)
  if (record) writeFileSync(join(folder, file), rows.map(({ mistake }) => `${mistake}\n${told(make(mistake))}`).join("\n"))

  test("holds enough", () => expect(new Set(rows.map(({ mistake }) => mistake)).size).toBeGreaterThanOrEqual(least))

  test.each(record ? [] : rows)("$mistake", ({ mistake, answer: right }) => {
    const answered = told(make(mistake))
    expect(answered).toBe(right)
    expect(answered).toMatch(/^ {4}\d+:\d+: \S.*; expected \S/)
  })
})
