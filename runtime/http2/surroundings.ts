/**
 * The parts of the surrounding program that an HTTP/2 connection needs, as the options of `Http2Connection`. This
 * folder imports nothing of the program.
 */

/** The addresses of both ends of a connection, also once it is closed: an event names a client that has left. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  /** The socket below HTTP/2: TLS has the certificates of the client. */
  readonly tlsSocket?: object
}

/** A clock that is independent of the system's date. */
export interface ElapsedClock {
  /** Milliseconds since some moment in the past. */
  elapsedMs(): number
}

export interface ConnectionClock extends ElapsedClock {
  /** Calls `callback` once after `delayMs`; the returned function cancels. */
  after(delayMs: number, callback: () => void): () => void
}

/** A connection, as its account sees it. */
interface AccountHolder {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  /** The `User-Agent` of an open request. */
  userAgent(): string | undefined
  /** The uncharged bytes that the connection holds now. */
  measure(): number
  /** Ends the connection without answering open requests. Called in its own turn of the event loop. */
  cut(): void
}

/** Counts the bytes that one connection makes the process keep. */
export interface ConnectionAccount {
  /** Called whenever the connection keeps this many bytes more, or, if negative, fewer. */
  charge(bytes: number): void
  /** Called when bytes that other connections may share begin to wait; `release` follows with the same object. */
  hold(bytes: Uint8Array): void
  release(bytes: Uint8Array): void
  /** Called when the result of `AccountHolder.measure` may have changed. */
  measure(): void
  /** Called when the connection is closed. */
  close(): void
  /** Called by the application, which also reads `isKnown`: a request of this connection has authenticated. */
  identify(user: string): void
  readonly isKnown: boolean
}

/** The progress of a request in flight. */
export interface OpenExchange {
  /** The same object each time. */
  readonly id: object
  /** The head of the answer was sent. */
  readonly isAnswered: boolean
  /** The server reads the body, or drops it, and has not got all of it. */
  readonly isReceiving: boolean
  /** Grows as the body arrives. */
  readonly receivedBytes: number
  /** Bytes of the answer that wait for the client, and bytes that it has taken. */
  readonly waitingBytes: number
  readonly takenBytes: number
  /** Ends the exchange early: over HTTP/1.1 together with its connection. */
  cut(): void
}

export interface Accounts {
  /** Called once per connection. */
  open(holder: AccountHolder): ConnectionAccount
}

/** Milliseconds after which a connection, or a stream of it, is ended because its client makes no progress. */
export interface ConnectionTimes {
  /** From the first to the last byte of the preface, a frame or a header block. */
  readonly requestHeaderTimeoutMs: number
  /** Without an open stream. */
  readonly idleConnectionTimeoutMs: number
  /** While an answer waits for windows. */
  readonly writeStallTimeoutMs: number
  /** While the socket takes nothing. */
  readonly socketStallTimeoutMs: number
  /** From the server's end of the connection to the client's. */
  readonly lingerMs: number
}

/** The limits and the cost of requests. Limits of the protocol are in `limits.ts`. */
export interface ConnectionLimits {
  /** The most streams that the client may have open. */
  readonly streamsMax: number
  /** The most bytes of a request's head, as in RFC 9113 section 6.5.2. */
  readonly headerBytesMax: number
  /** A request's head must have fewer fields. */
  readonly headerFieldsMax: number
  /** The charge for an open request, besides its head, body and answer. */
  readonly requestCostBytes: number
  /** Bytes that a client must take within `writeStallTimeoutMs` and `socketStallTimeoutMs`. */
  readonly progressBytes: number
}
