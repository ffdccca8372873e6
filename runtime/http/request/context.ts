/** A request over HTTP. */
import type { IncomingHttpHeaders } from "node:http"
import type { User } from "../../base/user.ts"
import type { Incoming, Outgoing } from "../exchange.ts"
import { Operation } from "./operation.ts"
import type { RequestInfo } from "./request-info.ts"

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

/** A request of a connection. Passed through filters and verbs; created once per request, before routing. */
export class RequestContext extends Operation {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly headers: IncomingHttpHeaders
  /** The reason why path or query could not be parsed; the request is refused with it. */
  readonly fault: unknown
  /** The server refused the request to protect itself. */
  isRejected = false
  /** The body, once it was read, if it may have to be decoded again. */
  body: Buffer | undefined
  private controller: AbortController | undefined
  private readonly over = new RequestExpiry()
  /** Set once handlers and filters have returned; called with the errors of `onEnd` callbacks. */
  private report: ((fault: unknown) => void) | undefined
  /** The answer is a stream that outlives handlers and filters. */
  private isStreamed = false

  constructor({ info, query, incoming, outgoing, user, fault }: RequestParts) {
    super(info, query, user)
    this.incoming = incoming
    this.outgoing = outgoing
    this.headers = incoming.headers
    this.fault = fault
  }

  /** Aborted when the request's time is over; the reason is the ApiError sent to the client. */
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

  get aborted(): boolean {
    return this.over.aborted || this.outgoing.destroyed
  }

  get expired(): boolean {
    return this.over.aborted
  }

  /** Called by the deadline after it has answered the client: aborts all waiting work. */
  expire(error: Error): void {
    this.over.abort(error)
    this.controller?.abort(error)
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
      if (this.report !== undefined) this.finish(this.report)
    })
  }

  /** Called once, when all of the request's work has returned. `report` gets the errors of `onEnd` callbacks. */
  handled(report: (fault: unknown) => void): void {
    this.report = report
    if (!this.isStreamed) this.finish(report)
  }
}

/** One reason for all requests: creating an exception costs more than the rest of a get. */
const closed = new Error("the client has gone")
