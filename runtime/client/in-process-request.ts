/** The request of a program in this process, as the operations of the verbs read it. */
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import type { RequestAudit } from "../http/request/audit.ts"
import type { RequestInfo } from "../http/request/context.ts"
import type { User } from "../base/user.ts"
import type { ObjectPlace } from "../schema/object-client.ts"
import type { RequestFacts } from "../verbs/call.ts"

/** The methods of the verbs over HTTP, which admission and authorization may look at. */
const methods = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
} as const

export type ClientVerb = keyof typeof methods

/** The place of a request; without a name it is about a collection. */
export type RequestPlace = Omit<ObjectPlace, "name"> & { readonly name?: string }

/** The facts that an HTTP request has in its path. `path` itself is empty: there is none. */
export function infoOf(verb: ClientVerb, { group, version, resource, subresource = "", namespace, name = "" }: RequestPlace): RequestInfo {
  const method = methods[verb]
  return { isResource: true, verb, method, path: "", group, version, namespace, resource, subresource, name, tail: [], watchPath: false }
}

/** Created once per operation. */
export class InProcessRequest implements RequestFacts {
  readonly headers: RequestFacts["headers"]
  readonly untracked?: true
  readonly warnings: string[] = []
  readonly audit: RequestAudit | undefined
  private ownSignal: AbortSignal | undefined

  readonly info: RequestInfo
  readonly user: User
  readonly query: URLSearchParams
  bodyBytes: number
  private readonly given: AbortSignal | undefined

  constructor({
    info,
    user,
    query,
    bodyBytes,
    signal,
    own,
    audit,
  }: Pick<RequestFacts, "info" | "user" | "query" | "bodyBytes" | "audit"> & {
    readonly signal: AbortSignal | undefined
    readonly own: boolean
  }) {
    this.headers = own ? noHeaders : programHeaders
    if (own) this.untracked = true
    this.info = info
    this.user = user
    this.query = query
    this.bodyBytes = bodyBytes
    this.given = signal
    this.audit = audit
  }

  get expiry(): DeadlineSignal {
    return this.given ?? never
  }

  get signal(): AbortSignal {
    this.ownSignal ??= this.given ?? new AbortController().signal
    return this.ownSignal
  }

  get aborted(): boolean {
    return this.given?.aborted === true
  }
}

/** Its first part is the manager of fields that are written without a `fieldManager`. */
export const programHeaders = { "user-agent": "orch-apiserver/in-process" }
const noHeaders = {}

/** The program sets the limit of its own time. */
const never: DeadlineSignal = {
  aborted: false,
  reason: undefined,
  addEventListener: () => {},
  removeEventListener: () => {},
}

const noQuery = new URLSearchParams()

/** Options as an HTTP request has them in its query, so that both are read and checked by the same code. */
export function queryOf(options: object): URLSearchParams {
  let query: URLSearchParams | undefined
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue
    query ??= new URLSearchParams()
    if (name !== "dryRun") query.set(name, String(value))
    else if (value === true) query.set(name, "All")
  }
  return query ?? noQuery
}
