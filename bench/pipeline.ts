/**
 * How much do filters, Hono's routes and a get cost without a network, and how much memory does an idle watch hold? For
 * comparison, the same with a middleware of a program that does nothing, and with one that answers at once. For
 * watches: the heap that each of them holds, without its two ends. Times come from the fastest of many short rounds.
 * Run: npm run bench -- pipeline
 */
import { EventEmitter } from "node:events"
import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createApp } from "../runtime/app.ts"
import { RESPONSE_ALREADY_SENT } from "../runtime/http/web-response.ts"
import type { Incoming, Outgoing } from "../runtime/http/exchange.ts"
import type { App } from "../runtime/http/env.ts"
import { adminToken, startInProcess } from "../test/support/in-process.ts"
import { openOptions } from "./support/options.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const requests = options.number("requests", { small: 1000, full: 1000 })
const rounds = options.number("rounds", { small: 100, full: 1500 })
const watches = options.number("watches", { small: 2000, full: 10_000 })
options.done()

/** The part of an answer that filters and watches use. */
class Answer extends EventEmitter {
  statusCode = 200
  headersSent = false
  readonly destroyed = false
  readonly writableEnded = true
  readonly writableFinished = true
  readonly writableLength = 0
  readonly headers: Record<string, unknown> = {}

  setHeader(name: string, value: unknown): void {
    this.headers[name] = value
  }

  closeUnlessFramed(): void {}

  getHeader(name: string): unknown {
    return this.headers[name]
  }

  writeHead(): void {
    this.headersSent = true
  }

  flushHeaders(): void {}
  end(): void {}
  endWhole(): void {}
}

const baseHeaders = { host: "localhost:6443", authorization: `Bearer ${adminToken}`, "user-agent": "bench", accept: "application/json" }
const socket = { localAddress: "127.0.0.1", localPort: 6443, remoteAddress: "127.0.0.1" }

/** A request without a body; only its head is read. */
const untouched: Incoming = {
  method: "GET",
  headers: baseHeaders,
  httpVersionMajor: 2,
  socket,
  complete: true,
  readableEnded: true,
  destroyed: false,
  hasBody: false,
  asStream: () => Readable.from([]),
  discardBody() {},
  on() {},
  once() {},
  off() {},
  pause() {},
}

function incomingAt(url: string): Incoming {
  return { ...untouched, url, headers: { ...baseHeaders } }
}

/** Microseconds per request in the fastest round. */
async function cost(app: App): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    for (let sent = 0; sent < requests; sent += 100) {
      for (let index = 0; index < 100; index++) {
        const outgoing = new Answer()
        // Filters and verb use only these parts of request and answer.
        app(incomingAt("/api/v1/namespaces/default"), outgoing as unknown as Outgoing)
        // A connection does this once an answer is sent.
        queueMicrotask(() => outgoing.emit("close"))
      }
      await setImmediate()
    }
    best = Math.min(best, (1000 * (performance.now() - startedMs)) / requests)
  }
  return Math.round(100 * best) / 100
}

/** Ends of open requests, kept as connections keep them. */
const ends: unknown[] = []

/** Bytes of heap for each of the watches that `begin` opens. */
async function kept(begin: (url: string) => void): Promise<number> {
  // The first ones compile, and fill caches that all share.
  for (let index = 0; index < 100; index++) begin(watchUrl(index))
  const before = await heapBytes()
  for (let index = 0; index < watches; index++) {
    begin(watchUrl(index))
    if (index % 100 === 0) await setImmediate()
  }
  return ((await heapBytes()) - before) / watches
}

function watchUrl(index: number): string {
  return `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0&timeoutSeconds=${1000 + (index % 7)}`
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void // A function of V8's.

async function heapBytes(): Promise<number> {
  for (let times = 0; times < 5; times++) {
    await setImmediate()
    collect()
  }
  return process.memoryUsage().heapUsed
}

function openEnds(url: string): { incoming: Incoming; outgoing: Answer } {
  const open = { incoming: incomingAt(url), outgoing: new Answer() }
  ends.push(open)
  return open
}

const { server, stop } = await startInProcess({ store: "memory", vendor: "orch" })
const { app } = createApp(server.parts)
printRow({ through: "filters, routes and a get", us: await cost(app) })
printRow({ through: "the same with a middleware", us: await cost(createApp(server.parts, [(_context, next) => next()]).app) })
const { app: answering } = createApp(server.parts, [async () => RESPONSE_ALREADY_SENT])
printRow({ through: "filters and a middleware that answers", us: await cost(answering) })
const ofEnds = await kept(openEnds)
const ofWatches = await kept((url) => {
  const { incoming, outgoing } = openEnds(url)
  app(incoming, outgoing as unknown as Outgoing) // As above.
})
printRow({ idle: "a watch besides its two ends", bytes: Math.round(ofWatches - ofEnds), of: server.parts.watches.size })
await stop()
