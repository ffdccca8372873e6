/** The server as its users run it, in a process of its own, for questions about what it costs: its memory is then not mixed with its clients'. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

export interface ServerProcess {
  readonly pid: number
  readonly port: number
  /** PEM text of what clients trust. */
  readonly authority: string
  readonly token: string
  stop(): Promise<void>
}

/** Called once per measurement; keeps its objects in memory. */
export async function startServerProcess(): Promise<ServerProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-server-"))
  const port = await freePort()
  const options = ["--bind-address=127.0.0.1", `--secure-port=${port}`, `--data-dir=${dataDir}`, "--store=memory"]
  const child = spawn(process.execPath, ["--import", "tsx", "runtime/main.ts", "serve", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  for await (const line of createInterface(child.stdout)) if (line.includes("Serving on ")) break
  return {
    pid: child.pid ?? 0,
    port,
    authority: readFileSync(join(dataDir, "pki", "ca.crt"), "utf8"),
    token: readFileSync(join(dataDir, "admin.token"), "utf8").trim(),
    async stop() {
      child.kill()
      await once(child, "exit")
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** A port of loopback that nobody has at the moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Resident memory in megabytes, to a tenth. */
export function residentMb({ pid }: ServerProcess): number {
  return Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 102.4) / 10
}
