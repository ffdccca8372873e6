/** A small HTTP client for tests, over HTTP/1.1 or HTTP/2: nothing is retried, decoded or hidden. */
import { connect, constants, type ClientHttp2Session } from "node:http2"
import { Agent, request as httpsRequest } from "node:https"
import type { Readable } from "node:stream"

export type Protocol = "http1" | "http2"

export interface HttpRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** The body is sent without saying how long it is. */
  readonly chunked?: boolean
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** An answer whose body is still on its way. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Readable
  /** Breaks the answer off, as a client that goes away does. */
  destroy(): void
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Buffer
}

export interface HttpClient {
  readonly protocol: Protocol
  /** Resolves when the head of the answer is there. Rejects when the connection fails before. */
  open(request: HttpRequest): Promise<OpenAnswer>
  send(request: HttpRequest): Promise<HttpAnswer>
  close(): void
}

export interface ClientOptions {
  readonly protocol: Protocol
  readonly port: number
  /** PEM text of the authority that the server's certificate comes from. */
  readonly authority: string
}

/** Connects on the first request. Every request names the server as loopback does: `127.0.0.1`. */
export function createHttpClient(options: ClientOptions): HttpClient {
  const { open, close } = options.protocol === "http1" ? http1(options) : http2(options)
  return {
    protocol: options.protocol,
    open,
    close,
    async send(request) {
      const { status, headers, body } = await open(request)
      return { status, headers, body: await readAll(body) }
    },
  }
}

/** All that a stream still has to say; rejects when it breaks off. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

type Connection = Pick<HttpClient, "open" | "close">

function http1({ port, authority }: ClientOptions): Connection {
  const agent = new Agent({ keepAlive: true, ca: authority })
  return {
    close: () => agent.destroy(),
    open: ({ method, path, headers, body, chunked }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined || chunked === true ? {} : { "content-length": String(body.length) }
        const outgoing = httpsRequest({ host: "127.0.0.1", port, agent, method, path, headers: { ...length, ...headers } }, (incoming) => {
          const { statusCode: status = 0 } = incoming
          resolve({ status, headers: incoming.headers, body: incoming, destroy: () => incoming.destroy() })
        })
        // A server may answer before it has read everything: what fails afterwards is the body's to tell.
        outgoing.on("error", reject)
        outgoing.end(body)
      }),
  }
}

/** Bodies that the server refuses to read stay with the client; with node's default of 10 it would refuse its own next request. */
const clientMemoryMb = 1000

function http2(options: ClientOptions): Connection {
  let session: ClientHttp2Session | undefined
  function connected(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`https://127.0.0.1:${options.port}`, { ca: options.authority, maxSessionMemory: clientMemoryMb })
      // Told to each of its streams.
      session.on("error", () => undefined)
    }
    return session
  }
  return {
    close: () => session?.destroy(),
    open: ({ method, path, headers, body, chunked }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined || chunked === true ? {} : { "content-length": String(body.length) }
        const stream = connected().request({ ":method": method, ":path": path, ...length, ...headers }, { endStream: body === undefined })
        stream.on("response", ({ ":status": status = 0, ...answered }) => {
          resolve({ status, headers: answered, body: stream, destroy: () => stream.close(constants.NGHTTP2_CANCEL) })
        })
        stream.on("error", reject)
        stream.on("close", () => reject(new Error(`the stream closed with code ${stream.rstCode} before an answer`)))
        if (body !== undefined) stream.end(body)
      }),
  }
}
