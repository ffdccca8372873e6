/**
 * How far ahead of the Go original is the server, in throughput and in CPU per request? Runs the same load on both in
 * turns, over HTTP/2 and over HTTP/1.1: this server on lmdb with token authentication, the original on etcd with all
 * optional features off. Needs ORCH_BENCH_COMPARE, the folder of the tool that has the original (compare.mjs), and Go.
 * Above 1 this server is ahead; the goals are the project's own. With --access=certificates,rbac,audit this server has
 * these turned on, and the load comes from a user with a token whose rights are one of a thousand bindings.
 * Run: npm run bench -- compare
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { openAccess } from "./support/access.ts"
import { startServerProcess } from "./support/server-process.ts"
import { openOptions } from "./support/options.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 2000, full: 10_000 })
const rounds = options.number("rounds", { small: 1, full: 3 })
const seconds = options.number("seconds", { small: 2, full: 4 })
const only = options.word("only", "")
const protocols = options.word("protocols", "HTTP/2,HTTP/1.1").split(",")
const access = options.word("access", "").split(",")
const bindings = options.number("bindings", { small: 1000, full: 1000 })
options.done()

/** The goal of each phase: this server's figure in relation to the original's. */
const goals: Readonly<Record<string, { readonly cpu: number; readonly throughput: number }>> = {
  create: { cpu: 3.5, throughput: 2.5 },
  get: { cpu: 4, throughput: 3 },
  get_rv0: { cpu: 1.8, throughput: 1.5 },
  list_rv0: { cpu: 10, throughput: 2 },
  list_consistent: { cpu: 30, throughput: 10 },
  list_label_1pct: { cpu: 20, throughput: 5 },
  page500: { cpu: 20, throughput: 8 },
  patch_merge: { cpu: 4, throughput: 2.5 },
  apply_ssa: { cpu: 4, throughput: 2.5 },
  watch_fanout: { cpu: 2, throughput: 1.5 },
}
const memoryGoal = 2

/** As compare.mjs --json prints it; null where a comparison is impossible. */
interface Comparison {
  readonly table: readonly {
    readonly phase: string
    readonly peer_per_s: number | null
    readonly ours_per_s: number
    readonly ratio: number | null
    readonly peer_cpu_us: number | null
    readonly ours_cpu_us: number | null
    readonly cpu_ratio: number | null
    readonly ours_p50_ms?: number
    readonly ours_p99_ms?: number
    readonly failed: number
  }[]
  readonly memory: { readonly peer_MB: number | null; readonly ours_MB: number | null }
}

const folder = process.env["ORCH_BENCH_COMPARE"]
if (folder === undefined) console.log("skipped: ORCH_BENCH_COMPARE does not name the folder of compare.mjs")
else for (const protocol of protocols) tellComparison(protocol, await compare(folder, protocol))

/** A fresh server for each protocol, so that neither is affected by the other's objects. */
async function compare(tool: string, protocol: string): Promise<Comparison> {
  const turnedOn = await openAccess(access, bindings)
  const started = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes", ...turnedOn.options] })
  const server = await turnedOn.prepare(started)
  const words = [
    `--base=https://127.0.0.1:${server.port}`,
    `--token=${server.token}`,
    `--pid=${server.pid}`,
    `--rounds=${rounds}`,
    `--n=${objects}`,
    `--secs=${seconds}`,
    "--json",
    ...(only === "" ? [] : [`--only=${only}`]),
    ...(protocol === "HTTP/1.1" ? ["--no-h2"] : []),
  ]
  const child = spawn(process.execPath, [join(tool, "compare.mjs"), ...words], { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  const [status] = await exited
  await server.stop()
  turnedOn.close()
  if (status !== 0) throw new Error(`compare.mjs ended with ${status}; what it said is above`)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

function tellComparison(protocol: string, { table, memory }: Comparison): void {
  for (const row of table) {
    const goal = goals[row.phase]
    printRow({
      protocol,
      phase: row.phase,
      ours: row.ours_per_s,
      theirs: row.peer_per_s,
      ratio: row.ratio,
      ratioGoal: goal?.throughput ?? null,
      oursCpuUs: row.ours_cpu_us,
      theirsCpuUs: row.peer_cpu_us,
      cpuRatio: row.cpu_ratio,
      cpuGoal: goal?.cpu ?? null,
      p99Ms: row.ours_p99_ms ?? null,
      failed: row.failed,
      reached: goal === undefined ? null : (row.ratio ?? 0) >= goal.throughput && (row.cpu_ratio ?? 0) >= goal.cpu,
    })
  }
  const { ours_MB: ours, peer_MB: theirs } = memory
  if (ours === null || theirs === null) return
  printRow({
    protocol,
    phase: "memory after the run",
    oursMb: ours,
    theirsMb: theirs,
    ratio: theirs / ours,
    goal: memoryGoal,
    reached: theirs >= ours * memoryGoal,
  })
}
