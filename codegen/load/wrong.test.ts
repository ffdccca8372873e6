/**
 * Mistakes of authors and the exact answer to each: `wrong/expressions.txt` holds rules of the type in
 * `wrong/expressions.yaml`, `wrong/schemas.txt` edits of `wrong/queue.yaml`, written `text => replacement`. Indented
 * lines are the diagnostics. `RECORD=1 npx vitest run codegen/load/wrong.test.ts` rewrites them; review the diff.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readSchemas } from "../folder.ts"
import { formatDiagnostic, load } from "./index.ts"

const folder = join(import.meta.dirname, "wrong")
const record = process.env["RECORD"] === "1"
const path = "kitchen.example.com/v1/queue.yaml"
const library = readSchemas(join(import.meta.dirname, "..", "..", "test", "golden", "library"))

function answer(text: string): string {
  const loaded = load(new Map([[path, text]]), { library })
  if (!("diagnostics" in loaded)) return ""
  return loaded.diagnostics.map((one) => `    ${formatDiagnostic(one).replace(`${path}:`, "")}\n`).join("")
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

const tables: readonly { readonly file: string; readonly least: number; readonly make: (mistake: string) => string }[] = [
  {
    file: "expressions.txt",
    least: 40,
    make: (mistake) => `${base("expressions.yaml")}      - rule: |-\n          ${mistake}\n        at: priority\n        message: no\n`,
  },
  {
    file: "schemas.txt",
    least: 45,
    make: (mistake) => {
      const [from = "", to = ""] = mistake
        .split(" => ")
        .map((text) => text.replaceAll(/\\(.)/g, (_all, letter: string) => escapes[letter] ?? letter))
      expect(base("queue.yaml"), `${from} is no text of queue.yaml`).toContain(from)
      return base("queue.yaml").replace(from, () => to)
    },
  },
]
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t" }

test("without a mistake there is no answer", () => {
  expect(answer(`${base("expressions.yaml")}      - {rule: priority > 0, at: priority, message: no}\n`)).toBe("")
  expect(answer(base("queue.yaml"))).toBe("")
})

describe.each(tables)("$file", ({ file, least, make }) => {
  const rows = rowsOf(file)
  if (record) writeFileSync(join(folder, file), rows.map(({ mistake }) => `${mistake}\n${answer(make(mistake))}`).join("\n"))

  test("holds enough", () => expect(new Set(rows.map(({ mistake }) => mistake)).size).toBeGreaterThanOrEqual(least))

  test.each(record ? [] : rows)("$mistake", ({ mistake, answer: right }) => {
    const told = answer(make(mistake))
    expect(told).toBe(right)
    expect(told).toMatch(/^ {4}\d+:\d+: \S.*; expected \S/)
  })
})
