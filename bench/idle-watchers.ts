/**
 * What do 1,000 idle watchers cost the server: as streams of five HTTP/2 connections, and as 1,000 HTTP/1.1
 * connections? Resident memory of the whole process, before and after, without forced garbage collection. Of an
 * HTTP/1.1 watcher some 37 KB are node's cost of any TLS connection; a bare server that holds as many answers open
 * costs as much.
 * Run: node --import tsx bench/idle-watchers.ts
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect, type ClientHttp2Session } from "node:http2"
import { request } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"

const watchers = 1000
const connections = 5
/** Time until the garbage collector of an idle server has run. */
const settleMs = 3000
const path = "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true"

for (const { how, open } of [
  { how: `streams of ${connections} HTTP/2 connections`, open: openStreams },
  { how: "HTTP/1.1 connections", open: openConnections },
]) {
  const server = await startServer()
  const close = await open(server, 20)
  close()
  await setTimeout(settleMs)
  const before = residentMb(server)
  const closeAll = await open(server, watchers)
  await setTimeout(settleMs)
  const after = residentMb(server)
  console.log(
    JSON.stringify({ watchers, how, megabytesBefore: before, megabytesAfter: after, cost: Math.round((after - before) * 10) / 10 }),
  )
  closeAll()
  await server.stop()
}

interface Server {
  readonly pid: number
  readonly port: number
  readonly authority: string
  readonly token: string
  stop(): Promise<void>
}

/** Starts the server in its own process, as users run it. */
async function startServer(): Promise<Server> {
  const dataDir = mkdtempSync(join(tmpdir(), "idle-watchers-"))
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

/** A loopback port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

function residentMb({ pid }: Server): number {
  return Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 102.4) / 10
}

/** Resolves when every watch was answered, with a function that closes them. */
async function openStreams(server: Server, count: number): Promise<() => void> {
  const sessions: ClientHttp2Session[] = []
  for (let index = 0; index < connections; index++) sessions.push(connect(`https://127.0.0.1:${server.port}`, { ca: server.authority }))
  for (let index = 0; index < count; index++) {
    const stream = sessions[index % connections]?.request({ ":path": path, authorization: `Bearer ${server.token}` })
    await new Promise((resolve, reject) => stream?.on("response", resolve).on("error", reject))
    stream?.resume()
  }
  return () => {
    for (const session of sessions) session.destroy()
  }
}

async function openConnections(server: Server, count: number): Promise<() => void> {
  const closes: (() => void)[] = []
  for (let index = 0; index < count; index++) {
    const headers = { authorization: `Bearer ${server.token}` }
    const outgoing = request({ host: "127.0.0.1", port: server.port, ca: server.authority, agent: false, path, headers })
    await new Promise<void>((resolve, reject) => {
      outgoing.on("error", reject).on("response", (incoming) => {
        incoming.resume()
        resolve()
      })
      outgoing.end()
    })
    closes.push(() => outgoing.destroy())
  }
  return () => {
    for (const close of closes) close()
  }
}
