/**
 * What does the path from a request to its verb cost? Requests without a network, sent through the adapter, Hono's
 * routing and all filters to a middleware that answers at once; and the same through the adapter and an empty Hono
 * application. The smallest of several rounds.
 * Run: npm run bench -- pipeline
 */
import { EventEmitter } from "node:events"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono } from "hono"
import { createApp } from "../runtime/app.ts"
import type { Incoming, Outgoing } from "../runtime/http/exchange.ts"
import { dispatchTo } from "../runtime/http/request-listener.ts"
import type { ServerEnv } from "../runtime/server-env.ts"
import { adminToken, startInProcess } from "../test/support/in-process.ts"
import { openOptions } from "./support/options.ts"
import { tell } from "./support/tell.ts"

const options = openOptions()
const requests = options.number("requests", { small: 20_000, full: 100_000 })
const rounds = options.number("rounds", { small: 5, full: 20 })
options.done()

/** The parts of an answer that the filters use. */
class Answer extends EventEmitter {
  statusCode = 200
  readonly headersSent = false
  readonly destroyed = false
  readonly writableEnded = true
  readonly writableFinished = true
  readonly writableLength = 0
  readonly headers: Record<string, unknown> = {}

  setHeader(name: string, value: unknown): void {
    this.headers[name] = value
  }

  getHeader(name: string): unknown {
    return this.headers[name]
  }
}

const headers = { host: "localhost:6443", authorization: `Bearer ${adminToken}`, "user-agent": "bench", accept: "application/json" }
const socket = { localAddress: "127.0.0.1", localPort: 6443, remoteAddress: "127.0.0.1" }

function incomingAt(url: string): Incoming {
  // The filters read no other property of a request.
  return { method: "GET", url, headers, httpVersionMajor: 2, socket, complete: true, readableEnded: true, destroyed: false } as Incoming
}

/** Microseconds of one request, of the fastest round. */
async function cost(app: Hono<ServerEnv>): Promise<number> {
  const dispatch = dispatchTo(app)
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    for (let sent = 0; sent < requests; sent += 100) {
      for (let index = 0; index < 100; index++) {
        const outgoing = new Answer()
        // The adapter and the filters use only these parts of request and answer.
        dispatch(incomingAt(`/api/v1/namespaces/default/configmaps/object-${index}`), outgoing as unknown as Outgoing)
        // A connection does so once an answer is sent.
        queueMicrotask(() => outgoing.emit("close"))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    best = Math.min(best, (1000 * (performance.now() - startedMs)) / requests)
  }
  return Math.round(100 * best) / 100
}

const { server, stop } = await startInProcess({ store: "memory", vendor: "orch" })
const bare = new Hono<ServerEnv>().all("*", () => RESPONSE_ALREADY_SENT)
tell({ through: "the adapter and an empty application", us: await cost(bare) })
tell({ through: "the adapter, routes and all filters", us: await cost(createApp(server.parts, [async () => RESPONSE_ALREADY_SENT])) })
await stop()
