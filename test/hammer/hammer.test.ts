/**
 * Long texts without any grammar into every parser: what reads them must take time that grows with their length. 250 KB take milliseconds then, and
 * minutes where the time grows with the square; the deadline lies far from both.
 */
import { Script } from "node:vm"
import ts from "typescript"
import { describe, expect, it, test } from "vitest"
import { readSources } from "../tidy/source.ts"
import { ownTexts } from "./own-texts.ts"
import { type Parser, parsers } from "./parsers.ts"
import { hammerCharacters, hammerTexts } from "./texts.ts"

/** For one text. The engine ends what takes longer. */
const deadlineMs = 8000

const everyShape: readonly (readonly [string, string])[] = [
  ["", ""],
  ["a", "!"],
]

interface Blow {
  readonly run: () => unknown
}

/** Called from a script, whose time the engine limits wherever it is: in a loop, or within an expression. */
const blow = Symbol.for("the blow of the hammer")
const script = new Script(`globalThis[Symbol.for("the blow of the hammer")].run()`)

/** The names of the texts that were not read in time. */
function unread({ read, shapes = [] }: Parser): string[] {
  const late: string[] = []
  for (const { name, text } of hammerTexts([...everyShape, ...shapes])) {
    const one: Blow = { run: () => read(text) }
    Reflect.set(globalThis, blow, one)
    try {
      script.runInThisContext({ timeout: deadlineMs })
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw error
      late.push(name)
      if (late.length === 3) break
    }
  }
  return late
}

describe(`${hammerCharacters} characters of anything are read in time by`, () => {
  test.each(Object.entries(parsers))("%s", { timeout: 600_000 }, (_name, parser) => expect(unread(parser)).toEqual([]))

  test("everything but what takes quadratic time", () => {
    // The mistake that stopped the server for 47 s.
    const isBlank = (text: string): boolean => text.startsWith("a/b  ")
    const read = (text: string): unknown => isBlank(text) && text.replace(/^ +| +$/g, "")
    expect(unread({ covers: [], read, shapes: [["a/b", "c"]] })).toEqual([`"a/b" " "... "c"`])
  }, 60_000)
})

/** Exported functions whose first parameter is a text, the fields of a head, or a query. */
function readersOf({ path, text }: { path: string; text: string }): string[] {
  return ts
    .createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
    .statements.filter(ts.isFunctionDeclaration)
    .filter((one) => one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true)
    .filter((one) => /^(string( \| undefined)?|IncomingHttpHeaders|URLSearchParams)$/.test(one.parameters[0]?.type?.getText() ?? ""))
    .map((one) => `${path.slice("runtime/".length)}#${one.name?.text ?? ""}`)
}

const folders = /^runtime\/((access|apply|behaviours|connect|discovery|filters|http|http2|kit|registry|verbs|wire)\/.*|[^/]+)\.ts$/

it("every parser is hammered, or reads texts of our own", () => {
  const found = readSources()
    .filter(({ path }) => folders.test(path) && !path.endsWith(".test.ts"))
    .flatMap(readersOf)
  const listed = new Set([...Object.values(parsers).flatMap(({ covers }) => covers), ...ownTexts])
  expect(found.filter((one) => !listed.has(one))).toEqual([])
  expect(ownTexts.filter((one) => !found.includes(one))).toEqual([])
})
