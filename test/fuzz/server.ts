/** The fuzzed server: the built program in its own process, so that its memory and processor time can be measured. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { WebSocket } from "ws"
import { buildBundle, repository } from "../../scripts/freshness.mjs"

export interface FuzzedServer {
  readonly port: number
  readonly authority: string
  readonly token: string
  /** Resolves with the last output when the process has exited. */
  readonly ended: Promise<string>
  /** Log lines about errors of the server itself, since the last call. */
  faults(): string[]
  /** Resident memory in bytes. */
  residentBytes(): Promise<number>
  /** Processor time used so far, in milliseconds. */
  busyMs(): Promise<number>
  /** Reachable bytes after a garbage collection. */
  liveBytes(): Promise<number>
  stop(): Promise<void>
}

const pageBytes = 4096
const tickMs = 10
const saidMax = 20_000

/** Starts the server in its own folder, which `stop` removes. Needs `/proc`. */
export async function startFuzzedServer(): Promise<FuzzedServer> {
  await buildBundle()
  const dir = await mkdtemp(join(tmpdir(), "fuzz-"))
  const port = await freePort()
  const options = [`--secure-port=${port}`, "--bind-address=127.0.0.1", `--data-dir=${dir}`, "--vendor=kubernetes", "--anonymous-auth=true"]
  const args = ["--inspect=127.0.0.1:0", join(repository, "dist/main.js"), "serve", ...options, "--proxy-allowed-cidrs=127.0.0.0/8"]
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ORCH_TEST_REUSE_SLABS: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const { faults, said, ended } = listen(child)
  const inspector = await said(/ws:\/\/127\.0\.0\.1:\d+\/[-0-9a-f]+/)
  await said(/https:\/\/127\.0\.0\.1/)
  const pid = child.pid ?? 0
  return {
    port,
    authority: await readFile(join(dir, "pki/ca.crt"), "utf8"),
    token: (await readFile(join(dir, "admin.token"), "utf8")).trim(),
    ended,
    faults,
    residentBytes: async () => Number((await processFile(pid, "statm")).split(" ")[1] ?? 0) * pageBytes,
    async busyMs() {
      // After the name in brackets: the state is field 3, times are fields 14 and 15.
      const fields = (await processFile(pid, "stat")).split(") ")[1]?.split(" ") ?? []
      return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
    },
    liveBytes: () => liveBytes(inspector),
    async stop() {
      child.kill("SIGKILL")
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Fields of "0" for a process that has exited. */
async function processFile(pid: number, name: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

function listen(child: ChildProcess): {
  said: (pattern: RegExp) => Promise<string>
  faults: () => string[]
  ended: Promise<string>
} {
  let output = ""
  let found: string[] = []
  const waiting = new Set<() => void>()
  const ended = new Promise<string>((resolve) =>
    child.once("exit", (code, signal) => resolve(`exit ${String(code ?? signal)}: ${output.slice(-2000)}`)),
  )
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      const text = chunk.toString()
      if (/failed unexpectedly|ERROR|"level":50/.test(text)) found.push(text.slice(0, 2000))
      output = (output + text).slice(-saidMax)
      for (const look of waiting) look()
    })
  function said(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(output)
        if (match !== null) resolve(match[0])
      }
      waiting.add(look)
      void ended.then((how) => reject(new Error(`the server ended before it said ${String(pattern)}: ${how}`)))
      look()
    })
  }
  function faults(): string[] {
    const now = found
    found = []
    return now
  }
  return { said, faults, ended }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}

/** Asks the inspector of the process, over its debugging protocol. */
async function liveBytes(url: string): Promise<number> {
  const socket = new WebSocket(url)
  await new Promise<void>((resolve, reject) => socket.once("open", () => resolve()).once("error", reject))
  const ask = (id: number, method: string): Promise<unknown> =>
    new Promise((resolve) => {
      const hear = (data: Buffer): void => {
        const message: unknown = JSON.parse(data.toString())
        if (Reflect.get(Object(message), "id") !== id) return
        socket.off("message", hear)
        resolve(Reflect.get(Object(message), "result"))
      }
      socket.on("message", hear)
      socket.send(JSON.stringify({ id, method }))
    })
  await ask(1, "HeapProfiler.collectGarbage")
  const usage = Object(await ask(2, "Runtime.getHeapUsage"))
  socket.close()
  return Number(usage.usedSize ?? 0) + Number(usage.backingStorageSize ?? 0)
}
