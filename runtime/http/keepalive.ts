/**
 * Finds connections of HTTP/2 and websockets whose client has gone without a word that reached us: a host that loses its power says nothing.
 */
import type { Clock } from "../base/clock.ts"

/** What is needed of a connection. */
export interface Connection {
  readonly destroyed: boolean
  readonly socket: { readonly bytesRead: number; readonly bytesWritten: number; readonly writableLength: number }
  /** Asks the other end for a sign of life; false when too many are out already. Called back with a fault when it could not be sent. */
  ping(over: (fault: Error | null) => void): boolean
  on(event: "close", listener: () => void): unknown
}

/** Checks without a sign of life until a connection is ended. More than one, since a server that was busy itself has not looked yet. */
const silentChecksMax = 2

/**
 * Called once per session. Every `intervalMs` the other end is asked; one that neither answers nor sends a byte, nor takes any that wait for it, is dead:
 * `end` is called. What the system takes from us says nothing of the other end until the system is full: it would take our own question for an answer.
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
