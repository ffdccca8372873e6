/** The package as a library: a whole server inside another program, usually a test. */
/// <reference types="node" preserve="true" />
import type { AdmissionPlugin } from "./admission/plugin.ts"
import { systemClock } from "./base/clock.ts"
import { launch } from "./launch/launch.ts"
import { errorLog } from "./launch/logging.ts"
import { defaultOptions } from "./options/load.ts"
import type { Options } from "./options/table.ts"
import { systemRandom } from "./base/random.ts"
import type { Filter } from "./http/env.ts"

export type { AdmissionPlugin, KindName, Operation, RequestAttributes, RequestOptions, ResourceName } from "./admission/plugin.ts"
export type { Options } from "./options/table.ts"
export { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
export { ApiError } from "./base/errors.ts"
export type { Behaviour, BehaviourDeps, ChangeContext, CommitOps, SubresourceAction, SubresourceBehaviour } from "./schema/behaviour.ts"
export type { Cell } from "./schema/cells.ts"
export type { Conversion } from "./schema/convert.ts"
export {
  defineBehaviour,
  defineCell,
  defineCheck,
  defineConversion,
  defineHandlers,
  defineSubresource,
  defineWarning,
} from "./schema/define.ts"
export type { CellContext, Kind, ValidationContext } from "./schema/kind.ts"
export type { Check, CheckContext, Warning } from "./schema/validate.ts"
export type { RequestContext, RequestInfo, User } from "./http/request/context.ts"
export type { Filter, ServerEnv } from "./http/env.ts"
export { StartError } from "./launch/start-error.ts"

/** Options of the command line by their names, as in `{ "event-ttl": 60_000 }`, and options that only a program has. */
export interface LibraryOptions extends Partial<Options> {
  /** The port on 127.0.0.1. Default 0: any free port. */
  readonly port?: number
  /**
   * Hono middleware of the program. It runs after authorization and before the routes, so `c.env.request` has the user
   * and the attributes of the request. It may throw an ApiError, return a Response, or write to `c.env.outgoing` and
   * return `RESPONSE_ALREADY_SENT`.
   *
   * When `next()` has resolved, the request is answered or a watch has begun. Callbacks given to `c.env.request.onEnd`
   * run when a watch has ended, too. Set header fields of the server's answers on `c.env.outgoing`, before `next()`:
   * fields of `c.res` are not sent with them, because they all share one Response.
   */
  readonly middleware?: readonly Filter[]
  /**
   * Admission plugins of the program. They run after the built-in ones, in this order, for every write and every
   * connection, including those of the server itself: `mutate` before the kind's validation, `validate` after it. They
   * run once per attempt: a write that conflicts with another one passes them again. A plugin refuses by throwing an
   * ApiError. Any other error is logged and answered with 500. A plugin that outlasts the deadline of its request is
   * abandoned, and the request is answered with 504.
   */
  readonly admission?: readonly AdmissionPlugin[]
}

export interface LibraryServer {
  /** `https://127.0.0.1:41234` */
  readonly url: string
  /** The administrator's bearer token. */
  readonly token: string
  /** The certificate of the authority that clients must trust, PEM. */
  readonly caPem: string
  /** A kubeconfig file for kubectl and client libraries, YAML. */
  readonly kubeconfig: string
  /** Resolves when all requests have ended and the store is closed. */
  stop(): Promise<void>
}

/**
 * Starts a server and resolves when it serves requests. By default it listens on a free port of 127.0.0.1, keeps
 * objects in memory and writes nothing to disk; with `"data-dir"` the store is in that folder. Errors in the code of
 * kinds, plugins and middleware are written to standard error with their stack. Throws StartError.
 */
export async function startServer(given: LibraryOptions = {}): Promise<LibraryServer> {
  const { port = 0, middleware = [], admission = [], ...options } = given
  const onDisk = given["data-dir"] !== undefined
  const { server, url, token, authority, kubeconfig } = await launch({
    options: { ...defaultOptions(), "bind-address": "127.0.0.1", store: onDisk ? "lmdb" : "memory", ...options },
    clock: systemClock,
    random: systemRandom,
    log: errorLog(),
    transient: !onDisk,
    port,
    middleware,
    admission,
  })
  return { url, token, caPem: authority, kubeconfig, stop: () => server.stop() }
}
