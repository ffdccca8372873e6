/** One exchange of a request and its answer, and what looks at it on its way in. */
import { assert } from "./assert.ts"
import type { Incoming, Outgoing } from "./http/exchange.ts"
import type { RequestContext } from "./request.ts"

/** What Hono hands to the application: made once per request by `dispatch.ts`. */
export class Exchange {
  /** Undefined until the first filter has read path and query, and for good when they cannot be read. */
  context: RequestContext | undefined

  constructor(
    readonly incoming: Incoming,
    readonly outgoing: Outgoing,
  ) {}

  /** For whoever comes behind the first filter. */
  get request(): RequestContext {
    assert(this.context !== undefined, "the first filter has read the request")
    return this.context
  }
}

export interface ServerEnv {
  Bindings: Exchange
}

/**
 * Looks at a request on its way in, in one go: "answered" ends it, a thrown ApiError becomes its answer. What a filter does afterwards it leaves
 * with `RequestContext.atEnd`. Filters wait for nothing, so that passing them all costs no more than their work.
 */
export type Filter = (exchange: Exchange) => "answered" | undefined
