/**
 * A request and its answer as the server sees them, whatever carries them: `http1-exchange.ts` has those of HTTP/1.1, `http2/` those of HTTP/2. Only what
 * some part of the server uses is named here, and no part but this folder looks which protocol it is.
 */
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import type { Account } from "./kept-bytes.ts"

/** Both ends of the connection that a request came on; nothing is known of one that is closed. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
}

/** A body that the connection gathers, for a reader that wants all of it at once. */
export interface WholeBody {
  /** All of the body, once all of it is here; undefined before that, and when it broke off. Taking it is reading its end. */
  take(): Buffer | undefined
  /** Calls `then` once, when all of the body is here or never will be. The client may go on sending meanwhile, as much as it announced. */
  whenArrived(then: () => void): void
  /** `then` is not to be called any more. */
  forgetWaiting(): void
}

/** A request: its head, and its body as events of a stream. */
export interface Incoming {
  readonly method?: string | undefined
  /** Path and query as they were sent. */
  url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Of HTTP/1.1 only: names and values by turns, as they were sent. */
  readonly rawHeaders?: readonly string[]
  readonly httpVersion?: string
  readonly httpVersionMajor: number
  readonly socket: ConnectionEnds
  /** Of the connection that the request came on; undefined where there is none, in a simulation. */
  readonly account?: Pick<Account, "charge" | "identify"> | undefined
  /** All of the body has arrived. */
  readonly complete: boolean
  /** All of the body was read. */
  readonly readableEnded: boolean
  readonly destroyed: boolean
  /** A body comes with the request; one of no bytes whose length was announced is none. */
  readonly hasBody: boolean
  /** Undefined when the body has to be read by its events. */
  readonly wholeBody?: WholeBody | undefined
  /** The body as a stream, for pipelines; its end is not that of the answer. Called at most once per request, instead of reading events. */
  asStream(): Readable
  /**
   * Called when the body, or what is left of it, will not be read. It is thrown away as it comes. Once `outgoing` was sent the client is asked to stop
   * where the protocol has a word for it; else its connection ends after a while.
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

/** An answer: its head, then its body as a stream that pushes back. Names of header fields are in lower case. */
export interface Outgoing {
  statusCode: number
  /** Set before the first byte: others have the bytes of this answer waiting as well, and what waits is counted once for all (`kept-bytes.ts`). */
  sharesBytes: boolean
  /**
   * Set before the first byte, of an answer that another machine sends, logs that somebody pages through for example: it holds no more than what is on
   * its way, and its reader may stop for as long as it likes.
   */
  mayWait: boolean
  readonly headersSent: boolean
  /** The stream is gone: it was closed, or the client went away. */
  readonly destroyed: boolean
  /** `end` was called. */
  readonly writableEnded: boolean
  /** Everything was handed over to the connection. */
  readonly writableFinished: boolean
  /** Bytes that wait for the client. */
  readonly writableLength: number
  /** Grows as the client takes bytes of the answer, but for what the system still holds. Only differences mean something. */
  readonly takenBytes: number
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
  /** As `end`, for a whole body, however long: its progress shows in `takenBytes`. */
  endWhole(body: Uint8Array): void
  addTrailers(trailers: Record<string, string>): void
  /** Called before the head is sent: the client sends no more requests on this connection. Answers that have begun are completed. */
  closeAfterAnswer(): void
  /** As `closeAfterAnswer`, where it is unsure at which byte the request ends. */
  closeUnlessFramed(): void
  destroy(): unknown
  on(event: OutgoingEvent, listener: () => void): unknown
  once(event: OutgoingEvent, listener: () => void): unknown
  off(event: OutgoingEvent, listener: () => void): unknown
}
