/** The limits of `--http2-implementation=node`. Limits of streams, heads, bodies and time are in `base/limits.ts`. */

/**
 * Memory of one session in MB. A session above it refuses new streams with ENHANCE_YOUR_CALM, so the limit must allow
 * one write of every open stream. Node's default is 10.
 */
export const nodeHttp2SessionMemoryMb = 100

/** A session ends after this many invalid frames, refused streams, or unanswered pings. Node's defaults. */
export const nodeHttp2InvalidFramesMax = 1000
export const nodeHttp2RejectedStreamsMax = 100
export const nodeHttp2PingsMax = 10
