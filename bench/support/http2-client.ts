/**
 * HTTP/2 as the API's real clients use it: a few connections, many streams, and windows that never delay a reader on
 * the same machine.
 */
import { once } from "node:events"
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2"
import { bindWithoutResource } from "../../runtime/storage/etcd/bound-functions.ts"
import type { Target } from "./server-process.ts"

/** The windows of Go's client, which most clients of such an API use. */
const streamWindowBytes = 4 * 1024 * 1024
const connectionWindowBytes = 1024 * 1024 * 1024

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: Buffer
  readonly contentType?: string
  readonly accept?: string
  readonly acceptEncoding?: string
}

export interface Answer {
  readonly status: number
  readonly bytes: number
  /** The beginning of the body, `keptBytes` or a little more: lists of a gigabyte are counted, not kept. */
  readonly head: Buffer
}

export interface Http2Client {
  /**
   * Resolves when all connections are open, so that no request pays for opening them; rejects when one cannot be
   * opened.
   */
  connected(): Promise<void>
  /** Resolves at the end of the answer; rejects when the connection or the stream breaks. */
  send(request: Request): Promise<Answer>
  /** Resolves with an open stream when its head has arrived; rejects when the status is not 200. For watches. */
  open(path: string): Promise<ClientHttp2Stream>
  close(): void
}

/** Enough for the metadata of a list or an object of ordinary size. */
const keptBytes = 16 * 1024

/** Requests use the connections round robin. */
export function openHttp2Client({ port, authority, token, pair }: Target, connections = 1): Http2Client {
  bindWithoutResource()
  const sessions = Array.from({ length: connections }, () => openSession(port, authority, pair))
  let turn = 0

  function start({ method, path, body, contentType, accept = "application/json", acceptEncoding }: Request): ClientHttp2Stream {
    const session = sessions[turn++ % sessions.length]
    if (session === undefined) throw new Error("a client needs a connection")
    const headers: Record<string, string> = { ":method": method, ":path": path, accept }
    if (pair === undefined) headers["authorization"] = `Bearer ${token}`
    if (contentType !== undefined) headers["content-type"] = contentType
    if (acceptEncoding !== undefined) headers["accept-encoding"] = acceptEncoding
    const stream = session.request(headers, { endStream: body === undefined })
    if (body !== undefined) stream.end(body)
    return stream
  }

  return {
    async connected() {
      await Promise.all(sessions.map((session) => session.connecting && once(session, "connect")))
    },
    send: (request) => answered(start(request)),
    open: (path) => opened(start({ method: "GET", path })),
    close() {
      for (const session of sessions) session.destroy()
    },
  }
}

function openSession(port: number, authority: string, pair: Target["pair"]): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, {
    ca: authority,
    ...(pair !== undefined && { cert: pair.certificate, key: pair.key }),
    settings: { initialWindowSize: streamWindowBytes, enablePush: false },
  })
  session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes))
  // Streams report the error too, and reject the pending requests.
  session.on("error", () => undefined)
  return session
}

function answered(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status = 0
    let bytes = 0
    const kept: Buffer[] = []
    stream.on("response", (headers) => {
      status = Number(headers[":status"])
    })
    stream.on("data", (chunk: Buffer) => {
      if (bytes < keptBytes) kept.push(chunk)
      bytes += chunk.byteLength
    })
    stream.on("end", () => resolve({ status, bytes, head: kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept) }))
    stream.on("error", reject)
    stream.on("close", () => reject(new Error("the stream closed before its answer was complete")))
  })
}

function opened(stream: ClientHttp2Stream): Promise<ClientHttp2Stream> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject)
    stream.once("close", () => reject(new Error("the stream closed before it was answered")))
    stream.once("response", (headers) => {
      stream.off("error", reject)
      if (headers[":status"] === 200) resolve(stream)
      else reject(new Error(`a watch was answered ${headers[":status"]}`))
    })
  })
}
