/**
 * What a connection of HTTP/2 needs of the program that it is part of. The program passes these in with the options of `Http2Connection`; this folder
 * imports nothing of it.
 */

/** Both ends of the connection that a request came on; nothing is known of one that is closed. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
}

/** A clock that no setting of the date moves. */
export interface ElapsedClock {
  /** Milliseconds since some moment of the past. */
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
  /** `User-Agent` of a request that is open. */
  userAgent(): string | undefined
  /** Bytes that the connection holds now besides those that it has charged. */
  measure(): number
  /** Ends the connection without an answer to what is open. Called in a turn of the event loop of its own. */
  cut(): void
}

/** Counts the bytes that one connection makes the process keep. */
export interface ConnectionAccount {
  /** Called whenever the connection keeps so many bytes more, or, below zero, less. */
  charge(bytes: number): void
  /** Called when bytes that other connections may hold as well begin to wait; `release` follows with the same object. */
  hold(bytes: Uint8Array): void
  release(bytes: Uint8Array): void
  /** Called when `AccountHolder.measure` has something new to say. */
  measure(): void
  /** The connection is closed. */
  close(): void
  /** For what answers requests, as `isKnown`: a request of this connection has authenticated. */
  identify(user: string): void
  readonly isKnown: boolean
}

export interface Accounts {
  /** Called once per connection. */
  open(holder: AccountHolder): ConnectionAccount
}

/** Milliseconds after which a connection, or a stream of it, is ended because its client does not go on. */
export interface ConnectionTimes {
  /** From the first byte of the preface, of a frame or of a header block to the last. */
  readonly requestHeaderTimeoutMs: number
  /** Without an open stream. */
  readonly idleConnectionTimeoutMs: number
  /** While an answer waits for windows. */
  readonly writeStallTimeoutMs: number
  /** While the socket takes nothing. */
  readonly socketStallTimeoutMs: number
  /** From our end of the connection to the client's. */
  readonly lingerMs: number
}

/** What a request may be and costs. The limits that are about the protocol itself are in `base/limits.ts`. */
export interface ConnectionLimits {
  /** Streams that the client may have open at a time. */
  readonly streamsMax: number
  /** Bytes of a request's head, as RFC 9113 section 6.5.2 counts them. */
  readonly headerBytesMax: number
  /** Fields of a request's head; as many and more are too many. */
  readonly headerFieldsMax: number
  /** Bytes that an open request is charged with besides its head, body and answer. */
  readonly requestCostBytes: number
  /** Bytes that a client has to take in `writeStallTimeoutMs` and `socketStallTimeoutMs`. */
  readonly progressBytes: number
}
