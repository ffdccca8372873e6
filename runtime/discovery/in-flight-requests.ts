/** Requests that are being answered, so that a server that stops can wait for them, and tests can see that nothing stays open. */
import type { Outgoing } from "../http/exchange.ts"
import type { RequestInfo } from "../request.ts"

/** Sub-resources that last as long as the client likes: connections to other machines. */
const longRunningSubresources = new Set(["proxy", "exec", "attach", "log", "portforward"])

/** Whether a request lasts as long as its client likes: watches and connections to other machines. No deadline ends it. */
export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === "watch" || (info.subresource !== "" && longRunningSubresources.has(info.subresource))
}

/** Which limit a request counts against; the names of `apiserver_current_inflight_requests`. */
export type SeatSort = "readOnly" | "mutating"

/** Made once per server. */
export class InFlight {
  /** Requests that count against `--max-requests-inflight` and `--max-mutating-requests-inflight` now. */
  readonly seats: Record<SeatSort, number> = { readOnly: 0, mutating: 0 }
  private short = 0
  private long = 0
  private waiting: { readonly until: () => boolean; readonly done: () => void }[] = []

  /** Called once per request; it counts until its answer's stream is closed. */
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
   * Called for a request that counts against a limit, once. It counts until the connection has all of its answer, or is gone; a client that does not
   * read its answer is ended by the transport.
   */
  occupy(sort: SeatSort, outgoing: Pick<Outgoing, "on">): void {
    this.seats[sort]++
    outgoing.on("close", sort === "readOnly" ? this.leaveReadOnly : this.leaveMutating)
  }

  /** One listener for all requests: none is made for each. */
  private readonly leaveReadOnly = (): void => void this.seats.readOnly--
  private readonly leaveMutating = (): void => void this.seats.mutating--

  /** How many requests are open now. */
  get counts(): { readonly short: number; readonly long: number } {
    return { short: this.short, long: this.long }
  }

  /** Resolves when no request of that sort is open, at once when there is none. */
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
