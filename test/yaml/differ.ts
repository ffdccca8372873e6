/**
 * Compares this server's YAML reader with the reference's, which needs Go. Prints each text that they read differently,
 * and ends with code 1 if there is one.
 *
 *   npx tsx test/yaml/differ.ts [--seed 1] [--texts 20000]     random texts
 *   npx tsx test/yaml/differ.ts --record [FOLDER]              writes recorded/; FOLDER has yaml-test-suite's data
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { parseArgs } from "node:util"
import { createRandom } from "../sim/world/random.ts"
import { differenceOf, type ReaderAnswer, recordedCases, recordedFile, type YamlCase, type YamlCases } from "./recorded.ts"
import { randomYaml } from "./texts.ts"

type Text = Pick<YamlCase, "id" | "text">

const recordedRandom = 1600
const batch = 5000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    texts: { type: "string", default: "20000" },
    record: { type: "boolean", default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), "yaml-reader-"))
try {
  const reader = join(folder, "reader")
  execFileSync("go", ["build", "-o", reader, "."], { cwd: join(import.meta.dirname, "reader"), stdio: ["ignore", "inherit", "inherit"] })
  if (values.record) record(reader, positionals[0])
  else compare(reader, Number(values.seed), Number(values.texts))
} finally {
  rmSync(folder, { recursive: true })
}

function answersOf(reader: string, texts: readonly Text[]): YamlCase[] {
  const input = texts.map(({ text }) => JSON.stringify(text)).join("\n")
  const { stdout } = spawnSync(reader, { input, encoding: "utf8", maxBuffer: 1 << 30 })
  const lines = stdout.trimEnd().split("\n")
  return texts.map((text, index) => ({ ...text, ...(JSON.parse(lines[index] ?? "{}") as ReaderAnswer) }))
}

function compare(reader: string, seed: number, count: number): void {
  const suite = recordedCases("suite").map(({ text }) => text)
  const random = createRandom(seed)
  let differences = 0
  for (let from = 0; from < count; from += batch) {
    const texts = Array.from({ length: Math.min(batch, count - from) }, (_, index) => ({
      id: String(from + index),
      text: randomYaml(random, suite),
    }))
    for (const difference of answersOf(reader, texts).map(differenceOf)) {
      if (difference === undefined) continue
      differences++
      console.log(difference)
    }
  }
  console.log(`seed ${seed}: ${count - differences} of ${count} texts are read as the reference reads them`)
  if (differences > 0) process.exitCode = 1
}

function record(reader: string, suiteFolder: string | undefined): void {
  const suite = suiteFolder === undefined ? recordedCases("suite") : suiteTexts(suiteFolder)
  const random = createRandom(1)
  const known = suite.map(({ text }) => text)
  write("suite", answersOf(reader, suite))
  const texts = Array.from({ length: recordedRandom }, (_, index) => ({ id: String(index), text: randomYaml(random, known) }))
  write("random", answersOf(reader, texts))
}

function write(name: YamlCases, cases: readonly YamlCase[]): void {
  writeFileSync(recordedFile(name), `[\n${cases.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`)
}

/** The texts of the branch `data` of yaml-test-suite: a folder with `in.yaml` for each case or part of one. */
function suiteTexts(root: string): Text[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" })
  return names
    .filter((name) => name.endsWith("in.yaml") && !/^(?:name|tags)\//.test(name) && existsSync(join(root, name)))
    .map((name) => ({ id: relative(".", name).replace(/\/in\.yaml$/, ""), text: readFileSync(join(root, name), "utf8") }))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
}
