/** The numbers of HTTP/2, and the fault of a connection. RFC 9113 sections 4.1, 6 and 7. */

export const frameHeadBytes = 9
/** The largest frame that a client may send, since the server announces no other limit; RFC 9113 section 4.2. */
export const frameBytesMax = 16_384
export const windowBytesMax = 2 ** 31 - 1
/** The initial windows of streams and of a connection; RFC 9113 section 6.9.2. */
export const defaultWindowBytes = 65_535

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const frameFlag = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

export const settingId = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

export const errorCode = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const

/** A fault of the client that ends the connection; RFC 9113 section 5.4.1. Its message is sent with GOAWAY. */
export class ConnectionFault extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}
