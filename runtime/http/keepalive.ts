/**
 * Detects HTTP/2 connections and websockets whose client is gone without closing them: a host that loses its power
 * sends nothing.
 */
import type { Clock } from "../base/clock.ts"

/** The members of a connection that the check uses. */
export interface Connection {
  readonly destroyed: boolean
  readonly socket: { readonly bytesRead: number; readonly bytesWritten: number; readonly writableLength: number }
  /** Sends a ping; false if too many are unanswered. Calls back on the answer, or with the error that prevented it. */
  ping(over: (fault: Error | null) => void): boolean
  on(event: "close", listener: () => void): unknown
}

/** A connection ends after this many silent checks: more than one, since a busy server may not have read the answer. */
const silentChecksMax = 2

/**
 * Called once per session. Pings the client every `intervalMs`. A client is dead, and `end` is called, if it neither
 * answers, nor sends a byte, nor takes any byte that waits for it. Written bytes count as taken only while some wait:
 * until its buffer is full, the kernel takes everything, even the ping itself.
 */
export function endWhenDead(connection: Connection, options: { clock: Clock; intervalMs: number; end: () => void }): void {
  let silentChecks = 0
  let read = -1
  let taken = 0
  let didWait = false
  let cancel = (): void => {}
  const alive = (): void => {
    silentChecks = 0
  }
  function check(): void {
    if (connection.destroyed) return
    const { bytesRead, bytesWritten, writableLength } = connection.socket
    const takenNow = bytesWritten - writableLength
    if (bytesRead !== read || (didWait && takenNow > taken)) alive()
    read = bytesRead
    taken = takenNow
    didWait = writableLength > 0
    if (silentChecks >= silentChecksMax) return options.end()
    silentChecks++
    connection.ping((fault) => {
      if (fault === null) alive()
    })
    schedule()
  }
  function schedule(): void {
    cancel = options.clock.after(options.intervalMs, check)
  }
  connection.on("close", () => cancel())
  schedule()
}
