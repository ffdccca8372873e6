/**
 * The docs of schemas share no phrase with the documentation of the reference. The texts of the reference are read from
 * the Go modules that its clients are built with, at the time of the test; nothing of them is kept.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { runCommand } from "../clients/command.ts"
import { schemaDocs } from "../tidy/schema-docs.ts"
import { textFiles } from "../tidy/source.ts"

const why = process.env.ORCH_GO_CLIENTS === undefined ? " (go is not installed)" : ""
/** Its go.mod has the modules in the release that this server follows. */
const moduleFolder = fileURLToPath(new URL("store", import.meta.url))
const modules = ["k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver"]
/**
 * Length, in words, of a phrase that two authors do not write by chance. Facts that can hardly be put otherwise ("one
 * of True, False and Unknown") are shorter.
 */
const phraseWords = 8

describe.skipIf(why !== "")(`the docs of schemas${why}`, () => {
  it("share no phrase with those of the reference", async () => {
    const theirs = phrasesOf((await referenceFiles()).flatMap(textsOf))
    // Far fewer would mean that the files have another form now.
    expect(theirs.size).toBeGreaterThan(50_000)
    const docs = textFiles(["schemas"], /(?<!\.lock)\.yaml$/).flatMap(({ path, text }) => schemaDocs(path, text))
    expect(docs.length).toBeGreaterThan(2000)
    const shared = docs.flatMap(({ place, text }) =>
      [...phrasesOf([text])].filter((phrase) => theirs.has(phrase)).map((phrase) => `${place}: "${phrase}": say it in other words`),
    )
    expect(shared).toEqual([])
  })
})

describe("phrases", () => {
  const [first = "", ...more] = textsOf(
    '\t"spec": "Sets the \\"largest\\" number of pods\\nthat may run.",\n  // Beside it\n  // stands a comment.\n  x',
  )
  it("are found in maps of texts and in comments", () => expect([first, ...more]).toHaveLength(2))
  it("are words in a row, whatever is between them", () => {
    const theirs = phrasesOf([first])
    expect([...theirs]).toEqual(["sets the largest number of pods that may", "the largest number of pods that may run"])
    expect([...phrasesOf(["It sets the largest number of `pods` that may run."])].filter((phrase) => theirs.has(phrase))).toHaveLength(2)
    expect([...phrasesOf(["Sets the largest number of pods that can run."])].some((phrase) => theirs.has(phrase))).toBe(false)
  })
})

/** The generated maps of docs, and the messages with their comments. */
async function referenceFiles(): Promise<string[]> {
  const { stdout } = await runCommand("go", ["mod", "download", "-json", ...modules], { cwd: moduleFolder })
  const folders = [...stdout.matchAll(/"Dir": (".*")/g)].map(([, folder = '""']): string => JSON.parse(folder))
  expect(folders).toHaveLength(modules.length)
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /(?:^|\/)(?:types.*\.go|generated\.proto)$/.test(path))
      .map((path) => readFileSync(join(folder, path), "utf8")),
  )
}

/** The values of maps of texts, and each run of comment lines as one text. */
function textsOf(source: string): string[] {
  const values = [...source.matchAll(/^\s*"[^"]*":\s*("(?:[^"\\]|\\.)*"),$/gm)].map(([, text = '""']): string => JSON.parse(text))
  const comments = source.match(/(?:^[ \t]*\/\/.*\n)+/gm) ?? []
  return [...values, ...comments.map((comment) => comment.replaceAll(/^[ \t]*\/\//gm, " "))]
}

function phrasesOf(texts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const text of texts) {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    for (let from = 0; from + phraseWords <= words.length; from++) found.add(words.slice(from, from + phraseWords).join(" "))
  }
  return found
}
