/**
 * The conventions that a program can check; each message says what to do. Reasons and habits are in
 * docs/ARCHITECTURE.md.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { staleDocuments } from "../scripts/doc-tables.ts"
import { arrowFaults, cycleFaults, roomFaults } from "./tidy/arrows.ts"
import { longDocuments, missingFiles, missingHeadings, readDocuments, repositoryPaths } from "./tidy/documents.ts"
import { commentFaults, commentLines, documentLines, proseColumnsMax, proseFaults } from "./tidy/prose.ts"
import { readSources, repository, textFiles } from "./tidy/source.ts"

const sources = readSources()
const ours = sources.filter(({ path }) => !path.startsWith("generated/"))
const documents = readDocuments()
const fileLinesMax = 500
const functionLinesMax = 70

describe("imports", () => {
  it("follow the arrows", () => expect(arrowFaults(sources)).toEqual([]))
  it("of ts-morph are in one folder", () => expect(roomFaults(sources)).toEqual([]))
  it("have no cycles, not even of types", () => expect(cycleFaults(ours)).toEqual([]))
})

describe("sizes", () => {
  it(`of files are ${fileLinesMax} lines at most`, () => {
    const long = ours.filter(({ lines }) => lines > fileLinesMax)
    expect(long.map(({ path, lines }) => `${path} has ${lines} lines: split it`)).toEqual([])
  })

  it(`of functions are ${functionLinesMax} lines at most`, () => {
    const all = ours
      .filter(({ path }) => !/(^test\/|\.test\.ts$)/.test(path))
      .flatMap(({ path, functions }) => functions.map((one) => ({ name: `${path}#${one.name}`, lines: one.lines })))
    const long = all.filter(({ lines }) => lines > functionLinesMax)
    expect(long.map(({ name, lines }) => `${name} has ${lines} lines: split it`)).toEqual([])
  })
})

describe("types", () => {
  it("are never any", () => expect(ours.flatMap(({ path, anys }) => anys.map((line) => `${path}:${line}`))).toEqual([]))

  it("are asserted only where a comment says why", () => {
    const faults = ours
      .filter(({ path }) => /^(runtime|codegen)\//.test(path) && !path.endsWith(".test.ts"))
      .flatMap(({ path, bareCasts }) => bareCasts.map((line) => `${path}:${line}: say beside the cast why it holds`))
    expect(faults).toEqual([])
  })
})

describe("generators", () => {
  it("are created once and not per request", () => {
    const faults = ours
      .filter(({ path }) => path.startsWith("runtime/") && !path.endsWith(".test.ts"))
      .flatMap(({ path, madeGenerators }) =>
        madeGenerators.map((line) => `${path}:${line}: make it a function of the module (runtime/base/turns.ts)`),
      )
    expect(faults).toEqual([])
  })
})

describe("loops over what users stored", () => {
  it("take turns of the event loop", () => {
    expect(ours.flatMap(({ loops, path }) => loops.map((fault) => `${path}:${fault}`))).toEqual([])
  })
})

describe("words", () => {
  /** Assembled here so that this file does not contain them. */
  const types = "make the types right"
  const banned: readonly (readonly [RegExp, string])[] = [
    [
      new RegExp(`\\b(${["TO", "FIX"].map((half, index) => half + ["DO", "ME"][index]).join("|")})\\b`),
      "finish it, or file it as an issue",
    ],
    [/^\s*\/[/*]\s*@ts-(ignore|nocheck|expect-error)/, types],
    [new RegExp(`(^|[\\s"'\`(=])/(${["home", "root", "work", "Users"].join("|")})/[\\w.-]`), "no paths of one machine"],
    [
      new RegExp(["registry.npmjs", "registry.yarnpkg", "npmmirror"].map((host) => `${host}\\.(org|com)`).join("|")),
      "no hosts of package registries",
    ],
  ]
  const files = [
    ...textFiles(["bench", "codegen", "docs", "runtime", "schemas", "scripts", "test"], /\.(ts|mjs|md|ya?ml|json)$/),
    ...rootFiles(),
  ]

  it("that do not belong here are absent", () => {
    const faults = files.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          banned
            .filter(([pattern, advice]) => pattern.test(line) && !(advice === types && expectsErrors(path)))
            .map(([, advice]) => `${path}:${index + 1}: ${advice}`),
        ),
    )
    expect(faults).toEqual([])
  })
})

/** Whether the file tests code that the compiler refuses. */
function expectsErrors(path: string): boolean {
  return path.startsWith("test/types/")
}

function rootFiles(): { path: string; text: string }[] {
  return [
    "README.md",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
    "knip.json",
    "vitest.config.ts",
    "vitest.clients.config.ts",
    ".ci/run",
  ]
    .filter((path) => existsSync(join(repository, path)))
    .map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }))
}

describe("prose", () => {
  it(`of comments is plain and at most ${proseColumnsMax} columns wide`, () => {
    const others = [...textFiles(["bench", "scripts", "test"], /\.mjs$/), ...rootFiles().filter(({ path }) => path.endsWith(".ts"))]
    const comments = [...ours, ...others.map(({ path, text }) => ({ path, comments: commentLines(text) }))]
    const faults = comments.flatMap((one) => commentFaults(one.comments).map((fault) => `${one.path}:${fault}`))
    expect(faults).toEqual([])
  })

  it(`of documents is plain and at most ${proseColumnsMax} columns wide`, () => {
    const faults = documents.flatMap(({ path, text }) => proseFaults(documentLines(text)).map((fault) => `${path}:${fault}`))
    expect(faults).toEqual([])
  })
})

describe("documents", () => {
  it("name files that exist", () => expect(missingFiles(documents, repositoryPaths())).toEqual([]))
  it("link to headings that exist", () => expect(missingHeadings(documents)).toEqual([]))
  it("that newcomers read first are short", () => expect(longDocuments(documents)).toEqual([]))
  it("have the current tables; npm run fix writes them", () => expect(staleDocuments()).toEqual([]))
})

describe("generated code", () => {
  it("says so on its first line", () => {
    const unmarked = sources
      .filter(({ path, text }) => path.startsWith("generated/") && !text.startsWith("// @generated by codegen from "))
      .map(({ path }) => path)
    expect(unmarked).toEqual([])
  })
})
