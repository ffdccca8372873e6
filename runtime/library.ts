/** The package as a library: a whole server inside another program, usually a test. */
/// <reference types="node" preserve="true" />
import "./require-node.ts"
import { systemClock } from "./base/clock.ts"
import { launch } from "./launch/launch.ts"
import { errorLog } from "./launch/logging.ts"
import { type ApiList, type LibraryOptions, libraryStart } from "./launch/library-options.ts"
import { resetter } from "./launch/reset.ts"
import { ProcessHold } from "./client/process-hold.ts"
import type { Api as BuiltInApi } from "../generated/api.ts"
import type { ApiModule } from "./launch/api-module.ts"
import type { UntypedApi } from "./schema/handlers.ts"
import type { ObjectClient } from "./schema/object-client.ts"
import type { User } from "./base/user.ts"
import { userNamed } from "./authz/impersonation.ts"
import { StartError } from "./base/start-error.ts"
import { systemRandom } from "./base/random.ts"

export type { AdmissionPlugin, KindName, Operation, RequestAttributes, RequestOptions, ResourceName } from "./admission/plugin.ts"
export type { Options } from "./options/table.ts"
export { RESPONSE_ALREADY_SENT } from "./http/web-response.ts"
export { ApiError } from "./base/errors.ts"
export type {
  AnswerRequest,
  Behaviour,
  BehaviourDeps,
  ChangeContext,
  CommitOps,
  SubresourceAction,
  SubresourceBehaviour,
} from "./schema/behaviour.ts"
export type { Cell } from "./schema/cells.ts"
export type { Conversion, ConversionContext } from "./schema/convert.ts"
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
export type { RequestContext } from "./http/request/context.ts"
export type { RequestInfo } from "./http/request/request-info.ts"
export type { User } from "./base/user.ts"
export type * from "./schema/access.ts"
export type { Filter, ServerEnv } from "./http/env.ts"
export type { ApiModule } from "./launch/api-module.ts"
export type { ApiList, LibraryOptions } from "./launch/library-options.ts"
export type { UntypedApi } from "./schema/handlers.ts"
export type * from "./schema/object-client.ts"
export { StartError } from "./base/start-error.ts"

/** The operations of built-in kinds and of the kinds in a list. Kinds of folders have no types. */
export type ApiOf<Apis extends ApiList> = BuiltInApi &
  Joined<Exclude<Apis[number], string>> &
  (Extract<Apis[number], string> extends never ? unknown : UntypedApi)

type Joined<Module extends ApiModule> = (Module extends ApiModule<infer Api> ? (api: Api) => void : never) extends (api: infer All) => void
  ? All
  : unknown

/** A server as one user sees it. */
export interface UserServer<Api extends object = BuiltInApi> extends Pick<LibraryServer<Api>, "api" | "client"> {
  /** The user, with all groups. */
  readonly user: User
  /** A kubeconfig file in which the administrator acts as the user: kubectl and client-go have the user's rights. */
  readonly kubeconfig: string
}

/** `Api`: the operations of `server.api`; `ApiOf` computes them from the option `api`. */
export interface LibraryServer<Api extends object = BuiltInApi> {
  /**
   * The objects of the server without HTTP, as the administrator: `server.api.core.v1.pods.get("default", "web")`. By
   * group, version and resource; the name of a group is its first label; the group without a name is `core`. Operations
   * reject with ApiError, also once the server has stopped.
   */
  readonly api: Api
  /** The same without types, for any resource; the handlers of `api` use it. */
  readonly client: ObjectClient
  /** `https://127.0.0.1:41234` */
  readonly url: string
  /** The administrator's bearer token. */
  readonly token: string
  /** The certificate of the authority that clients must trust, PEM. */
  readonly caPem: string
  /** A kubeconfig file for kubectl and client libraries, YAML. */
  readonly kubeconfig: string
  /**
   * Access as another user, for tests of permissions: `server.as("jane", ["devs"]).api.core.v1.pods.list("default")`.
   * Authorization decides as for a request of this user, for which neither account nor credential is needed. Every user
   * is in the group `system:authenticated`, and a service account, `system:serviceaccount:default:builder`, in the
   * groups of its namespace if none are given. Throws StartError when every user may do everything because no
   * authorization mode was chosen: start the server with `"authorization-mode": ["RBAC"]`.
   */
  as(name: string, groups?: readonly string[], more?: Partial<Pick<User, "uid" | "extra">>): UserServer<Api>
  /** Resolves when all requests have ended and the store is closed. */
  stop(): Promise<void>
  /** The same: `await using server = await startServer()` stops the server at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>
  /**
   * Removes all objects, whatever their finalizers, and resolves when the server is as after its start: with the
   * namespaces of the system, its Service and its Endpoints, and the roles and bindings that RBAC begins with. Versions
   * go on, and watches see the removals. Called between tests that share a server. Rejects if other servers share the
   * store.
   */
  reset(): Promise<void>
}

/**
 * Starts a server and resolves when it serves requests. By default it listens on a free port of 127.0.0.1, keeps
 * objects in memory and writes nothing to disk; with `"data-dir"` the store is in that folder. Errors in the code of
 * kinds, plugins and middleware are written to standard error with their stack. Throws StartError.
 */
export async function startServer<const Apis extends ApiList = []>(given: LibraryOptions<Apis> = {}): Promise<LibraryServer<ApiOf<Apis>>> {
  const start = libraryStart(given)
  const hold = start.keepAlive ? undefined : new ProcessHold()
  const launched = await launch({
    ...start,
    token: true,
    clock: systemClock,
    random: systemRandom,
    log: errorLog(),
    ...(hold !== undefined && { hold }),
  })
  const { server, url, token, authority, kubeconfig, client, api } = launched
  const during: ProcessHold["during"] = (work) => (hold === undefined ? work() : hold.during(work))
  const remove = await resetter(server.parts, launched.definitions)
  const stop = (): Promise<void> => during(() => server.stop())
  if (hold !== undefined) server.unref()
  const chosen = Object.keys(given).some((name) => name.startsWith("authorization-"))
  return {
    url,
    token,
    caPem: authority,
    kubeconfig,
    client,
    // The list of modules determines the type, and its modules the content.
    api: api as ApiOf<Apis>,
    as(name, groups = [], { uid, extra = {} } = {}) {
      if (!chosen) throw new StartError(`server.as: ${name} may do everything: ${everybodyMay}`)
      const user = userNamed({ name, groups, extra, ...(uid !== undefined && { uid }) })
      const access = launched.as(user)
      return { user, client: access.client, kubeconfig: access.kubeconfig, api: access.api as ApiOf<Apis> } // As for the administrator.
    },
    stop,
    [Symbol.asyncDispose]: stop,
    async reset() {
      await during(remove)
      await server.policyTakenUp()
    },
  }
}

const everybodyMay = 'startServer decides by AlwaysAllow unless it is told otherwise, as in startServer({ "authorization-mode": ["RBAC"] })'
