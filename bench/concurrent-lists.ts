/**
 * By how much does the server grow while 200 clients list 10 MB at once: as fast as they can, and reading nothing at
 * all; over connections of HTTP/1.1, over four of HTTP/2, over one, compressed? Resident memory of the whole process,
 * its maximum during the lists against the value before them; the goal is less than 100 MB.
 * Run: node --import tsx bench/concurrent-lists.ts
 */
import { randomBytes } from "node:crypto"
import { type ClientHttp2Session, connect } from "node:http2"
import { Agent, type RequestOptions, request } from "node:https"
import { setTimeout } from "node:timers/promises"
import { residentMb, type ServerProcess, startServerProcess } from "./support/server-process.ts"

const lists = 200
const objects = 100
const objectBytes = 100 * 1024
const path = "/api/v1/namespaces/default/configmaps"
const sampleMs = 50
/** How long readers that read nothing are observed. */
const stalledMs = 3000

/** Starts `count` lists. With `read`, resolves when they have ended; otherwise, when all have begun. */
type Client = (server: ServerProcess, options: { count: number; read: boolean; gzip?: boolean }) => Promise<() => void>

const clients: Readonly<Record<string, Client>> = {
  "200 connections of HTTP/1.1": overConnections,
  "200 connections of HTTP/1.1, compressed": (server, options) => overConnections(server, { ...options, gzip: true }),
  "4 connections of HTTP/2": (server, options) => overStreams(server, { ...options, connections: 4 }),
  "1 connection of HTTP/2": (server, options) => overStreams(server, { ...options, connections: 1 }),
}

for (const [how, client] of Object.entries(clients)) {
  for (const read of [true, false]) {
    const server = await startServerProcess()
    await fill(server)
    // The first lists need extra memory once, for compiled code and pooled buffers.
    ;(await client(server, { count: 10, read: true }))()
    await setTimeout(1000)
    const before = residentMb(server)
    const highest = sampled(server)
    const close = await client(server, { count: lists, read })
    if (!read) await setTimeout(stalledMs)
    const peak = highest()
    close()
    await setTimeout(1000)
    const readers = read ? "fast" : "stalled"
    console.log(
      JSON.stringify({ lists, how, readers, before, peak, growth: Math.round((peak - before) * 10) / 10, after: residentMb(server) }),
    )
    await server.stop()
  }
}

function sampled(server: ServerProcess): () => number {
  let highest = 0
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMb(server))
  }, sampleMs)
  return () => {
    clearInterval(timer)
    return Math.max(highest, residentMb(server))
  }
}

async function fill(server: ServerProcess): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let index = 0; index < objects; index++) {
    const body = JSON.stringify({ metadata: { name: `large-${index}` }, data: { text: text() } })
    await new Promise<void>((resolve, reject) => {
      const outgoing = request({ ...target(server), agent, method: "POST" }, (incoming) => incoming.resume().on("end", resolve))
      outgoing.setHeader("content-type", "application/json")
      outgoing.on("error", reject).end(body)
    })
  }
  agent.destroy()
}

/** As hard to compress as any content of a list. */
function text(): string {
  return randomBytes((objectBytes * 3) / 4).toString("base64")
}

function target(server: ServerProcess): RequestOptions {
  return { host: "127.0.0.1", port: server.port, ca: server.authority, path, headers: { authorization: `Bearer ${server.token}` } }
}

async function overConnections(
  server: ServerProcess,
  { count, read, gzip = false }: { count: number; read: boolean; gzip?: boolean },
): Promise<() => void> {
  const closes: (() => void)[] = []
  await Promise.all(
    Array.from({ length: count }, () => {
      return new Promise<void>((resolve, reject) => {
        const outgoing = request({ ...target(server), agent: false }, (incoming) => {
          // Some compressed lists miss the deadline of requests: all of them together need as much CPU as a minute has.
          if (read) incoming.resume().on("close", resolve).on("error", resolve)
          else resolve()
        })
        if (gzip) outgoing.setHeader("accept-encoding", "gzip")
        closes.push(() => outgoing.destroy())
        outgoing.on("error", reject).end()
      })
    }),
  )
  return () => {
    for (const close of closes) close()
  }
}

async function overStreams(
  server: ServerProcess,
  { count, read, connections }: { count: number; read: boolean; connections: number },
): Promise<() => void> {
  const sessions: ClientHttp2Session[] = []
  for (let index = 0; index < connections; index++) sessions.push(connect(`https://127.0.0.1:${server.port}`, { ca: server.authority }))
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      return new Promise<void>((resolve, reject) => {
        const stream = sessions[index % connections]?.request({ ":path": path, authorization: `Bearer ${server.token}` })
        stream?.on("error", reject)
        if (read) stream?.resume().on("end", resolve)
        else stream?.on("response", () => resolve())
      })
    }),
  )
  return () => {
    for (const session of sessions) session.destroy()
  }
}
