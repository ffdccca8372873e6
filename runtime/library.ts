/** The package as a library: a real server inside another program, most of all inside tests. */
import type { AdmissionPlugin } from "./admission/plugin.ts"
import { systemClock } from "./base/clock.ts"
import { launch } from "./launch/launch.ts"
import { silentLog } from "./launch/logging.ts"
import { defaultOptions } from "./options/load.ts"
import type { Options } from "./options/table.ts"
import { systemRandom } from "./base/random.ts"
import type { Filter } from "./http/env.ts"

export type { AdmissionPlugin, KindName, Operation, RequestAttributes, RequestOptions, ResourceName } from "./admission/plugin.ts"
export type { Options } from "./options/table.ts"
export { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
export { ApiError } from "./base/errors.ts"
export type { RequestContext, RequestInfo, User } from "./http/request/context.ts"
export type { Filter, ServerEnv } from "./http/env.ts"
export { StartError } from "./launch/start-error.ts"

/** Every option of the command line under its own name, `{ "event-ttl": 60_000 }`, and what only a library needs. */
export interface LibraryOptions extends Partial<Options> {
  /** Default 0: any free port of 127.0.0.1. */
  readonly port?: number
  /**
   * Hono middleware of the program. It runs after authorization and before the routes, so `c.env.request` has the user and what is asked for. It
   * may throw an ApiError, answer with a Response of its own, or write to `c.env.outgoing` and return `RESPONSE_ALREADY_SENT`. Once `next()`
   * resolved the request has its answer, or a watch has begun; `c.env.request.onEnd` takes what is to happen when a watch ends, too. Header fields of the server's answers are set on `c.env.outgoing`
   * before `next()`: those of `c.res`, which all such answers share, are not sent.
   */
  readonly middleware?: readonly Filter[]
  /**
   * Admission plugins of the program. They run behind the built-in ones, in this order, for every write and connection, those of the server itself
   * included: `mutate` before the kind's own validation, `validate` behind it. They run once per attempt, so a write that meets another one is judged
   * again. A plugin refuses by throwing an ApiError; any other error is logged and answered with 500; one that waits longer than the request may is
   * given up with 504.
   */
  readonly admission?: readonly AdmissionPlugin[]
}

export interface LibraryServer {
  /** `https://127.0.0.1:41234` */
  readonly url: string
  /** The administrator's bearer token. */
  readonly token: string
  /** What clients trust, PEM. */
  readonly caPem: string
  /** For kubectl and client libraries, YAML. */
  readonly kubeconfig: string
  /** Resolves when requests have ended and everything is closed. */
  stop(): Promise<void>
}

/**
 * Called by tests of controllers and clients. Without options: on a free port of this machine, objects in memory, nothing written to disk.
 * With `"data-dir"` the store is on disk there. Throws StartError.
 */
export async function startServer(given: LibraryOptions = {}): Promise<LibraryServer> {
  const { port = 0, middleware = [], admission = [], ...options } = given
  const onDisk = given["data-dir"] !== undefined
  const { server, url, token, authority, kubeconfig } = await launch({
    options: { ...defaultOptions(), "bind-address": "127.0.0.1", store: onDisk ? "lmdb" : "memory", ...options },
    clock: systemClock,
    random: systemRandom,
    log: silentLog(),
    transient: !onDisk,
    port,
    middleware,
    admission,
  })
  return { url, token, caPem: authority, kubeconfig, stop: () => server.stop() }
}
