/**
 * Checks, while the server stops, whether its clients make progress. A client that takes its answer, or sends its body,
 * has the time that `close` gives it. One that does neither is cut. Requests that wait for the server are left alone.
 */
import type { Socket } from "node:net"
import { writeProgressBytes } from "../base/limits.ts"
import { Stalled } from "../http2/stalled.ts"
import type { OpenExchange } from "../http2/surroundings.ts"

/** A connection of either protocol. */
export interface StoppingConnection {
  readonly account: { readonly isKnown: boolean }
  readonly socket: Socket
  /** Requests in flight. */
  openExchanges(): readonly OpenExchange[]
}

interface Progress {
  readonly answer: Stalled
  receivedBytes: number
  receivedMs: number
}

/** Whether some request of a connection has no answer yet. */
export function isAsking(connection: StoppingConnection): boolean {
  return connection.openExchanges().some(({ isAnswered }) => !isAnswered)
}

/** Created once per listener, when the server begins to stop. */
export class StopCheck {
  private readonly progress = new WeakMap<object, Progress>()
  /** The time at which each connection was first found idle. */
  private readonly idleSinceMs = new WeakMap<StoppingConnection, number>()

  constructor(
    private readonly startedMs: number,
    private readonly stallMs: number,
  ) {}

  /** Called at intervals for each connection. `isClosing`: it takes no further request. */
  look(connection: StoppingConnection, nowMs: number, isClosing: boolean): void {
    if (!connection.account.isKnown) return this.lookAtStranger(connection, nowMs)
    const exchanges = connection.openExchanges()
    for (const exchange of exchanges) if (this.isStalled(exchange, nowMs)) exchange.cut()
    if (exchanges.length === 0 && isClosing) this.endIdle(connection, nowMs, this.stallMs)
  }

  /** A first request that is being authenticated may finish. If it is refused, its answer has one interval. */
  private lookAtStranger(connection: StoppingConnection, nowMs: number): void {
    if (!isAsking(connection)) this.endIdle(connection, nowMs, 1)
    else if (nowMs - this.startedMs >= this.stallMs) connection.socket.destroy()
  }

  /** Cuts an idle connection a while later: its last answer may still be on its way. */
  private endIdle(connection: StoppingConnection, nowMs: number, afterMs: number): void {
    const sinceMs = this.idleSinceMs.get(connection)
    if (sinceMs === undefined) this.idleSinceMs.set(connection, nowMs)
    else if (nowMs - sinceMs >= afterMs) connection.socket.destroy()
  }

  private isStalled(exchange: OpenExchange, nowMs: number): boolean {
    const { isReceiving, receivedBytes, takenBytes, waitingBytes } = exchange
    const seen = this.seen(exchange, nowMs)
    if (!isReceiving || receivedBytes !== seen.receivedBytes) {
      seen.receivedBytes = receivedBytes
      seen.receivedMs = nowMs
    }
    const answeringMs = seen.answer.forMs(nowMs, { waits: waitingBytes, taken: takenBytes })
    return Math.max(answeringMs, nowMs - seen.receivedMs) >= this.stallMs
  }

  private seen({ id, receivedBytes }: OpenExchange, nowMs: number): Progress {
    const found = this.progress.get(id)
    if (found !== undefined) return found
    const made = { answer: new Stalled(writeProgressBytes), receivedBytes, receivedMs: nowMs }
    this.progress.set(id, made)
    return made
  }
}
