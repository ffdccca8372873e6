/** One request, as filters and verbs see it. */
import type { IncomingHttpHeaders } from "node:http"
import type { Decision } from "../../base/decision.ts"
import type { User } from "../../base/user.ts"
import type { Incoming, Outgoing } from "../exchange.ts"
import type { RequestAudit } from "./audit.ts"

/** An API verb for resources, empty for methods that no resource has. For other paths the method in lower case. */
export type RequestVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection" | (string & {})

/** What the path and method ask for. The group is neutral; an empty string means that a part is absent. */
export interface RequestInfo {
  readonly isResource: boolean
  readonly verb: RequestVerb
  readonly method: string
  /** The path, decoded and otherwise unchanged. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Segments behind the sub-resource, in proxy paths. */
  readonly tail: readonly string[]
  /** The deprecated `/watch/` form of a path. */
  readonly watchPath: boolean
}

/** The end of a request's time, with the interface of an AbortSignal, which costs more than most requests do. */
class RequestExpiry {
  reason: Error | undefined
  private readonly listeners: (() => void)[] = []

  get aborted(): boolean {
    return this.reason !== undefined
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners.push(listener)
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const place = this.listeners.indexOf(listener)
    if (place >= 0) this.listeners.splice(place, 1)
  }

  abort(reason: Error): void {
    this.reason = reason
    for (const listener of this.listeners.splice(0)) listener()
  }
}

interface RequestParts {
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  /** The user until the authentication filter sets another. */
  readonly user: User
  /** The reason why path or query could not be parsed. */
  readonly fault?: unknown
}

/** Passed through filters and verbs; created once per request, before routing. */
export class RequestContext {
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly headers: IncomingHttpHeaders
  /** Set by the authentication filter. */
  user: User
  /** Set by the authorization filter, and absent for paths that need no permission. Audit events have it. */
  decision: Decision | undefined
  /** Absent for requests that are not recorded. */
  audit: RequestAudit | undefined
  /** The reason why path or query could not be parsed; the request is refused with it. */
  readonly fault: unknown
  /** The server refused the request to protect itself. */
  isRejected = false
  /** Texts for `Warning: 299` headers, in order. */
  readonly warnings: string[] = []
  /** The length of the body, once it was read, and of what defaults have added; a large object takes turns. */
  bodyBytes = 0
  /** The body, once it was read, if it may have to be decoded again. */
  body: Buffer | undefined
  private controller: AbortController | undefined
  private readonly over = new RequestExpiry()
  /** The callbacks of `onEnd`. */
  private endings: (() => void)[] = []
  /** Set once handlers and filters have returned; called with what an `onEnd` callback throws. */
  private report: ((fault: unknown) => void) | undefined
  /** The answer is a stream that outlives handlers and filters. */
  private isStreamed = false

  constructor({ info, query, incoming, outgoing, user, fault }: RequestParts) {
    this.info = info
    this.query = query
    this.incoming = incoming
    this.outgoing = outgoing
    this.headers = incoming.headers
    this.user = user
    this.fault = fault
  }

  /**
   * Aborted when the request's time is over; the reason is the ApiError sent to the client. Code that reads from or
   * writes to the client notices a disconnect itself and need not listen.
   */
  get expiry(): RequestExpiry {
    return this.over
  }

  /**
   * Aborted when the stream of the answer closes (the answer was sent, or the client has gone), or when the request's
   * time is over; the reason is then an ApiError. Created on demand, since most requests never wait.
   */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController()
      if (this.over.aborted) controller.abort(this.over.reason)
      this.outgoing.once("close", () => controller.abort(closed))
      this.controller = controller
    }
    return this.controller.signal
  }

  /**
   * True once no client waits for the answer. For work that checks now and then: a list avoids `signal`, which takes
   * 7 microseconds to create.
   */
  get aborted(): boolean {
    return this.over.aborted || this.outgoing.destroyed
  }

  /** Called by the deadline after it has answered the client: aborts whatever waits. */
  expire(error: Error): void {
    this.over.abort(error)
    this.controller?.abort(error)
  }

  /**
   * Calls `callback` once the request has ended, whatever its outcome: after handlers and filters, and for a watch, a
   * log or a tunnel after its stream has closed. The last callback added runs first. A callback must neither throw nor
   * wait. Call this before the request has ended.
   */
  onEnd(callback: () => void): void {
    this.endings.push(callback)
  }

  /**
   * Called by a verb whose answer continues after the verb has returned. `onClose` takes a callback for the close of
   * its stream, or calls it at once. Awaiting the close instead would keep the frames of the pipeline: 10 KB more per
   * idle watch.
   */
  streamUntil(onClose: (callback: () => void) => void): void {
    this.isStreamed = true
    onClose(() => {
      this.isStreamed = false
      if (this.report !== undefined) this.end()
    })
  }

  /**
   * Called once, by the outermost filter, after everything behind it has returned. `report` gets what `onEnd` throws.
   */
  handled(report: (fault: unknown) => void): void {
    this.report = report
    if (!this.isStreamed) this.end()
  }

  private end(): void {
    const { endings } = this
    for (let index = endings.length - 1; index >= 0; index--) {
      try {
        endings[index]?.()
      } catch (fault) {
        this.report?.(fault)
      }
    }
  }

  /** The client has received the timeout as its answer: send nothing more. */
  get expired(): boolean {
    return this.over.aborted
  }
}

/** One reason for all requests: creating an exception costs more than the rest of a get. */
const closed = new Error("the client has gone")
