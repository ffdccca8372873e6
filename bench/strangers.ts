/**
 * What can clients without a credential do to the others, with 1,000 connections from one address? Reports, for each
 * attack, the server's memory, the latency of gets of an authenticated client, and the time that clients of another
 * address take to connect and get an object. A connection that the server ends is opened again. Memory is compared with
 * a server in use, since the first thousand requests of any client raise it.
 * Run: npx tsx bench/strangers.ts [seconds of each attack, default 20] [names of attacks]
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2"
import { connect as connectTcp, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { connect as connectTls } from "node:tls"
import { fileURLToPath } from "node:url"
import { frameOf, numbersFrame, settingsFrame } from "../runtime/http2/frame-output.ts"
import { encodeTrailers } from "../runtime/http2/header-encoder.ts"
import { frameFlag, frameType, settingId } from "../runtime/http2/protocol.ts"
import { residentMb, startServerProcess, type Target } from "./support/server-process.ts"

const connections = 1000
const restSeconds = 10

/** Sends bytes repeatedly, as long as the connection accepts them. */
interface Attack {
  readonly protocol: "h2" | "http/1.1" | "none"
  /**
   * Bytes that are sent first, and bytes that are sent repeatedly after them; when `again` is empty, the connection is
   * closed and opened again.
   */
  readonly first: Buffer
  readonly again: Buffer
  /** Does not read the server's answers. */
  readonly isDeaf?: boolean
}

const hello = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
const block = (path: string, more: Record<string, string> = {}): Buffer =>
  Buffer.from(encodeTrailers({ ":method": "POST", ":scheme": "https", ":authority": "a", ":path": path, ...more }))
const head = (streamId: number, payload: Buffer): Buffer =>
  frameOf({ type: frameType.headers, flags: frameFlag.endHeaders, streamId }, payload)
const begun = (...settings: (readonly [number, number])[]): Buffer => Buffer.concat([hello, settingsFrame(settings)])
const ids = Array.from({ length: 250 }, (_none, index) => 2 * index + 1)
const path = "/api/v1/namespaces/default/configmaps"
const noWindow = [settingId.initialWindowSize, 0] as const
const repeated = (bytes: Buffer, times: number): Buffer => Buffer.concat(Array(times).fill(bytes))
const text = (...lines: string[]): Buffer => Buffer.from(lines.join("\r\n"))

const attacks: Readonly<Record<string, Attack>> = {
  bytes: {
    protocol: "h2",
    first: Buffer.concat([begun(noWindow), ...ids.map((id) => head(id, block(path)))]),
    again: Buffer.concat(ids.map((id) => repeated(frameOf({ type: frameType.data, flags: 0, streamId: id }, Buffer.alloc(1)), 20))),
  },
  bodies: {
    protocol: "h2",
    first: Buffer.concat([begun(noWindow), ...ids.map((id) => head(id, block(path)))]),
    again: Buffer.concat(ids.map((id) => frameOf({ type: frameType.data, flags: 0, streamId: id }, Buffer.alloc(1000)))),
  },
  heads: {
    protocol: "h2",
    first: Buffer.concat([begun(noWindow), ...ids.map((id) => head(id, block(path, { "x-long": `${id}`.repeat(4000) })))]),
    again: Buffer.alloc(0),
  },
  openHeads: {
    protocol: "h2",
    first: Buffer.concat([
      begun(),
      frameOf({ type: frameType.headers, flags: 0, streamId: 1 }, block(path)),
      repeated(frameOf({ type: frameType.continuation, flags: 0, streamId: 1 }, Buffer.alloc(16_000)), 15),
    ]),
    again: Buffer.alloc(0),
  },
  pings: {
    protocol: "h2",
    first: begun(),
    again: repeated(numbersFrame({ type: frameType.ping, flags: 0, streamId: 0 }, [1, 2]), 500),
    isDeaf: true,
  },
  deafHttp2: {
    protocol: "h2",
    first: begun([settingId.initialWindowSize, 2 ** 30]),
    again: Buffer.concat(ids.map((id) => head(id, block(path)))),
    isDeaf: true,
  },
  openHttp1Heads: { protocol: "http/1.1", first: text("GET / HTTP/1.1", "Host: a", "X: "), again: Buffer.alloc(10_000, "x") },
  pipelined: {
    protocol: "http/1.1",
    first: Buffer.alloc(0),
    again: repeated(text("GET /api HTTP/1.1", "Host: a", "", ""), 500),
    isDeaf: true,
  },
  chunks: {
    protocol: "http/1.1",
    first: text(`POST ${path} HTTP/1.1`, "Host: a", "Transfer-Encoding: chunked", "", ""),
    again: repeated(text("1", "a", ""), 1000),
    isDeaf: true,
  },
  handshakes: { protocol: "h2", first: Buffer.alloc(0), again: Buffer.alloc(0) },
  noHandshakes: { protocol: "none", first: Buffer.from([22, 3, 1]), again: Buffer.alloc(0) },
}

if (process.argv[2] === "attack") await attack(String(process.argv[3]), Number(process.argv[4]))
else await measure(Number(process.argv[2] ?? 20), process.argv.slice(3))

async function measure(seconds: number, names: readonly string[]): Promise<void> {
  const server = await startServerProcess()
  for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 100 }, () => getsFor(server, 0.5)))
  for (const name of names.length > 0 ? names : Object.keys(attacks)) {
    const beforeMb = residentMb(server)
    const attacking = spawnAttack(name, server)
    let peakMb = 0
    const looking = setInterval(() => {
      peakMb = Math.max(peakMb, residentMb(server))
    }, 100)
    await setTimeout(2000)
    const [gets, newcomers] = await Promise.all([getsFor(server, seconds), newcomersFor(server, seconds)])
    attacking.kill("SIGKILL")
    await setTimeout(1000 * restSeconds)
    clearInterval(looking)
    console.log(JSON.stringify({ attack: name, beforeMb, peakMb, afterMb: residentMb(server), ...gets, newcomers }))
  }
  await server.stop()
}

function spawnAttack(name: string, { port }: Target): ChildProcess {
  const self = fileURLToPath(import.meta.url)
  return spawn(process.execPath, ["--import", "tsx", self, "attack", name, String(port)], { stdio: "inherit" })
}

interface Times {
  readonly gets: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Latencies of consecutive gets, in milliseconds. */
async function getsFor({ authority, port, token }: Target, seconds: number): Promise<Times> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: authority })
  const times: number[] = []
  const untilMs = performance.now() + 1000 * seconds
  while (performance.now() < untilMs) {
    const startedMs = performance.now()
    await get(session, token)
    times.push(performance.now() - startedMs)
    await setTimeout(5)
  }
  session.close()
  return timesOf(times)
}

/** Milliseconds from connecting to the answer, for clients of another address. */
async function newcomersFor({ authority, port, token }: Target, seconds: number): Promise<Times> {
  const times: number[] = []
  const from = { ca: authority, localAddress: "127.0.0.2" }
  const untilMs = performance.now() + 1000 * seconds
  while (performance.now() < untilMs) {
    const startedMs = performance.now()
    const session = connectHttp2(`https://127.0.0.1:${port}`, from)
    await get(session, token)
    times.push(performance.now() - startedMs)
    session.close()
    await setTimeout(200)
  }
  return timesOf(times)
}

function timesOf(times: number[]): Times {
  times.sort((left, right) => left - right)
  const at = (share: number): number => Math.round(10 * (times[Math.floor(share * (times.length - 1))] ?? 0)) / 10
  return { gets: times.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

async function get(session: ClientHttp2Session, token: string): Promise<void> {
  const stream = session.request({ ":path": "/api/v1/namespaces/default", authorization: `Bearer ${token}` })
  stream.resume()
  await once(stream, "close")
}

async function attack(name: string, port: number): Promise<void> {
  const how = attacks[name]
  if (how === undefined) throw new Error(`there is no attack ${name}; there are ${Object.keys(attacks).join(", ")}`)
  await Promise.all(Array.from({ length: connections }, () => attackOver(how, port)))
}

async function attackOver({ protocol, first, again, isDeaf = false }: Attack, port: number): Promise<never> {
  for (;;) {
    const socket: Socket =
      protocol === "none"
        ? connectTcp(port, "127.0.0.1")
        : connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: [protocol] })
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    socket.on("error", () => undefined)
    if (isDeaf) socket.pause()
    else socket.resume()
    const say = (): void => {
      if (again.length > 0) socket.write(again, () => setImmediate(say))
      else if (first.length === 0) socket.destroy()
    }
    socket.once(protocol === "none" ? "connect" : "secureConnect", () => (first.length > 0 ? socket.write(first, say) : say()))
    await closed
    await setTimeout(50)
  }
}
