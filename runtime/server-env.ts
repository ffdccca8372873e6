/** What every filter and verb finds in Hono's context, and what they share through `main`. */
import type { HttpBindings, Http2Bindings } from "@hono/node-server"
import type { Context, MiddlewareHandler } from "hono"
import type { RequestContext } from "./request.ts"

export interface ServerEnv {
  Bindings: HttpBindings | Http2Bindings
  Variables: { request: RequestContext }
}

export type ServerContext = Context<ServerEnv>
export type Filter = MiddlewareHandler<ServerEnv>
