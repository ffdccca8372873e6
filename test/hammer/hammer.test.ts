/**
 * Feeds long ungrammatical texts to every parser: reading must take linear time. Then 250 KB take milliseconds;
 * quadratic time takes minutes. The deadline is far from both.
 */
import { Script } from "node:vm"
import ts from "typescript"
import { describe, expect, it, test } from "vitest"
import { readSources } from "../tidy/source.ts"
import { ownTexts } from "./own-texts.ts"
import { ownTextsOfDefinitions } from "./definition-parsers.ts"
import type { Parser } from "./parser.ts"
import { parsers } from "./parsers.ts"
import { hammerCharacters, hammerTexts } from "./texts.ts"

/** Per text. The engine aborts code that takes longer. */
const deadlineMs = 8000

const everyShape: readonly (readonly [string, string])[] = [
  ["", ""],
  ["a", "!"],
]

interface Blow {
  readonly run: () => unknown
}

/** Called from a script, whose time the engine limits everywhere: in a loop, or within a regular expression. */
const blow = Symbol.for("the blow of the hammer")
const script = new Script(`globalThis[Symbol.for("the blow of the hammer")].run()`)

/** Returns the names of the texts that were not read in time. */
function unread({ read, shapes = [], units = [] }: Parser): string[] {
  const late: string[] = []
  for (const { name, text } of hammerTexts([...everyShape, ...shapes], units)) {
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

  test("all but a parser that takes quadratic time", () => {
    // The mistake that stalled the server for 47 s.
    const isBlank = (text: string): boolean => text.startsWith("a/b  ")
    const read = (text: string): unknown => isBlank(text) && text.replace(/^ +| +$/g, "")
    expect(unread({ covers: [], read, shapes: [["a/b", "c"]] })).toEqual([`"a/b" " "... "c"`])
  }, 60_000)
})

/** Exported functions whose first parameter is a text, the fields of a head, or a query. */
function readersOf({ path, text }: { path: string; text: string }): string[] {
  if (!/^export (async )?function/m.test(text)) return []
  return ts
    .createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
    .statements.filter(ts.isFunctionDeclaration)
    .filter((one) => one.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true)
    .filter((one) => /^(string( \| undefined)?|IncomingHttpHeaders|URLSearchParams)$/.test(one.parameters[0]?.type?.getText() ?? ""))
    .map((one) => `${path.replace(/^runtime\//, "")}#${one.name?.text ?? ""}`)
}

const folders =
  /^(cel\/.*|runtime\/((admission|apply|audit|authn|authz|base|behaviours|connect|definitions|discovery|encoding|filters|http|http2|launch|observability|openapi|query|registry|schema|verbs|wire)\/.*|[^/]+))\.ts$/

it("every parser is hammered, or listed as reading only our own texts", { timeout: 120_000 }, () => {
  const own = [...ownTexts, ...ownTextsOfDefinitions]
  const found = readSources()
    .filter(({ path }) => folders.test(path) && !/\.test\.ts$|-cases\.ts$/.test(path))
    .flatMap(readersOf)
  const listed = new Set([...Object.values(parsers).flatMap(({ covers }) => covers), ...own])
  expect(found.filter((one) => !listed.has(one))).toEqual([])
  expect(own.filter((one) => !found.includes(one))).toEqual([])
})
