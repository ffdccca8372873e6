/**
 * What does a request cost when both servers keep their objects on etcd, and etcd's own work counts on both sides? Runs
 * the same load on this server and on the Go original in turns, phase by phase, each with an etcd of its own with
 * default settings, and takes medians. Needs ORCH_BENCH_COMPARE, the folder of the tool that has the original
 * (compare.mjs), and Go. Above 1 this server is ahead; the goals are the project's own.
 * Run: npm run bench -- etcd-compare
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { openOptions } from "./support/options.ts"
import { freePort, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 2000, full: 10_000 })
const rounds = options.number("rounds", { small: 3, full: 5 })
const seconds = options.number("seconds", { small: 1, full: 2 })
const only = options.word("only", "create,get,list,page,selector,update,watch")
options.done()

/**
 * The CPU goal of each phase. Writes pay for etcd on both sides; on this server only consistent reads call etcd, and
 * concurrent ones share the call.
 */
const goals: Readonly<Record<string, number>> = {
  create: 1.2,
  patch_merge: 1.2,
  apply_ssa: 1.2,
  get: 4,
  get_rv0: 1.8,
  list_rv0: 10,
  list_consistent: 30,
  list_label_1pct: 20,
  page500: 20,
  watch_fanout: 2,
}

/** One phase as the load generator prints it; its other lines are settings. */
interface Phase {
  readonly per_s?: number
  readonly deliveries_per_s?: number
  readonly cpu_us?: number
  readonly failed?: number
}

/** A server with its etcd, under load. */
interface Side {
  readonly base: string
  readonly token: string
  readonly pids: readonly number[]
  stop(): Promise<void>
}

const namespace = "bench"

const folder = process.env["ORCH_BENCH_COMPARE"]
if (folder === undefined) console.log("skipped: ORCH_BENCH_COMPARE does not name the folder of compare.mjs")
else await compare(folder)

async function compare(tool: string): Promise<void> {
  const loadgen = built(tool, { name: "loadgen", target: "." })
  const sides = { theirs: await startTheirs(tool), ours: await startOurs(tool) }
  const found = { theirs: new Map<string, Phase[]>(), ours: new Map<string, Phase[]>() }
  // Creates the objects for the reads, and warms up both servers.
  for (const side of Object.values(sides)) await load(loadgen, side, { phases: "create", namespace })
  for (const phases of inOrder(only.split(","))) {
    for (let round = 0; round < rounds; round++) {
      for (const who of round % 2 === 0 ? (["theirs", "ours"] as const) : (["ours", "theirs"] as const)) {
        const where = phases === "create" ? `${namespace}-${round}` : namespace
        for (const [phase, figures] of await load(loadgen, sides[who], { phases, namespace: where }))
          found[who].set(phase, [...(found[who].get(phase) ?? []), figures])
      }
    }
  }
  await Promise.all([sides.theirs.stop(), sides.ours.stop()])
  for (const [phase, figures] of found.ours) {
    const [ours, theirs] = [middle(figures), middle(found.theirs.get(phase) ?? [])]
    const cpuRatio = (theirs.cpu_us ?? 0) / (ours.cpu_us ?? Number.POSITIVE_INFINITY)
    const goal = goals[phase]
    printRow({
      phase,
      ours: throughput(ours),
      theirs: throughput(theirs),
      ratio: throughput(ours) / throughput(theirs),
      oursCpuUs: ours.cpu_us ?? null,
      theirsCpuUs: theirs.cpu_us ?? null,
      cpuRatio,
      cpuGoal: goal ?? null,
      failed: ours.failed ?? 0,
      reached: goal === undefined ? null : cpuRatio >= goal,
    })
  }
}

function throughput({ per_s = 0, deliveries_per_s = per_s }: Phase): number {
  return deliveries_per_s
}

/** Creates run last: every namespace that they fill makes the other phases' reads more expensive. */
function inOrder(phases: readonly string[]): readonly string[] {
  return [...phases.filter((phase) => phase !== "create"), ...phases.filter((phase) => phase === "create")]
}

/** Other programs may use the machine for seconds or minutes: the two sides alternate, and no single round decides. */
function middle(rounds: readonly Phase[]): Phase {
  return {
    per_s: median(rounds.map(throughput)),
    cpu_us: median(rounds.map(({ cpu_us = 0 }) => cpu_us)),
    failed: rounds.reduce((failed, round) => failed + (round.failed ?? 0), 0),
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1] ?? 0
}

interface Turn {
  /** One phase name of the load generator, which may produce two phases. */
  readonly phases: string
  readonly namespace: string
}

async function load(loadgen: string, { base, pids, token }: Side, { namespace, phases: only }: Turn): Promise<[string, Phase][]> {
  const sizes = ["-n", String(objects), "-secs", String(seconds), "-only", only]
  const words = ["-base", base, "-ns", namespace, "-pids", pids.join(","), ...sizes]
  const { stdout } = await promisify(execFile)(loadgen, words, { env: { ...process.env, TOKEN: token }, maxBuffer: 1 << 26 })
  const phases: Record<string, Phase | number | string> = JSON.parse(stdout)
  return Object.entries(phases).flatMap(([phase, figures]) =>
    typeof figures === "object" && throughput(figures) > 0 && phase !== "watch_create" ? [[phase, figures]] : [],
  )
}

async function startOurs(tool: string): Promise<Side> {
  const etcd = await startEtcd(tool)
  const server = await startServerProcess({ options: ["--vendor=kubernetes", `--store-servers=${etcd.url}`] })
  return {
    base: `https://127.0.0.1:${server.port}`,
    token: server.token,
    pids: [server.pid, etcd.pid],
    async stop() {
      await server.stop()
      await etcd.stop()
    },
  }
}

async function startTheirs(tool: string): Promise<Side> {
  const etcd = await startEtcd(tool)
  const port = await freePort()
  const peer = started(built(tool, { name: "peer", target: "." }), [etcd.url, String(port)])
  const base = `https://127.0.0.1:${port}`
  await answering(() => execFileSync("curl", ["--silent", "--insecure", "--fail", `${base}/api/v1/namespaces`], { stdio: "ignore" }))
  return {
    base,
    token: "",
    pids: [peer.pid ?? 0, etcd.pid],
    async stop() {
      await end(peer)
      await etcd.stop()
    },
  }
}

async function startEtcd(tool: string): Promise<{ readonly url: string; readonly pid: number; stop(): Promise<void> }> {
  const data = mkdtempSync(join(tmpdir(), "bench-etcd-"))
  process.once("exit", () => rmSync(data, { recursive: true, force: true }))
  const [url, peers] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`]
  const places = ["--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peers]
  const child = started(built(tool, { name: "etcd", target: "go.etcd.io/etcd/server/v3" }), [
    ...["--data-dir", data, "--log-level", "error"],
    ...places,
  ])
  await answering(() => execFileSync("curl", ["--silent", "--fail", `${url}/health`], { stdio: "ignore" }))
  return { url, pid: child.pid ?? 0, stop: () => end(child) }
}

/** The path of a program of compare.mjs; builds it here if it is missing. */
function built(tool: string, { name, target }: { name: string; target: string }): string {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "api-bench")
  const program = join(cache, name)
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  execFileSync("go", ["build", "-o", program, target], { cwd: join(tool, name), stdio: ["ignore", "inherit", "inherit"] })
  return program
}

/** Starts a program that ends with this process, also when the benchmark fails. */
function started(program: string, words: readonly string[]): ChildProcess {
  const child = spawn(program, words, { stdio: "ignore" })
  process.once("exit", () => child.kill("SIGKILL"))
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill()
  await exited
}

/** Repeats `ask` until it succeeds. A program that never answers must be ended by the user. */
async function answering(ask: () => void): Promise<void> {
  for (;;) {
    try {
      return ask()
    } catch {
      // Not ready yet. `ask` starts a process, which is delay enough.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
