/**
 * A request and its answer, independent of the protocol. `http1-exchange.ts` implements them for HTTP/1.1, `http2/` for
 * HTTP/2. The interfaces have only members that the server uses. Only this folder distinguishes protocols.
 */
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import type { Account } from "./kept-bytes.ts"

/** The addresses of both ends of a connection, also once it is closed: an event names a client that has left. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  /** The socket below HTTP/2: TLS has the certificates of the client. */
  readonly tlsSocket?: object
}

/** A body that the connection gathers, for a reader that wants it whole. */
export interface WholeBody {
  /**
   * Returns the body once all of it has arrived; undefined before that, or when it broke off. Counts as reading its
   * end.
   */
  take(): Buffer | undefined
  /**
   * Calls `then` once, when the whole body has arrived or never will. The client may meanwhile send as much as it
   * announced.
   */
  whenArrived(then: () => void): void
  /** Drops the callback of `whenArrived`. */
  forgetWaiting(): void
}

/** A request: its head, and its body as stream events. */
export interface Incoming {
  readonly method?: string | undefined
  /** Path and query as they were sent. */
  url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** HTTP/1.1 only: names and values in turn, as they were sent. */
  readonly rawHeaders?: readonly string[]
  /** HTTP/2 only: the values of fields that were sent more than once, each as it was sent. */
  readonly repeatedFields?: ReadonlyMap<string, readonly string[]> | undefined
  readonly httpVersion?: string
  readonly httpVersionMajor: number
  readonly socket: ConnectionEnds
  /** The account of the request's connection; undefined in a simulation, which has no connection. */
  readonly account?: Pick<Account, "charge" | "identify"> | undefined
  /** All of the body has arrived. */
  readonly complete: boolean
  /** All of the body was read. */
  readonly readableEnded: boolean
  readonly destroyed: boolean
  /** The request has a body. A body with an announced length of 0 is none. */
  readonly hasBody: boolean
  /** Undefined when the body has to be read through its events. */
  readonly wholeBody?: WholeBody | undefined
  /**
   * The body as a stream, for pipelines. Ending it does not end the answer. Called at most once, instead of listening.
   */
  asStream(): Readable
  /**
   * Called when the body, or the rest of it, will not be read. Discards it as it arrives. Once `outgoing` was sent,
   * asks the client to stop if the protocol can express that; otherwise ends the connection after a while.
   */
  discardBody(outgoing: Outgoing): void
  on(event: "data", listener: (chunk: Buffer) => void): unknown
  on(event: "end" | "error" | "aborted" | "close", listener: () => void): unknown
  once(event: "resume", listener: () => void): unknown
  off(event: "data", listener: (chunk: Buffer) => void): unknown
  off(event: "end" | "error" | "aborted" | "close", listener: () => void): unknown
  pause(): unknown
}

export type OutgoingEvent = "close" | "drain" | "error" | "finish"

/** An answer: its head, then its body as a stream with back pressure. Names of header fields are in lower case. */
export interface Outgoing {
  statusCode: number
  /**
   * Set before the first byte: other answers hold the same bytes, so waiting bytes count once for all
   * (`kept-bytes.ts`).
   */
  sharesBytes: boolean
  /**
   * Set before the first byte of an answer that another machine produces, such as a log that a user reads in a pager.
   * It buffers only bytes in transit, so its reader may pause for as long as it likes.
   */
  mayWait: boolean
  readonly headersSent: boolean
  /** The stream was closed, or the client has gone. */
  readonly destroyed: boolean
  /** `end` was called. */
  readonly writableEnded: boolean
  /** The connection has taken the whole answer. */
  readonly writableFinished: boolean
  /** Bytes that wait for the client. */
  readonly writableLength: number
  /** Grows as the client takes bytes, without bytes in the kernel's send buffer. Only differences are meaningful. */
  readonly takenBytes: number
  getHeader(name: string): number | string | string[] | undefined
  setHeader(name: string, value: string | string[]): unknown
  /** Sends the head, or leaves that to the first write. Does nothing once the stream is gone. */
  writeHead(statusCode: number, headers?: Record<string, string | number | string[]>): unknown
  /** Sends the head now. */
  flushHeaders(): void
  /** Sends `100 Continue`, which asks the client for its body. */
  writeContinue(): unknown
  /** False: wait for `drain`. Calls `taken` once the connection has the bytes, with an error if it never will. */
  write(chunk: Uint8Array, taken?: (error: Error | null | undefined) => void): boolean
  end(chunk?: Uint8Array): unknown
  /** As `end`, for a whole body of any length. `takenBytes` shows its progress. */
  endWhole(body: Uint8Array): void
  addTrailers(trailers: Record<string, string>): void
  /** Called before the head is sent: the client sends no more requests on this connection. Begun answers complete. */
  closeAfterAnswer(): void
  /**
   * As `closeAfterAnswer`, for a request whose last byte is uncertain. Does nothing where the protocol frames requests.
   */
  closeUnlessFramed(): void
  destroy(): unknown
  on(event: OutgoingEvent, listener: () => void): unknown
  once(event: OutgoingEvent, listener: () => void): unknown
  off(event: OutgoingEvent, listener: () => void): unknown
}
