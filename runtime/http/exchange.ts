/**
 * A request and its answer as the server sees them, whatever carries them. Node's own objects of HTTP/1.1 are such; `http2/` has those of
 * HTTP/2. Only what somebody uses is named here.
 */
import type { IncomingHttpHeaders } from "node:http"

/** Both ends of the connection that a request came on; nothing is known of one that is closed. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
}

/** A request: its head, and its body as events of a stream. */
export interface Incoming {
  readonly method?: string | undefined
  /** Path and query as they were sent. */
  url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly httpVersionMajor: number
  readonly socket: ConnectionEnds
  /** All of the body has arrived. */
  readonly complete: boolean
  /** All of the body was read. */
  readonly readableEnded: boolean
  readonly destroyed: boolean
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end" | "error" | "aborted" | "close", listener: () => void): unknown
  once(event: "resume", listener: () => void): unknown
  off(event: "data", listener: (chunk: Buffer) => void): unknown
  off(event: "end" | "error" | "aborted" | "close", listener: () => void): unknown
  pause(): unknown
}

export type OutgoingEvent = "close" | "drain" | "error" | "finish"

/** An answer: its head, then its body as a stream that pushes back. Names of header fields are in lower case. */
export interface Outgoing {
  statusCode: number
  readonly headersSent: boolean
  /** The stream is gone: it was closed, or the client went away. */
  readonly destroyed: boolean
  /** `end` was called. */
  readonly writableEnded: boolean
  /** Everything was handed over to the connection. */
  readonly writableFinished: boolean
  /** Bytes that wait for the client. */
  readonly writableLength: number
  getHeader(name: string): number | string | string[] | undefined
  setHeader(name: string, value: string | string[]): unknown
  /** Sends the head, or leaves it to the first write. Does nothing once the stream is gone. */
  writeHead(statusCode: number, headers?: Record<string, string | number | string[]>): unknown
  /** Sends the head now. */
  flushHeaders(): void
  /** `100 Continue`: the client is asked for its body. */
  writeContinue(): unknown
  /** False: wait for `drain`. `taken` is called once the connection has the bytes, with an error when it never will. */
  write(chunk: Uint8Array, taken?: (error: Error | null | undefined) => void): boolean
  end(chunk?: Uint8Array): unknown
  addTrailers(trailers: Record<string, string>): void
  destroy(): unknown
  on(event: OutgoingEvent, listener: () => void): unknown
  once(event: OutgoingEvent, listener: () => void): unknown
  off(event: OutgoingEvent, listener: () => void): unknown
}
