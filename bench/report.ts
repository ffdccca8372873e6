/**
 * Makes docs/PERFORMANCE.md and its charts from the figures in bench/results. Called by `npm run bench -- --report`,
 * and alone by `-- report`.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { chartsOf, type DrawnChart } from "./support/charts.ts"
import { allQuestions, benchFolder, type Benchmark } from "./support/questions.ts"
import { type Machine, type Result, readResult } from "./support/results.ts"
import { tables } from "./support/tables.ts"

const docsFolder = join(dirname(benchFolder), "docs")

/** Width of the lines of the page. */
const columnsMax = 120

/** Number of busy cores up to which a machine counts as idle. */
const quietCores = 0.2
/** Share of the cores' time, 0 to 1. */
const quietStolen = 0.02

const preface = `# Performance

Figures of the last run of each benchmark; \`npm run bench -- --report\` makes this page from bench/results.
\`npm run bench -- --list\` lists the benchmarks, \`npm run bench -- selector --full --report\` runs one at the published
size (without \`--full\`, at a size that any machine has time for), and \`--objects=5000\` sets one size.

## Method

* The server is the bundle of dist/, started as users start it: TLS, token authentication, one process. Objects are in
  lmdb on disk unless a row says otherwise.
* Clients run in their own processes on the same machine and share its cores: throughput is what both achieve together.
  CPU is the server's alone, from /proc/PID/stat, and therefore the steadier figure. Memory is the resident memory of
  the server's process.
* Clients speak HTTP/2 with the windows of Go's client. They connect before the clock starts.
* A paced client counts latency from when a request was due, not from when it could be sent, so waiting is not hidden.
* The lag of a watch counts from sending the write to the event's arrival, on the monotonic clock that all processes of
  the machine share.
* Percentiles come from buckets that grow by 2 %. Each figure is one run: read differences below 20 % as noise. A
  section that is marked as provisional was measured while the machine had other work or its host kept time for others:
  times are too long, and CPU too where caches were lost.
* The comparison (\`compare\`) runs the same load on another server of this API, in turns in one run;
  ORCH_BENCH_COMPARE names the folder of that tool. docs/GOALS.md explains the goals that are missed.
`

/** Called after questions have run. Returns the paths of the written files in the repository. */
export function writeReport(): readonly string[] {
  const written: string[] = []
  const pictures = join(docsFolder, "performance")
  mkdirSync(pictures, { recursive: true })
  for (const file of readdirSync(pictures)) rmSync(join(pictures, file))
  const sections = allQuestions().flatMap((question) => {
    const result = readResult(question.name)
    if (result === undefined) return []
    const charts = chartsOf(result)
    for (const { file, svg } of charts) {
      writeFileSync(join(pictures, file), svg)
      written.push(`docs/performance/${file}`)
    }
    return [section(question, result, charts)]
  })
  writeFileSync(join(docsFolder, "PERFORMANCE.md"), [preface, ...sections].join("\n"))
  return [...written, "docs/PERFORMANCE.md"]
}

/** Why the figures of a run are less reliable. */
function doubts({ cores, loadBefore, stolen = 0 }: Machine): string[] {
  if (stolen > quietStolen) {
    const percent = Math.round(stolen * 100)
    return [`**Provisional:** the machine's host kept ${percent} % of the processors' time for others; trust memory only.`, ""]
  }
  if (loadBefore > quietCores)
    return [`**Provisional:** ${Math.min(loadBefore, cores)} cores had other work; trust CPU and memory only.`, ""]
  return []
}

function section({ name, asks }: Benchmark, result: Result, charts: readonly DrawnChart[]): string {
  const { machine, versions, options, date, seconds } = result
  const conditions = [
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${Math.min(machine.loadBefore, machine.cores)} cores busy before${
      machine.stolen === undefined ? "" : `, ${Math.round(machine.stolen * 100)} % of time stolen`
    }`,
    Object.entries(versions)
      .map(([of, version]) => `${of} ${version}`)
      .join(", "),
    `\`npm run bench -- ${[name, ...options].join(" ")}\`, ${date.slice(0, 16).replace("T", " ")} UTC, ${seconds} s`,
  ]
  return [
    `## ${name}`,
    "",
    wrapped(asks),
    "",
    ...doubts(machine),
    ...tables(result).map((line) => (line.startsWith("|") ? line : wrapped(line))),
    ...charts.flatMap(({ file, title }) => [`![${title}](performance/${file})`, ""]),
    ...conditions.map((line) => wrapped(`<sub>${line}</sub><br>`)),
    "",
  ].join("\n")
}

/** A paragraph in lines of at most `columnsMax`, which do not break inside backticks. */
function wrapped(paragraph: string): string {
  const lines = [""]
  for (const word of paragraph.match(/(`[^`]*`|[^\s`])+/g) ?? []) {
    const line = lines.at(-1) ?? ""
    if (line === "") lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= columnsMax) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join("\n")
}
