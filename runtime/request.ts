/** One request as filters and verbs see it, and how its path is read. */
import type { IncomingHttpHeaders } from "node:http"
import type { RequestVerb } from "./request-info.ts"

/** Who is asking; decided by the authentication filter. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** What the path and method ask for. Group is neutral; empty strings stand for "not there". */
export interface RequestInfo {
  readonly isResource: boolean
  /** For resources one of the API verbs; for other paths the lower-case method. */
  readonly verb: RequestVerb
  readonly method: string
  /** Decoded path, as it came. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Segments behind the sub-resource (proxy paths). */
  readonly tail: readonly string[]
  /** The deprecated `/watch/` form of a path. */
  readonly watchPath: boolean
}

/** Carried through filters and verbs; made once per request in `app.ts`. */
export interface RequestContext {
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Set by the authentication filter. */
  user: User
  /** Texts for `Warning: 299` headers, in order. */
  readonly warnings: string[]
  /** Aborted when the client has gone, the deadline has passed, or the server stops. */
  readonly signal: AbortSignal
}
