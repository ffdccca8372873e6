/** A small HTTP client for tests, over HTTP/1.1 or HTTP/2: it neither retries nor decodes nor hides anything. */
import { connect, constants, type ClientHttp2Session } from "node:http2"
import { Agent, request as httpsRequest } from "node:https"
import type { Readable } from "node:stream"

export type Protocol = "http1" | "http2"

export interface HttpRequest {
  readonly method: string
  /** Including the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Sends the body without announcing its length. */
  readonly chunked?: boolean
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A response whose body is still arriving. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Readable
  /** Aborts the response, as a disconnecting client does. */
  destroy(): void
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Buffer
}

export interface HttpClient {
  readonly protocol: Protocol
  /** Resolves with the head of the response. Rejects when the connection fails first. */
  open(request: HttpRequest): Promise<OpenAnswer>
  send(request: HttpRequest): Promise<HttpAnswer>
  close(): void
}

export interface ClientOptions {
  readonly protocol: Protocol
  readonly port: number
  /**
   * PEM of the authority that signed the server's certificate. Without it, the certificate is not verified: for a
   * server that the test did not start.
   */
  readonly authority?: string
}

/** Connects on the first request. Every request addresses the server as `127.0.0.1`. */
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

/** Reads the rest of a stream; rejects when it is aborted. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function trusted(authority: string | undefined): { ca: string } | { rejectUnauthorized: false } {
  return authority === undefined ? { rejectUnauthorized: false } : { ca: authority }
}

type Connection = Pick<HttpClient, "open" | "close">

function http1({ port, authority }: ClientOptions): Connection {
  const agent = new Agent({ keepAlive: true, ...trusted(authority) })
  return {
    close: () => agent.destroy(),
    open: ({ method, path, headers, body, chunked }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined || chunked === true ? {} : { "content-length": String(body.length) }
        const outgoing = httpsRequest({ host: "127.0.0.1", port, agent, method, path, headers: { ...length, ...headers } }, (incoming) => {
          const { statusCode: status = 0 } = incoming
          resolve({ status, headers: incoming.headers, body: incoming, destroy: () => incoming.destroy() })
        })
        // A server may respond before it has read everything; the body's reader reports later errors.
        outgoing.on("error", reject)
        outgoing.end(body)
      }),
  }
}

/**
 * Bodies that the server refuses to read remain in the client's memory; with node's default of 10 it would refuse its
 * own next request.
 */
const clientMemoryMb = 1000

function http2(options: ClientOptions): Connection {
  let session: ClientHttp2Session | undefined
  function connected(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`https://127.0.0.1:${options.port}`, { ...trusted(options.authority), maxSessionMemory: clientMemoryMb })
      // Each of its streams reports it.
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
