/** A request on its way from the edge to the store, over HTTP or of a program in this process. */
import type { IncomingHttpHeaders } from "node:http"
import type { DeadlineSignal } from "../../base/deadline-signal.ts"
import type { Decision } from "../../base/decision.ts"
import { Pace } from "../../base/pace.ts"
import { type Trace, untraced } from "../../base/trace.ts"
import type { User } from "../../base/user.ts"
import type { ConnectionEnds, Incoming, Outgoing } from "../exchange.ts"
import type { RequestAudit } from "./audit.ts"
import type { RequestInfo } from "./request-info.ts"

/**
 * The facts of any request that steps, verbs and audit use. Created once for each: `RequestContext` for requests of a
 * connection, `InProcessOperation` for operations of a program.
 */
export abstract class Operation {
  readonly info: RequestInfo
  readonly query: URLSearchParams
  /** Set by authentication, and again by impersonation. */
  user: User
  /** Set by authorization, and absent for paths that need no permission. Audit events have it. */
  decision: Decision | undefined
  /** Absent for requests that are not recorded. */
  audit: RequestAudit | undefined
  /** Records the time of its steps. Audit sets a measuring trace for each request that it records. */
  trace: Trace = untraced
  /** Texts for `Warning: 299` headers, in order. */
  readonly warnings: string[] = []
  /** A write of the server itself: no manager owns its fields. */
  readonly untracked: boolean
  private ownPace: Pace | undefined
  /** The callbacks of `onEnd`. */
  private readonly endings: (() => void)[] = []

  constructor(info: RequestInfo, query: URLSearchParams, user: User, untracked = false) {
    this.info = info
    this.query = query
    this.user = user
    this.untracked = untracked
  }

  /** The pace of the work on its object. Created on first use: a get needs none. */
  get pace(): Pace {
    this.ownPace ??= new Pace()
    return this.ownPace
  }

  abstract readonly headers: Pick<IncomingHttpHeaders, "user-agent">
  /** The parts of the request that audit records, and the account of its connection. */
  abstract readonly incoming: Pick<Incoming, "url" | "headers" | "account"> & { readonly socket: Pick<ConnectionEnds, "remoteAddress"> }
  /** The parts of the answer that audit records. */
  abstract readonly outgoing: Readonly<Pick<Outgoing, "getHeader" | "headersSent" | "destroyed" | "statusCode">>

  /**
   * Aborted when the request's time is over. Code that reads from or writes to the client notices a disconnect itself
   * and need not listen.
   */
  abstract readonly expiry: DeadlineSignal
  /** Aborted when no client waits for the answer, or when the request's time is over. */
  abstract readonly signal: AbortSignal
  /** The same, for work that checks now and then: `signal` takes 7 microseconds to create. */
  abstract readonly aborted: boolean
  /** The client has received the timeout as its answer: send nothing more. */
  abstract readonly expired: boolean

  /**
   * Calls `callback` once the request has ended, whatever its outcome: after handlers and steps, and for a watch, a log
   * or a tunnel after its stream has closed. The last callback added runs first. A callback must neither throw nor
   * wait. Call this before the request has ended.
   */
  onEnd(callback: () => void): void {
    this.endings.push(callback)
  }

  /** Called once: calls the callbacks of `onEnd`; `report` gets their errors. */
  protected finish(report: (fault: unknown) => void): void {
    const { endings } = this
    for (let index = endings.length - 1; index >= 0; index--) {
      try {
        endings[index]?.()
      } catch (fault) {
        report(fault)
      }
    }
  }
}
