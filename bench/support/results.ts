/** The stored results of a run: bench/results/NAME.json, from which docs/PERFORMANCE.md is made. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { arch, cpus, release, totalmem, type } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { benchFolder } from "./questions.ts"
import type { Row } from "./tell.ts"

export interface Result {
  readonly question: string
  /** Options on the command line. */
  readonly options: readonly string[]
  readonly date: string
  readonly seconds: number
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly rows: readonly Row[]
}

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  /** Cores that were busy before the run began: near 0 on an idle machine. */
  readonly loadBefore: number
  /**
   * Share of the cores' time, 0 to 1, that the host of a virtual machine used for others during the run; absent where
   * the system does not report it.
   */
  readonly stolen?: number
}

const resultsFolder = join(benchFolder, "results")

/**
 * Number of busy cores during the next second. The machine's own average over a minute would include the previous
 * question.
 */
export async function busyCores(): Promise<number> {
  const ticks = (): { all: number; idle: number } => {
    const times = cpus().map((each) => each.times)
    const idle = times.reduce((sum, time) => sum + time.idle, 0)
    return { all: times.reduce((sum, time) => sum + time.user + time.nice + time.sys + time.irq, idle), idle }
  }
  const before = ticks()
  await setTimeout(1000)
  const after = ticks()
  return cpus().length * (1 - (after.idle - before.idle) / (after.all - before.all))
}

/** Called before a run: afterwards the load is the run's own. */
export function thisMachine(loadBefore: number): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    loadBefore: Math.round(loadBefore * 100) / 100,
  }
}

/**
 * Called before a run; call the result after it: the share of the cores' time, 0 to 1, that the host used for others.
 * Undefined except on Linux.
 */
export function measureStolenTime(): () => number | undefined {
  const before = processorTicks()
  return () => {
    const after = processorTicks()
    if (before === undefined || after === undefined || after.all === before.all) return undefined
    return Math.round((1000 * (after.stolen - before.stolen)) / (after.all - before.all)) / 1000
  }
}

/**
 * Column of the stolen ticks in the first line of /proc/stat, not counting its name (proc_stat(5)); guests' ticks,
 * which follow, are included in users'.
 */
const stolenColumn = 7

function processorTicks(): { all: number; stolen: number } | undefined {
  if (!existsSync("/proc/stat")) return undefined
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n")
  const ticks = line
    .split(/\s+/)
    .slice(1, stolenColumn + 2)
    .map(Number)
  return { all: ticks.reduce((sum, count) => sum + count, 0), stolen: ticks[stolenColumn] ?? 0 }
}

/** Versions of the measured program: the commit, with `+` for uncommitted changes, and its platform. */
export function versions(): Readonly<Record<string, string>> {
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: benchFolder, encoding: "utf8" }).trim()
  const changed = git("status", "--porcelain", "--", "../runtime", "../generated", "../package-lock.json") !== ""
  return { commit: git("rev-parse", "--short", "HEAD") + (changed ? "+" : ""), node: process.version, lmdb: packageVersion("lmdb") }
}

function packageVersion(name: string): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(dirname(benchFolder), "node_modules", name, "package.json"), "utf8"),
  )
  return version
}

/** Replaces the stored result of this question. */
export function writeResult(result: Result): void {
  mkdirSync(resultsFolder, { recursive: true })
  writeFileSync(join(resultsFolder, `${result.question}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
}

/** The stored result of a question; undefined when it was never reported. */
export function readResult(question: string): Result | undefined {
  const path = join(resultsFolder, `${question}.json`)
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined
}
