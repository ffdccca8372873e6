/**
 * Counts the requests in flight, so that a stopping server can wait for them and tests can check that none stays open.
 */
import type { Outgoing } from "../http/exchange.ts"
import type { RequestInfo } from "../http/request/request-info.ts"

/** Sub-resources whose requests last as long as the client wants: connections to other machines. */
const longRunningSubresources = new Set(["proxy", "exec", "attach", "log", "portforward"])

/**
 * Whether a request lasts as long as its client wants: watches and connections to other machines. Such requests have no
 * deadline.
 */
export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === "watch" || (info.subresource !== "" && longRunningSubresources.has(info.subresource))
}

/** The limit that a request counts against, by its name in `apiserver_current_inflight_requests`. */
export type RequestKind = "readOnly" | "mutating"

/** Created once per server. */
export class InFlightRequests {
  /** Requests that currently count against `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
  readonly seats: Record<RequestKind, number> = { readOnly: 0, mutating: 0 }
  private short = 0
  private long = 0
  private waiting: { readonly until: () => boolean; readonly done: () => void }[] = []

  /** Called once per request, which counts until its response stream is closed. */
  add(info: RequestInfo, outgoing: Pick<Outgoing, "on">): void {
    const long = isLongRunning(info)
    if (long) this.long++
    else this.short++
    outgoing.on("close", () => {
      if (long) this.long--
      else this.short--
      this.settle()
    })
  }

  /**
   * Called once for a request that counts against a limit. It counts until the connection has taken the whole response
   * or is gone; the transport ends clients that do not read.
   */
  occupy(sort: RequestKind, outgoing: Pick<Outgoing, "on">): void {
    this.seats[sort]++
    outgoing.on("close", sort === "readOnly" ? this.leaveReadOnly : this.leaveMutating)
  }

  /** Shared by all requests, so that none allocates a listener. */
  private readonly leaveReadOnly = (): void => void this.seats.readOnly--
  private readonly leaveMutating = (): void => void this.seats.mutating--

  /** Called once per operation of a program in this process, which counts until it calls the returned function. */
  begin(): () => void {
    this.short++
    return () => {
      this.short--
      this.settle()
    }
  }

  /** The number of open requests. */
  get counts(): { readonly short: number; readonly long: number } {
    return { short: this.short, long: this.long }
  }

  /** Resolves when no request of this sort is open; at once when there is none. */
  drained(sort: "short" | "long"): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ until: () => this.counts[sort] === 0, done })
      this.settle()
    })
  }

  private settle(): void {
    if (this.waiting.length === 0) return
    const met = this.waiting.filter(({ until }) => until())
    this.waiting = this.waiting.filter((waiter) => !met.includes(waiter))
    for (const { done } of met) done()
  }
}
