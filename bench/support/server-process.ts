/**
 * The server as its users run it, in a process of its own, so that its CPU and memory are not mixed with its clients'.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { get } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"

/** Address and credentials of a server, for clients; plain data, so that it can be sent to another process. */
export interface Target {
  readonly port: number
  /** PEM text of the authority that clients trust. */
  readonly authority: string
  readonly token: string
  /** PEM texts of a client certificate and its key, which clients present in place of the token. */
  readonly pair?: { readonly certificate: string; readonly key: string }
}

export interface ServerProcess extends Target {
  readonly pid: number
  /** From starting the process to the line that announces its address. */
  readonly startMs: number
  /** Milliseconds of the longest turns of its event loop during `work`, longest first. Only with `reportsTurns`. */
  longestTurns(work: () => Promise<unknown>): Promise<readonly number[]>
  /** Bytes of JavaScript and of buffers that are in use after a collection. Only with `reportsTurns`. */
  bytesInUse(): Promise<number>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** The kind of store. In memory when absent. */
  readonly store?: "memory" | "lmdb"
  /** Further options of `serve`. */
  readonly options?: readonly string[]
  /** A data folder that remains when the server stops. When absent, a temporary one that is deleted then. */
  readonly dataDir?: string
  /** The process reports the turns of its event loop, and the memory in use (`loop-turns.mjs`). */
  readonly reportsTurns?: boolean
}

const supportFolder = dirname(fileURLToPath(import.meta.url))
const turnsOption = `--import=${join(supportFolder, "loop-turns.mjs")}`
const program = join(dirname(dirname(supportFolder)), "dist", "main.js")

// By default a signal ends a process without its "exit" listeners, which end the servers.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))

/**
 * Called once per measurement. Runs the bundle that `npm run bench` has built; fails when there is none, or when the
 * server ends before it serves.
 */
export async function startServerProcess(given: ServerOptions = {}): Promise<ServerProcess> {
  const { store = "memory", options = [], dataDir, reportsTurns: tellsTurns = false } = given
  if (!existsSync(program)) throw new Error("dist/main.js is missing: run the question with npm run bench, which builds it")
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), "bench-server-"))
  const port = await freePort()
  const started = performance.now()
  const words = ["--bind-address=127.0.0.1", `--secure-port=${port}`, `--data-dir=${folder}`, `--store=${store}`, ...options]
  const child = spawn(program, ["serve", ...words], {
    stdio: ["ignore", "pipe", "inherit", ...(tellsTurns ? ["ipc" as const] : [])],
    env: tellsTurns ? { ...process.env, NODE_OPTIONS: turnsOption } : process.env,
  }) as ChildProcessByStdio<null, Readable, null> // As `stdio` determines.
  // A question that fails leaves neither server nor store behind.
  const killed = (): void => {
    child.kill("SIGKILL")
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
  }
  process.once("exit", killed)
  child.once("exit", () => process.off("exit", killed))
  let serving = false
  for await (const line of createInterface(child.stdout)) {
    serving = line.includes("Serving on ")
    if (serving) break
  }
  if (!serving) throw new Error("the server ended before it served; what it said is above")
  const startMs = performance.now() - started
  child.stdout.resume()
  return {
    pid: child.pid ?? 0,
    port,
    authority: readFileSync(join(folder, "pki", "ca.crt"), "utf8"),
    ...credentialIn(folder),
    startMs,
    async longestTurns(work) {
      child.send("start")
      await work()
      const told = once(child, "message")
      child.send("stop")
      const [turns] = await told
      return turns
    },
    async bytesInUse() {
      const told = once(child, "message")
      child.send("memory")
      const [bytes] = await told
      return bytes
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill()
        await once(child, "exit")
      }
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The administrator's credential: a token, or a certificate where roles decide. */
function credentialIn(folder: string): Pick<Target, "token" | "pair"> {
  const path = join(folder, "admin.token")
  if (existsSync(path)) return { token: readFileSync(path, "utf8").trim() }
  const [certificate = "", key = ""] = ["crt", "key"].map((end) => readFileSync(join(folder, `pki/admin.${end}`), "utf8"))
  return { token: "", pair: { certificate, key } }
}

/** A loopback port that is free now. Called before another program is started on that port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Seconds of CPU that a process has used so far, including its threads and the kernel on its behalf. Linux only. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  // proc(5): fields 14 and 15, in ticks, of which Linux always reports 100 a second to programs.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Resident memory in megabytes, to a tenth. Linux only. */
export function residentMb({ pid }: { readonly pid: number }): number {
  return statusMb(pid, "VmRSS")
}

/**
 * Resident memory by origin, in megabytes: the process's own memory, and pages of files that it has mapped. Linux only.
 */
export function memoryOf({ pid }: { readonly pid: number }): { readonly anonMb: number; readonly fileMb: number } {
  return { anonMb: statusMb(pid, "RssAnon"), fileMb: statusMb(pid, "RssFile") }
}

/** Size of the JavaScript heap and of buffers outside it, in megabytes, from the server's metrics. */
export async function heapOf({
  port,
  authority,
  token,
}: Target): Promise<Readonly<Record<"heapMb" | "heapUsedMb" | "externalMb", number>>> {
  const text = await new Promise<string>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/metrics", ca: authority, headers: { authorization: `Bearer ${token}` } }
    get(options, (answer) => {
      let body = ""
      answer.setEncoding("utf8").on("data", (piece: string) => {
        body += piece
      })
      answer.once("end", () => resolve(body))
    }).once("error", reject)
  })
  const gauge = (name: string): number => {
    const bytes = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]
    return Math.round(Number(bytes ?? 0) / 1024 ** 2)
  }
  return {
    heapMb: gauge("nodejs_heap_size_total_bytes"),
    heapUsedMb: gauge("nodejs_heap_size_used_bytes"),
    externalMb: gauge("nodejs_external_memory_bytes"),
  }
}

/** Peak resident memory since the last `forgetPeak`, or since the process started, in megabytes. Linux only. */
export function peakMb({ pid }: { readonly pid: number }): number {
  return statusMb(pid, "VmHWM")
}

/** Resets `peakMb` to the present resident memory. */
export function forgetPeak({ pid }: { readonly pid: number }): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
}

function statusMb(pid: number, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return Math.round(Number(match?.[1] ?? 0) / 102.4) / 10
}
