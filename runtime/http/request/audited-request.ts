import type { IncomingHttpHeaders } from "node:http"
import type { Decision } from "../../base/decision.ts"
import type { User } from "../../base/user.ts"
import type { Outgoing } from "../exchange.ts"
import type { RequestAudit } from "./audit.ts"
import type { RequestInfo } from "./context.ts"

/** A request as its audit sees it: one over HTTP, or an operation of a program in this process. */
export interface AuditedRequest {
  readonly info: RequestInfo
  /** Set by authentication, and again by impersonation. */
  readonly user: User
  /** Of authorization; undefined until it is made. */
  readonly decision: Decision | undefined
  readonly headers: Pick<IncomingHttpHeaders, "user-agent">
  /** The deadline has answered it. */
  readonly expired: boolean
  /** Undefined once it is known that it is not recorded. */
  audit: RequestAudit | undefined
  readonly incoming: { readonly url?: string | undefined; readonly headers: IncomingHttpHeaders; readonly socket: RemoteSocket }
  readonly outgoing: Readonly<Pick<Outgoing, "getHeader" | "headersSent" | "destroyed" | "statusCode">>
  /** Calls back once when the request has ended. */
  onEnd(callback: () => void): void
}

interface RemoteSocket {
  readonly remoteAddress?: string | undefined
}
