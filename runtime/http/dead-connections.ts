/**
 * Finds connections of HTTP/2 and websockets whose client has gone without a word that reached us: a host that loses its power says nothing.
 */
import type { Clock } from "../clock.ts"

/** What is needed of a connection. */
export interface Connection {
  readonly destroyed: boolean
  readonly socket: { readonly bytesRead: number; readonly bytesWritten: number }
  /** Asks the other end for a sign of life; false when too many are out already. Called back with a fault when it could not be sent. */
  ping(over: (fault: Error | null) => void): boolean
  on(event: "close", listener: () => void): unknown
}

/** Checks without a sign of life until a connection is ended. More than one, since a server that was busy itself has not looked yet. */
const silentChecksMax = 2

/** Called once per session. Every `intervalMs` the other end is asked; one that neither answers nor takes or sends a byte is dead: `end` is called. */
export function endWhenDead(connection: Connection, options: { clock: Clock; intervalMs: number; end: () => void }): void {
  let silentChecks = 0
  let movedBytes = -1
  let cancel = (): void => {}
  const alive = (): void => {
    silentChecks = 0
  }
  function check(): void {
    if (connection.destroyed) return
    const { bytesRead, bytesWritten } = connection.socket
    if (bytesRead + bytesWritten !== movedBytes) alive()
    movedBytes = bytesRead + bytesWritten
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
