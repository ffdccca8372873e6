/**
 * What do 1,000 idle watchers cost the server: as streams of five HTTP/2 connections, and as 1,000 HTTP/1.1 connections of their own?
 * Resident memory of the whole process, before and after, without helping the collector.
 * Run: node --import tsx bench/idle-watchers.ts
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type ClientHttp2Session } from "node:http2"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { freePort, type ServerProcess, startServerProcess } from "../test/clients/server-process.ts"

const watchers = 1000
const connections = 5
/** Until the collector of a server that has nothing to do has run. */
const settleMs = 3000
const path = "/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true"

for (const { how, open } of [
  { how: `streams of ${connections} HTTP/2 connections`, open: openStreams },
  { how: "HTTP/1.1 connections", open: openConnections },
]) {
  const dataDir = mkdtempSync(join(tmpdir(), "idle-watchers-"))
  const server = await startServerProcess({ dataDir, port: await freePort() })
  const warm = await open(server, 20)
  warm()
  await setTimeout(settleMs)
  const before = residentMb(server)
  const close = await open(server, watchers)
  await setTimeout(settleMs)
  const after = residentMb(server)
  console.log(
    JSON.stringify({ watchers, how, megabytesBefore: before, megabytesAfter: after, cost: Math.round((after - before) * 10) / 10 }),
  )
  close()
  await server.process.end()
  rmSync(dataDir, { recursive: true })
}

function residentMb({ process: { pid } }: ServerProcess): number {
  return Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 102.4) / 10
}

/** Resolves when every watch was answered; the result closes them. */
async function openStreams(server: ServerProcess, count: number): Promise<() => void> {
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

async function openConnections(server: ServerProcess, count: number): Promise<() => void> {
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
