/** What every filter and verb finds in Hono's context, and what they share through `main`. */
import type { HttpBindings, Http2Bindings } from "@hono/node-server"
import type { Context } from "hono"
import type { RequestContext } from "./request.ts"

export interface ServerEnv {
  Bindings: HttpBindings | Http2Bindings
  Variables: { request: RequestContext }
}

export type ServerContext = Context<ServerEnv>

/**
 * Looks at a request on its way in, in one go: "answered" ends it, a thrown ApiError becomes its answer. What a filter does afterwards it leaves
 * with `RequestContext.atEnd`. Filters wait for nothing, so that passing them all costs no more than their work.
 */
export type Filter = (context: ServerContext) => "answered" | undefined
