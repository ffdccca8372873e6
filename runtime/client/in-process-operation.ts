/** The request of a program in this process. */
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import { type ApiObject, isObject, type JsonValue } from "../base/json.ts"
import type { User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import { stringify } from "../encoding/json/text.ts"
import type { RequestAudit } from "../http/request/audit.ts"
import { Operation } from "../http/request/operation.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import type { ObjectPlace } from "../schema/object-client.ts"
import type { ServerParts } from "../server-parts.ts"
import { apiErrorOf } from "../verbs/failure.ts"
import { failureStatus } from "../wire/status.ts"

/** The methods of the verbs over HTTP, which admission and authorization may read. */
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

/** The place of a request; without a name, a collection. */
export type RequestPlace = Omit<ObjectPlace, "name"> & { readonly name?: string }

/** The facts that an HTTP request has in its path. `path` itself is empty: there is none. */
export function infoOf(verb: ClientVerb, { group, version, resource, subresource = "", namespace, name = "" }: RequestPlace): RequestInfo {
  const method = methods[verb]
  return { isResource: true, verb, method, path: "", group, version, namespace, resource, subresource, name, tail: [], watchPath: false }
}

export interface OperationParts {
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly user: User
  /** An operation of the server itself. */
  readonly own: boolean
  /** The program's signal; absent if it waits for ever. */
  readonly signal: AbortSignal | undefined
}

/** Created once per operation. */
export class InProcessOperation extends Operation {
  readonly headers: Operation["headers"]
  readonly expired = false
  private readonly server: Pick<ServerParts, "vendor" | "random" | "log">
  private readonly given: AbortSignal | undefined
  private ownSignal: AbortSignal | undefined
  private answer: Operation["outgoing"] | undefined
  private isOver = false

  constructor({ info, query, user, own, signal }: OperationParts, server: Pick<ServerParts, "vendor" | "random" | "log">) {
    super(info, query, user, own)
    this.headers = own ? noHeaders : programHeaders
    this.server = server
    this.given = signal
  }

  /** The request that audit records. */
  get incoming(): Operation["incoming"] {
    return { url: urlOf(this.info, this.query, this.server.vendor), headers: {}, socket: {} }
  }

  /** The answer that audit records, with the identity of its events. */
  get outgoing(): Operation["outgoing"] {
    this.answer ??= answerOf(this.server.random.uuid())
    return this.answer
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

  /** Called with the program's result: an object, or nothing. Lists are recorded without their objects. */
  succeeded(result: unknown): void {
    const { audit, info } = this
    const json = audit?.keepsResponse === true && info.verb !== "list" && isResult(result) ? recorded(result, audit) : undefined
    audit?.answered(info.verb === "create" ? 201 : 200, json)
    this.end()
  }

  failed(error: unknown): void {
    const known = apiErrorOf(error)
    if (known === undefined) this.audit?.panicked()
    else this.audit?.answeredStatus(known.code, failureStatus(known, this.server.vendor))
    this.end()
  }

  /** The operation is over; for a watch, its stream. Further calls do nothing. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.finish((fault) => this.server.log.error({ err: fault }, "what was to follow an operation failed"))
  }
}

function answerOf(auditId: string): Operation["outgoing"] {
  return { getHeader: () => auditId, headersSent: true, destroyed: false, statusCode: 200 }
}

function isResult(result: unknown): result is ApiObject {
  return typeof result === "object" && result !== null
}

function recorded(result: ApiObject, { omitsManagedFields }: RequestAudit): Buffer {
  const { managedFields: _dropped, ...metadata }: { readonly managedFields?: JsonValue } = isObject(result.metadata) ? result.metadata : {}
  return Buffer.from(stringify(omitsManagedFields && result.metadata !== undefined ? { ...result, metadata } : result))
}

/** The path that the operation would have over HTTP. */
function urlOf({ group, version, namespace, resource, name, subresource }: RequestInfo, query: URLSearchParams, vendor: Vendor): string {
  const root = group === "" ? ["api", version] : ["apis", vendor.group(group), version]
  const place = [...root, ...(namespace === "" ? [] : ["namespaces", namespace]), resource, name, subresource]
  const path = place.filter((segment) => segment !== "").map(encodeURIComponent)
  return `/${path.join("/")}${query.size === 0 ? "" : `?${query.toString()}`}`
}

/** Its first part is the manager of fields that are written without a `fieldManager`. */
const programHeaders = { "user-agent": "orch-apiserver/in-process" }
const noHeaders = {}

/** Operations have no deadline; the program limits its own time. */
const never: DeadlineSignal = {
  aborted: false,
  reason: undefined,
  addEventListener: () => {},
  removeEventListener: () => {},
}

const noQuery = new URLSearchParams()

/** Writes options as the query of an HTTP request, so that the same code reads and checks both. */
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
