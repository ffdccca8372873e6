/** The limits of the protocol. Limits of requests are options of `Http2Connection`; `README.md` lists all of them. */

/**
 * Unread bytes of a request's body that a client may send; the reference's number. `authenticatedClientsBytesMax`
 * bounds the bytes of all connections together.
 */
export const http2WindowBytes = 256 * 1024

/**
 * Bytes of frames that the socket gets at a time, for most answers and for longer ones. The rest waits in the answers.
 */
export const http2WriteBytes = 32 * 1024
export const http2LargeWriteBytes = 256 * 1024

/** Bytes of free buffers kept for such writes, per size: enough for a fan-out to 250 connections. */
export const http2SpareBytesMax = 8 * 1024 * 1024

/**
 * Resets of streams, by the client or for its faults, that a connection may have at once and per second before it is
 * ended; nghttp2's numbers.
 */
export const http2ResetsBurst = 1000
export const http2ResetsPerSecond = 33

/**
 * Frames that request nothing, or only an acknowledgement, that a connection may have at once and per second before it
 * is ended. DATA and WINDOW_UPDATE of fewer than `http2TinyBytes` count too. The burst lets a body of 10,000 bytes
 * arrive in single bytes.
 */
export const http2CheapFramesBurst = 10_000
export const http2CheapFramesPerSecond = 1000

/** Fewer bytes of a body, or of a window, are hardly worth their frame. */
export const http2TinyBytes = 64

/** Frames besides answers, such as acknowledgements, that may wait for a client; with more, its connection is ended. */
export const http2OwedFramesMax = 1000

/** CONTINUATION frames of one head; clients that fill their frames need no more for `requestHeaderBytesMax`. */
export const http2ContinuationsMax = 32
