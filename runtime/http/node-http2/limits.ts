/** The limits of `--http2-implementation=node`. Those of streams, heads, bodies and time are the server's (`base/limits.ts`). */

/**
 * With `--http2-implementation=node`: memory of one connection in MB. A connection above it refuses new streams with
 * ENHANCE_YOUR_CALM, so it must hold one write of every open stream. Node's default is 10.
 */
export const nodeHttp2SessionMemoryMb = 100

/** Likewise: invalid frames and refused streams after which a connection ends, and pings without an answer. Node's defaults. */
export const nodeHttp2InvalidFramesMax = 1000
export const nodeHttp2RejectedStreamsMax = 100
export const nodeHttp2PingsMax = 10
