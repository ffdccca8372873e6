/**
 * A request that changes the protocol: after 101 from the other end both connections are one, byte by byte. Anything else the other end says
 * is an answer like others, and its connection is closed: nobody may go on speaking there with the rights of this server (CVE-2018-1002105).
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Clock } from "../clock.ts"
import type { TakenConnection } from "../http/upgrade.ts"
import { tcpKeepAliveMs, tunnelIdleTimeoutMs } from "../limits.ts"
import type { Reply } from "./dialer.ts"

interface Ends {
  /** Aborted when the client has gone or the server stops. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

/**
 * Joins the two. `server`: the other end's 101. Resolves when either side has ended, once the other one has what was said, or when `signal` is
 * aborted; both are closed then. What one side does not take holds back the other.
 */
export function join(client: TakenConnection, server: Extract<Reply, { upgraded: true }>, { signal, clock }: Ends): Promise<void> {
  const { socket: near, head: nearHead } = client
  const { socket: far, head: farHead, message } = server
  return new Promise((resolve) => {
    const stopLooking = whenIdle([near, far], clock, end)
    function end(): void {
      stopLooking()
      signal.removeEventListener("abort", end)
      near.destroy()
      far.destroy()
      resolve()
    }
    signal.addEventListener("abort", end, { once: true })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setKeepAlive(true, tcpKeepAliveMs)
      socket.on("error", end)
      socket.on("close", end)
      // Neither protocol goes on in one direction: kept open, a side could wait for ever for one that has gone.
      socket.on("end", () => other.destroySoon())
    }
    near.write(headText(message), "latin1")
    if (farHead.length > 0) near.write(farHead)
    if (nearHead.length > 0) far.write(nearHead)
    near.pipe(far)
    far.pipe(near)
    if (signal.aborted || near.destroyed || far.destroyed) end()
  })
}

/** Calls `end` once nothing has moved for `tunnelIdleTimeoutMs`, whether nobody speaks or one side takes nothing. The answer stops looking. */
function whenIdle(sockets: readonly Socket[], clock: Clock, end: () => void): () => void {
  let moved = -1
  let cancel = clock.after(tunnelIdleTimeoutMs, look)
  function look(): void {
    let bytes = 0
    for (const { bytesRead, bytesWritten } of sockets) bytes += bytesRead + bytesWritten
    if (bytes === moved) return end()
    moved = bytes
    cancel = clock.after(tunnelIdleTimeoutMs, look)
  }
  return () => cancel()
}

/** The other end's own words; a reason that HTTP does not allow is left out. */
function headText({ statusMessage = "", rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${/^[\t\x20-\x7e\x80-\xff]+$/.test(statusMessage) ? statusMessage : "Switching Protocols"}`]
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  return `${lines.join("\r\n")}\r\n\r\n`
}
