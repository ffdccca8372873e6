/** The limits of the protocol by name. Those of requests come with the options of `Http2Connection`; `README.md` lists all of them. */

/**
 * Bytes of a request's body that a client may send over HTTP/2 before they are read; the reference's number. What all connections
 * may make us keep is bounded by `authenticatedClientsBytesMax`.
 */
export const http2WindowBytes = 256 * 1024

/**
 * Bytes of frames that are handed to the socket of an HTTP/2 connection at a time, and where an answer is longer than that; what is more waits in the
 * answers.
 */
export const http2WriteBytes = 32 * 1024
export const http2LargeWriteBytes = 256 * 1024

/** Bytes of buffers for such writes that are kept for the next ones, of each size: as many as a fan-out to 250 connections has under way. */
export const http2SpareBytesMax = 8 * 1024 * 1024

/** Streams of an HTTP/2 connection that may be reset at once and a second, by its client or for what its client did, until it is ended; as in nghttp2. */
export const http2ResetsBurst = 1000
export const http2ResetsPerSecond = 33

/**
 * Frames that ask for nothing but an acknowledgement, or for nothing at all, that a connection may have at once and a second until it is ended. DATA and
 * WINDOW_UPDATE of fewer than `http2TinyBytes` are such, so that a body of 10,000 bytes may come one by one.
 */
export const http2CheapFramesBurst = 10_000
export const http2CheapFramesPerSecond = 1000

/** Bytes of a body, or of a window, that are hardly worth their frame. */
export const http2TinyBytes = 64

/** Frames besides answers, acknowledgements for example, that wait for a client that does not read; beyond it the connection is ended. */
export const http2OwedFramesMax = 1000

/** CONTINUATION frames of one head; no client that fills its frames needs more for `requestHeaderBytesMax`. */
export const http2ContinuationsMax = 32
