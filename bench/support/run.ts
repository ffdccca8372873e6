/**
 * The program behind `npm run bench`, which runs once packages are installed and the server is built. Words are names
 * of questions, all of them when there are none. `--list` lists the questions, `--report` stores the figures and makes
 * docs/PERFORMANCE.md, the word `report` only makes that page; other options are passed to the questions.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { writeReport } from "../report.ts"
import { allQuestions, benchFolder, type Benchmark } from "./questions.ts"
import { busyCores, thisMachine, versions, measureStolenTime, writeResult } from "./results.ts"
import type { Row } from "./tell.ts"

const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith("--"))
const reports = words.includes("--report") || names.includes("report")
const handedOn = words.filter((word) => word.startsWith("--") && word !== "--report" && word !== "--list")
const questions = allQuestions()
const unknown = names.filter((name) => name !== "report" && !questions.some((question) => question.name === name))

if (unknown.length > 0) {
  console.error(`no such question: ${unknown.join(", ")}; there are ${questions.map(({ name }) => name).join(", ")}`)
  process.exitCode = 2
} else if (words.includes("--list")) {
  for (const { name, asks } of questions) console.log(`${name}\n    ${asks}`)
} else {
  for (const question of questions) if (names.length === 0 || names.includes(question.name)) await run(question)
  if (reports) console.log(`wrote ${writeReport().join(", ")}`)
}

/** Runs the question in a process of its own, so that no question inherits the garbage of another. */
async function run({ name, asks }: Benchmark): Promise<void> {
  console.log(`\n${name}: ${asks}`)
  const machine = thisMachine(await busyCores())
  const stolenTime = measureStolenTime()
  const started = performance.now()
  const child = spawn(process.execPath, ["--expose-gc", "--import", "tsx", join("bench", `${name}.ts`), ...handedOn], {
    cwd: dirname(benchFolder),
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = once(child, "exit")
  const rows: Row[] = []
  for await (const line of createInterface(child.stdout)) {
    console.log(line)
    const row = rowOf(line)
    if (row !== undefined) rows.push(row)
  }
  const [status] = await exited
  if (status !== 0) process.exitCode = 1
  else if (reports && rows.length > 0) {
    const seconds = Math.round((performance.now() - started) / 1000)
    const stolen = stolenTime()
    const conditions = stolen === undefined ? machine : { ...machine, stolen }
    writeResult({
      question: name,
      options: handedOn,
      date: new Date().toISOString(),
      seconds,
      machine: conditions,
      versions: versions(),
      rows,
    })
  }
}

/** Figures are lines of JSON, some after a word that names them. Records in them become columns of their own. */
function rowOf(line: string): Row | undefined {
  const match = /^(?:(\S+) )?(\{.*\})$/.exec(line)
  if (match?.[2] === undefined) return undefined
  try {
    const flat: Record<string, Row[string]> = match[1] === undefined ? {} : { of: match[1] }
    flatten(JSON.parse(match[2]), "", flat)
    return flat
  } catch {
    return undefined
  }
}

function flatten(value: unknown, path: string, into: Record<string, Row[string]>): void {
  if (typeof value === "object" && value !== null)
    for (const [name, one] of Object.entries(value)) flatten(one, path === "" ? name : `${path} ${name}`, into)
  else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") into[path] = value
  else into[path] = null
}
