import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect } from "node:http2"
import { Agent, get, type RequestOptions } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { describe, expect, it } from "vitest"
import { http2Names } from "../../test/support/raw-http2-client.ts"
import type { Http2Name } from "./http2-implementation.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { inMemoryPair } from "../launch/certificates.ts"
import { systemClock } from "../base/clock.ts"
import { clientKeepAliveMs } from "../base/limits.ts"
import { type Listener, listen } from "./listen.ts"
import type { App } from "./env.ts"

const graceMs = 60_000

interface Listening {
  readonly listener: Listener
  readonly options: RequestOptions
  readonly origin: string
  /** Resolves when a request for `/slow` has arrived. */
  readonly asked: Promise<void>
  /** Answers that request. */
  answer(): void
}

async function listening(http2: Http2Name = "own", streamsPerConnection = 10): Promise<Listening> {
  const pair = await inMemoryPair({ names: ["127.0.0.1"], clock: systemClock })
  let asked: () => void = () => {}
  let answer: () => void = () => {}
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  const app: App = (incoming, outgoing) => {
    if (incoming.url === "/fast") return outgoing.end(Buffer.from("fast"))
    asked()
    return void mayAnswer.then(() => outgoing.end(Buffer.from("slow")))
  }
  const listener = await listen({ app, host: "127.0.0.1", port: 0, tls: pair, http2, streamsPerConnection })
  const { port } = listener.server.address() as AddressInfo // A TCP server has one.
  const options = { host: "127.0.0.1", port, ca: pair.authority, agent: new Agent({ keepAlive: true }) }
  return { listener, options, origin: `https://127.0.0.1:${port}`, asked: wasAsked, answer }
}

function ask(options: RequestOptions, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ ...options, path }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += String(chunk)))
      response.on("end", () => resolve(text))
      response.on("error", reject)
    })
    request.on("error", reject)
  })
}

describe("closing", () => {
  it("does not wait for idle connections", async () => {
    const { listener, options } = await listening()
    expect(await ask(options, "/fast")).toBe("fast")
    await listener.close({ graceMs, clock: createManualClock() })
  })

  it("waits for an answer that is under way", async () => {
    const { listener, options, asked, answer } = await listening()
    const answered = ask(options, "/slow")
    await asked
    const closed = listener.close({ graceMs, clock: createManualClock() })
    answer()
    expect(await answered).toBe("slow")
    await closed
  })

  it("cuts connections that are still busy after the grace period", async () => {
    const { listener, options, asked } = await listening()
    const answered = ask(options, "/slow")
    await asked
    const clock = createManualClock()
    const closed = listener.close({ graceMs, clock })
    clock.advance(graceMs)
    await expect(answered).rejects.toThrow(/socket hang up|ECONNRESET/)
    await closed
  })

  it.each(http2Names)("sends GOAWAY to HTTP/2 clients and lets their streams finish (%s)", async (http2) => {
    const { listener, options, origin, asked, answer } = await listening(http2)
    const session = connect(origin, { ca: options.ca })
    const stream = session.request({ ":path": "/slow" })
    await asked
    const ended = new Promise((resolve) => session.once("close", resolve))
    const closed = listener.close({ graceMs, clock: createManualClock() })
    answer()
    let text = ""
    for await (const chunk of stream) text += String(chunk)
    expect(text).toBe("slow")
    await Promise.all([ended, closed])
  })
})

/** The timer that Linux runs for the server's end of a connection. */
function serverTimer(client: Socket): { readonly type: string; readonly leftMs: number } | undefined {
  const ends = [client.remotePort, client.localPort].map((port = 0) => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`)
  for (const line of readFileSync("/proc/net/tcp", "latin1").split("\n")) {
    const [, local, remote, , , timer = ""] = line.trim().split(/\s+/)
    if (local !== ends[0] || remote !== ends[1]) continue
    const [type = "", left = ""] = timer.split(":")
    return { type, leftMs: Number.parseInt(left, 16) * 10 }
  }
  return undefined
}

describe("a connection", () => {
  // Only Linux reports the timers of connections.
  it.skipIf(process.platform !== "linux").each(["http/1.1", "h2"])("of %s has keepalive of TCP", async (protocol) => {
    const { listener, options } = await listening()
    const { port, ca } = options
    const client = connectTls({ host: "127.0.0.1", port: Number(port), ca: String(ca), ALPNProtocols: [protocol] })
    await once(client, "secureConnect")
    // The sent bytes have to be acknowledged first: until then another timer runs.
    await expect.poll(() => serverTimer(client)?.type, { timeout: 5000 }).toBe("02")
    const { leftMs = 0 } = serverTimer(client) ?? {}
    expect(leftMs).toBeLessThanOrEqual(clientKeepAliveMs)
    expect(leftMs).toBeGreaterThan(clientKeepAliveMs - 10_000)
    client.destroy()
    await listener.close({ graceMs, clock: createManualClock() })
  })

  it.each(http2Names)("of HTTP/2 announces the limit of streams (%s)", async (http2) => {
    const { listener, options, origin } = await listening(http2, 7)
    const session = connect(origin, { ca: options.ca })
    const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) => session.once("remoteSettings", resolve))
    expect(settings.maxConcurrentStreams).toBe(7)
    session.destroy()
    await listener.close({ graceMs, clock: createManualClock() })
  })

  const refused = [
    [417, { expect: "a miracle" }],
    [400, { ":authority": "a", host: "b" }],
    [405, { ":method": "CONNECT", ":authority": "elsewhere:443" }],
  ] as const
  it.each(http2Names.flatMap((http2) => refused.map(([status, headers]) => [status, http2, headers] as const)))(
    "of HTTP/2 answers %d to a request that it refuses at once, and stops its body (%s)",
    async (status, http2, headers) => {
      const { listener, options, origin } = await listening(http2)
      const session = connect(origin, { ca: options.ca })
      const stream = session.request(
        { ":method": "POST", ...(":method" in headers ? {} : { ":path": "/fast" }), ...headers },
        { endStream: false },
      )
      const closed = once(stream, "close")
      const [answered] = await once(stream, "response")
      stream.resume()
      await closed
      expect([answered[":status"], stream.rstCode]).toEqual([status, 0])
      session.destroy()
      await listener.close({ graceMs, clock: createManualClock() })
    },
  )
})
