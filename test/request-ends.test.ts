/** The end of a request: `request.onEnd` and metrics over real sockets, for each possible end of an answer. */
import { once } from "node:events"
import { describe, expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import { type Filter, startServer } from "../runtime/library.ts"
import { createHttpClient, type HttpClient, type Protocol } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const watchPath = "/api/v1/namespaces?watch=1"

/** Records `begun` and `ended` of each watch, in order. */
interface Log {
  readonly lines: readonly string[]
  readonly middleware: Filter
  readonly ended: Promise<void>
}

function logOfWatches(): Log {
  const lines: string[] = []
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  async function middleware({ env: { request, outgoing } }: Parameters<Filter>[0], next: Parameters<Filter>[1]): Promise<void> {
    if (request.info.verb !== "watch") return next()
    request.onEnd(() => {
      lines.push(`ended ${outgoing.statusCode}`)
      end()
    })
    await next()
    lines.push("begun")
  }
  return { lines, ended, middleware }
}

interface Served {
  readonly token: string
  readonly port: number
  readonly authority: string
  readonly client: HttpClient
  watches(): Promise<string[]>
}

async function serve(protocol: Protocol, log: Log): Promise<Served> {
  const { token, url, caPem: authority, stop } = await startServer({ middleware: [log.middleware] })
  const port = Number(new URL(url).port)
  const client = createHttpClient({ protocol, port, authority })
  onTestFinished(async () => {
    client.close()
    await stop()
  })
  const headers = { authorization: `Bearer ${token}` }
  async function watches(): Promise<string[]> {
    const { body } = await client.send({ method: "GET", path: "/metrics", headers })
    return countsOfWatches(body.toString().split("\n"))
  }
  return { token, port, authority, client, watches }
}

/** Formats samples as status and count, such as `200 1`. */
function countsOfWatches(samples: readonly string[]): string[] {
  const counts = samples.filter((line) => line.startsWith("apiserver_request_total{") && line.includes('verb="WATCH"'))
  return counts.map((line) => line.replace(/^.*code="(\d+)".* (\d+)$/, "$1 $2"))
}

describe.each(["http1", "http2"] as const)("over %s", (protocol) => {
  it("a watch ends, and is counted, when its client disconnects", async () => {
    const log = logOfWatches()
    const { client, token, watches } = await serve(protocol, log)
    const watch = await client.open({ method: "GET", path: watchPath, headers: { authorization: `Bearer ${token}` } })
    expect(await watches()).toEqual([])
    watch.destroy()
    await log.ended
    expect(log.lines).toEqual(["begun", "ended 200"])
    expect(await watches()).toEqual(["200 1"])
  })

  it("a watch is counted when its time is over, or when the server stops", async () => {
    const at = await startInProcess({ store: "memory", vendor: "orch" })
    const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
    onTestFinished(() => client.close())
    const open = (path: string) => client.open({ method: "GET", path, headers: { authorization: `Bearer ${at.token}` } })
    const short = await open(`${watchPath}&timeoutSeconds=30`)
    const long = await open(watchPath)
    at.clock.advance(31_000)
    for await (const _ of short.body);
    // The client receives the end of the answer before the server sees that its stream is closed.
    await open("/version")
    expect(counted(at)).toEqual(["200 1"])
    long.body.resume()
    await at.stop()
    expect(counted(at)).toEqual(["200 2"])
  })

  it("a watch that is refused ends like any other request", async () => {
    const log = logOfWatches()
    const { client, token, watches } = await serve(protocol, log)
    const headers = { authorization: `Bearer ${token}` }
    expect((await client.send({ method: "GET", path: `${watchPath}&resourceVersion=x`, headers })).status).toBe(400)
    expect(log.lines).toEqual(["begun", "ended 400"])
    expect(await watches()).toEqual(["400 1"])
  })
})

it("a watch over a websocket ends when its client disconnects", async () => {
  const log = logOfWatches()
  const { port, authority, token, watches } = await serve("http1", log)
  const headers = { authorization: `Bearer ${token}` }
  const websocket = new WebSocket(`wss://127.0.0.1:${port}${watchPath}`, { ca: authority, headers })
  await once(websocket, "message")
  expect(await watches()).toEqual([])
  websocket.terminate()
  await log.ended
  expect(log.lines).toEqual(["begun", "ended 101"])
  expect(await watches()).toEqual(["101 1"])
})

function counted({ server }: InProcess): string[] {
  return countsOfWatches(server.parts.requestCounts.samples().map(([labels, count]) => `apiserver_request_total{${labels} ${count}`))
}
