/** One request as filters and verbs see it. */
import type { IncomingHttpHeaders } from "node:http"
import type { Incoming, Outgoing } from "../exchange.ts"

/** Who is asking; decided by the authentication filter. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** For resources an API verb; for other paths, and for methods that no resource has, the lower-case method. */
export type RequestVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection" | (string & {})

/** What the path and method ask for. Group is neutral; empty strings stand for "not there". */
export interface RequestInfo {
  readonly isResource: boolean
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

/** The end of one request's time, told as an AbortSignal tells it; one of those costs more than most requests do. */
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
  /** Until authentication has decided. */
  readonly user: User
  /** Why path or query could not be read. */
  readonly fault?: unknown
}

/** Carried through filters and verbs; made once per request, before it is routed. */
export class RequestContext {
  readonly info: RequestInfo
  readonly query: URLSearchParams
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly headers: IncomingHttpHeaders
  /** Set by the authentication filter. */
  user: User
  /** Why path or query could not be read; the request is refused with it. */
  readonly fault: unknown
  /** Texts for `Warning: 299` headers, in order. */
  readonly warnings: string[] = []
  /** Of the body, once it was read; large objects are worked on in turns. */
  bodyBytes = 0
  private controller: AbortController | undefined
  private readonly over = new RequestExpiry()
  /** Called when the request ends. */
  private endings: (() => void)[] = []
  /** Handlers and filters have returned; what is to be done with the fault of an ending. */
  private report: ((fault: unknown) => void) | undefined
  /** The answer is a stream that goes on without them. */
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

  /** Aborted when the request's time is over, by the ApiError that the client was told. Those who read from the client or write to it see it go by themselves. */
  get expiry(): RequestExpiry {
    return this.over
  }

  /**
   * Aborted when the answer's stream closes (it was sent, or the client has gone) or the request's time is over; the reason is an ApiError then.
   * Made on demand, since most requests never wait.
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

  /** Whether nobody waits for the answer any more. For work that looks now and then: lists that ask objects make no `signal`, which takes 7 microseconds. */
  get aborted(): boolean {
    return this.over.aborted || this.outgoing.destroyed
  }

  /** Called by the deadline once the client was told: whoever waits lets go. */
  expire(error: Error): void {
    this.over.abort(error)
    this.controller?.abort(error)
  }

  /**
   * Calls `callback` once the request has ended, whatever its outcome: after handlers and filters, and not before the stream of a watch, a log or a
   * tunnel is closed. Of several the last comes first. It may not throw and may not wait; call it before the request has ended.
   */
  onEnd(callback: () => void): void {
    this.endings.push(callback)
  }

  /**
   * Called by a verb whose answer goes on after it returned. `onClose` takes a callback for when its stream is closed, or calls it at once. Awaiting
   * that in place of a callback would keep the pipeline's frames: 10 KB more for each idle watch.
   */
  streamUntil(onClose: (callback: () => void) => void): void {
    this.isStreamed = true
    onClose(() => {
      this.isStreamed = false
      if (this.report !== undefined) this.end()
    })
  }

  /** Called once, by the outermost filter when everything behind it has returned. `report` is called with what a callback of `onEnd` throws. */
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

  /** The client was told that its time is over: nothing more is to be answered. */
  get expired(): boolean {
    return this.over.aborted
  }
}

/** One reason for all: making an exception costs more than the rest of a get. */
const closed = new Error("the client has gone")
