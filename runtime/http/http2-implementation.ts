/** The two implementations of HTTP/2. `--http2-implementation` selects one. */
import type { Http2Implementation } from "./http2-session.ts"
import { openNodeHttp2 } from "./node-http2/session.ts"
import { openOwnHttp2 } from "./own-http2.ts"

/** `own`: `runtime/http2`. `node`: node:http2. */
export type Http2Name = "own" | "node"

export const http2Implementations: Readonly<Record<Http2Name, Http2Implementation>> = {
  own: { open: openOwnHttp2, readsEvents: true },
  node: { open: openNodeHttp2, readsEvents: false },
}
